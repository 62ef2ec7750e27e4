package studiomcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

func (s *studio) addStages(m *server.MCPServer) {
	add(m, "list_stages", "List the stages, filters and controllers, built-in and local: state, language, the directory from which each was built, and the last failure.", s.listStages, readOnly())
	add(m, "get_stage_source", "Return the files of the directory from which a local stage was last built: plugin.yaml, sources and tests. For a stage without one, such as a built-in, return its manifest."+untrusted,
		s.stageSource, readOnly(), paged(),
		mcp.WithString("name", mcp.Required(), mcp.Description("Stage, as list_stages returns it."), mcp.MinLength(1)))
	if s.ReadOnly {
		return
	}
	add(m, "reload_stages", "Rebuild the local stages whose sources are newer than their module, install them, and make the daemon load the present files. "+
		"Reports each stage; a failed build includes the compiler's messages, and the previous version keeps serving. Answers that were sent are not changed.",
		s.reloadStages,
		mcp.WithReadOnlyHintAnnotation(false), mcp.WithDestructiveHintAnnotation(false), mcp.WithIdempotentHintAnnotation(true),
		mcp.WithBoolean("force", mcp.Description("Rebuild all local stages.")))
}

// stageRow is a stage in the result of list_stages.
type stageRow struct {
	Name        string          `json:"name"`
	Kind        abi.RoleKind    `json:"kind"`
	Source      string          `json:"source"`
	Status      string          `json:"status"`
	Summary     string          `json:"summary,omitempty"`
	RequiresLLM string          `json:"requiresLLM,omitempty"`
	Language    string          `json:"language,omitempty"`
	Hash        string          `json:"hash,omitempty"`
	Plugin      *api.PluginDir  `json:"plugin,omitempty"`
	LastError   *api.StageError `json:"lastError,omitempty"`
}

func (s *studio) listStages(ctx context.Context, _ struct{}) (*mcp.CallToolResult, error) {
	all, err := s.Service.Stages(ctx)
	if err != nil {
		return nil, err
	}
	list := []stageRow{}
	for _, st := range all {
		r := stageRow{st.Name, st.Kind, st.Source, st.Status, "", st.RequiresLLM, st.Language, st.Hash, st.Plugin, st.LastError}
		if st.Role != nil {
			r.Summary = st.Role.Summary
		}
		list = append(list, r)
	}
	return data(map[string]any{"stages": list})
}

type sourceArgs struct {
	Name string `json:"name"`
	page
}

func (s *studio) stageSource(ctx context.Context, a sourceArgs) (*mcp.CallToolResult, error) {
	all, err := s.Service.Stages(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(st api.Stage) bool { return st.Name == a.Name })
	if i < 0 {
		return nil, unknownStage(a.Name, all)
	}
	st := all[i]
	if st.Plugin == nil || st.Plugin.Problem != "" {
		return a.manifest(st)
	}
	text, err := directoryText(st.Plugin.Path)
	if err != nil {
		return nil, err
	}
	return a.cut(fmt.Sprintf("stage %s was built from %s\n", st.Name, iostreams.Line(st.Plugin.Path)), text), nil
}

func unknownStage(name string, all []api.Stage) error {
	var names []string
	for _, st := range all {
		names = append(names, st.Name)
	}
	p := problem.New(abi.ErrNotFound, "stage %q not found", name)
	if near := suggest.Nearest(name, names); near != "" {
		p = problem.New(abi.ErrNotFound, "stage %q not found, did you mean %q?", name, near)
	}
	return p.WithHint("mcpctl get stages")
}

// manifest returns the manifest of a module, and why there is no source.
func (p page) manifest(st api.Stage) (*mcp.CallToolResult, error) {
	why := "it is built in"
	switch {
	case st.Plugin != nil:
		why = st.Plugin.Problem
	case st.Source == "local":
		why = "it was not built from a plugin directory"
	}
	head := fmt.Sprintf("stage %s has no source here: %s. Its manifest:\n", st.Name, iostreams.Line(why))
	manifest, err := json.MarshalIndent(struct {
		Role   *abi.Role       `json:"role,omitempty"`
		Module json.RawMessage `json:"module,omitempty"`
	}{st.Role, st.Module}, "", " ")
	if err != nil {
		return nil, err
	}
	return p.cut(head, string(manifest)), nil
}

