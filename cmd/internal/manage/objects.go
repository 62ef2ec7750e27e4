package manage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// Objects implements api.Service.
func (s *Service) Objects(ctx context.Context, kind, project string) ([]api.Object, error) {
	if key, ok := teamKey(kind, ""); ok {
		return teamService{s.h}.objects(ctx, key.Kind, "")
	}
	k, err := parseKind(kind)
	if err != nil {
		return nil, err
	}
	list := []api.Object{}
	for _, o := range s.h.Snapshot().List(k) {
		if project != "" && string(o.Key().Project) != project {
			continue
		}
		shown, err := s.object(ctx, o)
		if err != nil {
			return nil, err
		}
		list = append(list, shown)
	}
	return list, nil
}

// Object implements api.Service.
func (s *Service) Object(ctx context.Context, kind, project, name string) (api.Object, error) {
	if key, ok := teamKey(kind, name); ok {
		return teamService{s.h}.object(ctx, key)
	}
	key, err := s.find(kind, project, name)
	if err != nil {
		return api.Object{}, err
	}
	o, ok := s.h.Snapshot().Get(key)
	if _, invalid := s.h.Config().FileFault(key); !ok || invalid != nil {
		// The file may be new, or another program was writing it when it was read.
		s.h.Config().Reload()
		o, ok = s.h.Snapshot().Get(key)
	}
	if !ok {
		return api.Object{}, s.missingError(key)
	}
	return s.object(ctx, o)
}

// missingError returns the error for a missing object: its file is invalid or does not exist.
func (s *Service) missingError(key object.Key) error {
	kind, name := kindName(key.Kind), string(key.Name)
	file, err := s.h.Config().FileFault(key)
	if err == nil {
		return missingObject(s.h, kind, name)
	}
	p := problem.New(abi.ErrConfig, "%s %q: its file is invalid", kind, name)
	p.Cause = strings.Join(lines(err, file), "; ")
	return p.WithHint("%s", editCommand(key))
}

// editCommand returns the command that opens the file of an object.
func editCommand(key object.Key) string {
	command := "mcpctl edit " + kindName(key.Kind) + " " + string(key.Name)
	if key.Kind.IsScoped() {
		command += " --project " + string(key.Project)
	}
	return command
}

func (s *Service) object(ctx context.Context, o object.Object) (api.Object, error) {
	key := o.Key()
	manifest, err := object.EncodeJSON(o)
	if err != nil {
		return api.Object{}, err
	}
	out := api.Object{Kind: kindName(key.Kind), Name: string(key.Name), Project: string(key.Project), Source: "local", File: o.File(), Revision: s.h.Snapshot().FileRevision(o.File()), Manifest: manifest}
	if o.IsBuiltIn() {
		out.Source, out.File, out.Revision = api.SourceBuiltIn, "", ""
	}
	if s.h.Snapshot().IsTeam(key) {
		out.Source, out.Revision = api.SourceTeam, s.h.Config().State().TeamSet().ObjectRevision(key)
	}
	details, broken := s.details(ctx, o)
	if err := cmp.Or(s.h.Config().Problem(key), broken); err != nil {
		out.Problems = linesInUse(err, o.File())
		out.Problem = strings.Join(out.Problems, "; ")
	}
	if file, err := s.h.Config().FileFault(key); err != nil && file == o.File() {
		out.FileError = strings.Join(lines(err, file), "; ")
	}
	if details != nil {
		out.Details, err = json.Marshal(details)
	}
	return out, err
}

// details returns Object.Details. The error is the reason why the object cannot be used.
func (s *Service) details(ctx context.Context, o object.Object) (any, error) {
	switch o := o.(type) {
	case *object.Server:
		d := api.ServerDetails{Transport: "stdio", State: s.serverStatus(string(o.Name())), UsedBy: usedBy(s.h, o.Key())}
		if o.Spec.Command == nil {
			d.Transport = "http"
		}
		return d, nil
	case *object.Project:
		return s.projectDetails(o), nil
	case *object.ProxyModel:
		return s.modelDetails(ctx, o)
	case *object.Prompt:
		return s.promptDetails(o)
	case *object.PromptRequest:
		return requestDetails(s.h, o), nil
	}
	return nil, nil
}

func usedBy(h *host.Host, key object.Key) []string {
	var names []string
	for _, p := range h.Snapshot().UsedBy(key) {
		names = append(names, string(p.Name()))
	}
	return names
}

func (s *Service) projectDetails(p *object.Project) api.ProjectDetails {
	d := api.ProjectDetails{
		ProxyMode: p.Spec.ProxyMode, ProxyModel: string(p.Spec.ProxyModel.Name), Servers: []string{},
		ToolNames: p.Spec.ToolNames, LLM: s.h.LLM().Resolution(string(p.Name())), Gated: p.IsGated(), MaxAnswer: p.AnswerLimit(),
	}
	for _, ref := range p.Spec.Servers {
		d.Servers = append(d.Servers, string(ref.Name))
	}
	if s.at.Listening != "" && p.Spec.ProxyMode == object.ModeProxy {
		d.Endpoint = s.at.Listening + "/projects/" + string(p.Name()) + "/mcp"
	}
	for _, list := range []struct {
		of   string
		rows []object.Override
	}{{"prompts", p.Spec.Overrides.Prompts}, {"toolResults", p.Spec.Overrides.ToolResults}, {"resources", p.Spec.Overrides.Resources}} {
		for _, o := range list.rows {
			d.Overrides = append(d.Overrides, api.Model{For: list.of, Pattern: o.Pattern, ProxyModel: string(o.Model.Name)})
		}
	}
	for _, p := range p.Spec.Tools.Allow {
		d.AllowTools = append(d.AllowTools, p.Text)
	}
	for _, p := range p.Spec.Tools.Deny {
		d.DenyTools = append(d.DenyTools, p.Text)
	}
	d.Prompts = visiblePrompts(s.h, string(p.Name()))
	if d.Gated {
		d.Greeting = greeting(s.h, string(p.Name()))
	}
	inventory := s.h.Tools(string(p.Name()))
	for _, n := range inventory.Tools {
		d.Tools = append(d.Tools, api.Tool{Label: n.Label, Wire: n.Wire, NotOffered: n.Decision.Reason(), SavedTokens: n.Saved})
	}
	for _, pattern := range inventory.Unmatched {
		d.Unmatched = append(d.Unmatched, fmt.Sprintf("%s has %q", pattern.Field, pattern.Text))
	}
	return d
}

