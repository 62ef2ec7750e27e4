package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/lab"
)

// NewCmdInspect makes the command.
func NewCmdInspect(f *factory.Factory) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "inspect FILE.wasm|./DIR|NAME",
		Short: "Show the manifest and properties of a module, without running it",
		Long: `Read a module and show its target, its roles and their config, its imports, size, limits and hash. The argument is a
file, a plugin directory, or the name of a stage, which selects the active module. Nothing in the module is run. Modules
built for Extism and WASI commands are shown too. For a module that cannot be loaded, the reason and the remedy are
shown. "mcpctl describe stage NAME" shows more of one role.`,
		Example: `  mcpctl stage inspect shout.wasm
  mcpctl stage inspect section-split
  mcpctl stage inspect shout.wasm -o json`,
		Args:              factory.ExactArgs("FILE.wasm|./DIR|NAME"),
		ValidArgsFunction: f.Names("stage"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := printer.Check(output); err != nil {
				return err
			}
			return inspect(cmd.Context(), f, args[0], output)
		},
	}
	printer.AddFlag(cmd, f.Env, &output)
	return cmd
}

func inspect(ctx context.Context, f *factory.Factory, arg, output string) error {
	info, err := inspected(ctx, f, arg)
	if err != nil {
		return err
	}
	settings, err := f.Settings()
	if err != nil {
		return err
	}
	if err := show(f, info, settings, output); err != nil {
		return err
	}
	if limit := int(settings.Bytes("limits.memory")); info.MemoryBytes > limit {
		return problem.New(abi.ErrLimit, "module %q is not loaded: needs %d MiB of memory at least, limit %d MiB (limits.memory)", info.Name, info.MemoryBytes>>20, limit>>20)
	}
	return nil
}

// show prints the manifest and properties of a module, and the limits in settings.
func show(f *factory.Factory, info lab.ModuleInfo, settings config.Settings, output string) error {
	if output != "table" && output != "wide" {
		l := printer.Listing{Value: info}
		for _, r := range info.Manifest.Roles {
			l.Names = append(l.Names, "stage/"+r.Name)
		}
		return printer.Print(f.IO, output, l)
	}
	page := f.IO.Page()
	about(page, info, settings)
	if err := page.Close(); err != nil {
		return err
	}
	t := iostreams.NewTable("ROLE", "KIND", "LLM", "CONFIG", "SUMMARY")
	for _, r := range info.Manifest.Roles {
		keys := make([]string, len(r.Config))
		for i, c := range r.Config {
			keys[i] = c.Name
		}
		t.Row(r.Name, string(r.Kind), r.LLM, strings.Join(keys, ","), r.Summary)
	}
	return t.Wrap(f.IO.OutWidth).Fprint(f.IO.Out)
}

// inspected returns the description of a module: of a file, of the one in a plugin
// directory, or of the module with a stage of this name.
func inspected(ctx context.Context, f *factory.Factory, arg string) (lab.ModuleInfo, error) {
	file, isName, err := moduleFile(arg)
	if err != nil {
		return lab.ModuleInfo{}, err
	}
	if isName {
		return inForce(ctx, f, arg)
	}
	b, err := f.ReadFile(file)
	if err != nil {
		return lab.ModuleInfo{}, err
	}
	if file != arg { // the module of a directory
		warnStale(f, arg, file)
	}
	info, err := lab.InspectModule(file, b)
	if err != nil && file != "-" {
		return info, problem.FromFile(err, file)
	}
	return info, err
}

// moduleFile is the file that is meant; a word that is none may be the name of a stage.
func moduleFile(arg string) (file string, isName bool, err error) {
	at, err := os.Stat(arg)
	switch {
	case arg == "-", strings.HasSuffix(arg, ".wasm"), err == nil && !at.IsDir():
		return arg, false, nil
	case strings.ContainsAny(arg, "./"+string(filepath.Separator)):
		p, err := plugin.Open(arg)
		if err != nil {
			return "", false, err
		}
		return p.Module(), false, nil
	}
	return "", true, nil
}

// inForce is the module that has the stage of a name.
func inForce(ctx context.Context, f *factory.Factory, name string) (lab.ModuleInfo, error) {
	h, err := f.Host(ctx)
	if err != nil {
		return lab.ModuleInfo{}, err
	}
	defer h.Close()
	done := f.IO.Progress("looking for " + name)
	defer done()
	_, info, err := h.Role(ctx, name, true)
	if errors.Is(err, abi.ErrNotFound) && isPlugin(name) {
		return info, problem.From(err).WithHint("mcpctl stage inspect ./%s", name)
	}
	return info, err
}

// about prints the properties of the whole module.
func about(w io.Writer, info lab.ModuleInfo, settings config.Settings) {
	field := func(name, value string) { fmt.Fprintf(w, "%-9s %s\n", name, iostreams.Line(value)) }
	field("module", info.Manifest.Name)
	field("sha256", info.Hash)
	field("size", fmt.Sprintf("%s bytes, limit %s", printer.Count(info.Size), printer.Count(abi.LimitModuleBytes)))
	if info.Native() {
		field("abi", info.Manifest.ABI)
	} else {
		field("format", string(info.Format))
	}
	field("language", cmp.Or(info.Language, "unknown"))
	if info.SDK != "" {
		field("sdk", info.SDK)
	}
	field("manifest", manifestOf(info))
	field("memory", fmt.Sprintf("%s KiB at its start, limit %d MiB (limits.memory)", printer.Count(info.MemoryBytes>>10), settings.Bytes("limits.memory")>>20))
	field("time", fmt.Sprintf("limit %d ms a call (limits.time)", settings.Duration("limits.time").Milliseconds()))
	for i, line := range importLines(info.Imports) {
		field([]string{"imports", ""}[min(i, 1)], line)
	}
	fmt.Fprintln(w)
}

// importWidth is how long a line of imports is, without the name of the field.
const importWidth = 68

// importLines lists imports by the module they are of, as the file has them.
func importLines(imports []string) (lines []string) {
	var modules []string
	of := map[string][]string{}
	for _, label := range imports {
		module, name, _ := strings.Cut(label, ".")
		if of[module] == nil {
			modules = append(modules, module)
		}
		of[module] = append(of[module], name)
	}
	for _, module := range modules {
		for i, line := range iostreams.Wrap(strings.Join(of[module], " "), importWidth-len(module)-1) {
			if i == 0 {
				line = module + " " + line
			} else {
				line = strings.Repeat(" ", len(module)+1) + line
			}
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		lines = []string{"none"}
	}
	return lines
}

func manifestOf(info lab.ModuleInfo) string {
	if !info.HasManifest {
		return "none: one role, named after the file; mcpctl stage pack adds one"
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s", cmp.Or(info.Manifest.Version, "no version"), info.Manifest.Summary))
}