// maxSource is the size limit of one file of a source, in bytes. Longer files, such as
// large fixtures, are named only.
const maxSource = 256 << 10

// directoryText returns the files of a plugin directory, each after a line with its name.
// It does not follow links out of the directory.
func directoryText(dir string) (string, error) {
	files, err := toolchain.Look(dir)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Base(name) == "Cargo.lock" { // generated
			continue
		}
		text, err := readSource(root, name)
		if err != nil {
			fmt.Fprintf(&b, "=== %s: %v\n", iostreams.Line(name), err)
			continue
		}
		fmt.Fprintf(&b, "=== %s, %d bytes\n%s", iostreams.Line(name), len(text), endLine(text))
	}
	return b.String(), nil
}

var errNotShown = errors.New("not a text file of at most 256 KiB")

func readSource(root *os.Root, name string) (string, error) {
	info, err := root.Stat(name)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err // without the path
		}
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSource {
		return "", errNotShown
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSource))
	return string(text), err
}

type reloadArgs struct {
	Force bool `json:"force"`
}

// built is the report about one stage.
type built struct {
	Name   string `json:"name"`
	Action string `json:"action"` // rebuilt, current, skipped, failed
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	Hash   string `json:"hash,omitempty"`
}

func (s *studio) reloadStages(ctx context.Context, a reloadArgs) (*mcp.CallToolResult, error) {
	s.building.Lock()
	defer s.building.Unlock()
	before, err := s.Service.Stages(ctx)
	if err != nil {
		return nil, err
	}
	reports := []built{}
	for _, st := range before {
		if st.Source == "local" {
			reports = append(reports, s.rebuild(ctx, st, a.Force))
		}
	}
	if err := s.Service.Reload(ctx); err != nil {
		return nil, err
	}
	after, err := s.Service.Stages(ctx)
	if err != nil {
		return nil, err
	}
	isFailed := false
	for i := range reports {
		isFailed = isFailed || reports[i].Action == "failed"
		for _, st := range after {
			if st.Name == reports[i].Name {
				reports[i].Status, reports[i].Hash = st.Status, st.Hash
			}
		}
	}
	result, err := data(map[string]any{"stages": reports})
	if err == nil {
		result.IsError = isFailed
	}
	return result, err
}

// rebuild builds and installs one local stage if a source is newer than its module.
func (s *studio) rebuild(ctx context.Context, st api.Stage, force bool) built {
	r := built{Name: st.Name, Action: "skipped"}
	switch {
	case st.Plugin == nil:
		r.Reason = "it was not built from a plugin directory"
		return r
	case st.Plugin.Problem != "":
		r.Reason = st.Plugin.Path + ": " + st.Plugin.Problem
		return r
	}
	stale, err := toolchain.Stale(st.Plugin.Path, filepath.Join(s.Home, "stages", filepath.Base(st.File)))
	if err == nil && !stale && !force {
		r.Action = "current"
		return r
	}
	if err == nil {
		err = s.build(ctx, st.Plugin.Path)
	}
	if err != nil {
		var text strings.Builder
		problem.Print(&text, err, false)
		r.Action, r.Reason = "failed", text.String()
		return r
	}
	r.Action = "rebuilt"
	return r
}

// build builds a plugin directory as create stage does, and installs the module.
func (s *studio) build(ctx context.Context, dir string) error {
	plug, err := plugin.Open(dir)
	if err != nil {
		return err
	}
	chain, err := plug.Chain(s.Env)
	if err != nil {
		return err
	}
	defer chain.Close()
	module, err := plug.Build(ctx, chain, false)
	if err != nil {
		return err
	}
	if err := plug.Keep(module); err != nil {
		return err
	}
	return plug.Install(s.Home, module, time.Now())
}