// requires maps the value in a manifest to the value of the column REQUIRES-LLM.
var requires = map[string]string{abi.LLMNone: "no", "": "no", abi.LLMOptional: "optional", abi.LLMRequired: "yes"}

func (s *Service) modelDetails(ctx context.Context, m *object.ProxyModel) (api.ModelDetails, error) {
	d := api.ModelDetails{Stages: []api.ModelStage{}, Controllers: []string{}, Cacheable: m.Spec.Cacheable, RequiresLLM: "no", UsedBy: usedBy(s.h, m.Key())}
	for _, c := range m.Spec.Controllers {
		d.Controllers = append(d.Controllers, string(c.Type.Name))
	}
	for _, t := range m.Spec.AppliesTo {
		d.AppliesTo = append(d.AppliesTo, string(t))
	}
	model, err := s.h.Model(ctx, string(m.Name()))
	if err != nil {
		for _, e := range m.Spec.Stages {
			d.Stages = append(d.Stages, api.ModelStage{Type: string(e.Type.Name)})
		}
		return d, err
	}
	d.RequiresLLM = requires[model.RequiresLLM()]
	for _, st := range model.Steps {
		stage := api.ModelStage{Type: st.Type, Kind: string(st.Kind)}
		if err := json.Unmarshal(st.Config, &stage.Config); err != nil {
			return d, err
		}
		d.Stages = append(d.Stages, stage)
	}
	return d, nil
}

// serverStatus combines the states of all connections to a server. The worst one counts.
func (s *Service) serverStatus(name string) api.ServerStatus {
	st := api.ServerStatus{Name: name, State: "idle", Tools: countTools(s.h, name)}
	for _, u := range s.h.Servers().States(name) {
		addConnection(&st, u)
	}
	markUnusable(s.h, &st)
	if st.Connections == 0 && st.Error == "" {
		s.addLastFailure(&st)
	}
	if err := s.h.Servers().ToolsFault(name); st.State == string(upstream.Ready) && err != nil {
		st.Error = strings.Join(lines(err, ""), "; ") // it runs, but does not list its tools
	}
	if st.Error != "" {
		st.ErrorLine = upstream.FindErrorLine(strings.Split(st.Stderr, "\n"))
	}
	st.Notes = s.h.Servers().ListNotes(name)
	return st
}

// addLastFailure sets the state of a server without connections to failed if its last use
// failed.
func (s *Service) addLastFailure(st *api.ServerStatus) {
	f, ok := s.h.Servers().LastFailure(st.Name)
	if !ok {
		return
	}
	st.State = string(upstream.Failed)
	st.Error = "when last used: " + strings.ReplaceAll(f.Error, "\n", "; ")
	for _, line := range f.Stderr {
		st.Stderr += line + "\n"
	}
}

func addConnection(st *api.ServerStatus, u upstream.State) {
	st.Connections++
	st.Restarts += u.Restarts
	st.Dropped += u.Counts.Garbage + u.Counts.TooLong + u.Counts.UnknownIDs + u.Counts.LateIDs + u.Counts.Dropped
	if u.Garbage != "" {
		st.LastDropped = u.Garbage
	}
	if isWorse(string(u.Status), st.State) {
		st.State = string(u.Status)
	}
	if u.Error != "" && (u.Status == upstream.Failed || u.Status == upstream.Starting) {
		st.Error = u.Error // if it is starting: the previous failure
	}
	if u.LastError != "" {
		st.LastError = u.LastError
	}
	for _, line := range u.Stderr {
		st.Stderr += line + "\n"
	}
}

// markUnusable sets the state to failed if the configuration prevents any connection.
func markUnusable(h *host.Host, st *api.ServerStatus) {
	if err := h.Config().ServerFault(st.Name); err != nil {
		st.State, st.Error = string(upstream.Failed), strings.Join(lines(err, ""), "; ")
	}
}

// countTools returns the number of a server's tools in the first project that has listed them.
func countTools(h *host.Host, server string) int {
	for _, p := range h.Snapshot().UsedBy(object.Key{Kind: object.KindServer, Name: object.Name(server)}) {
		n := 0
		for _, t := range h.Tools(string(p.Name())).Tools {
			if strings.HasPrefix(t.Label, server+"/") {
				n++
			}
		}
		if n > 0 {
			return n
		}
	}
	return 0
}

func isWorse(a, b string) bool {
	order := map[string]int{"idle": 0, "closed": 0, "ready": 1, "starting": 2, "failed": 3}
	return order[a] > order[b]
}
