package stagecmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host"
)

// NewCmdInspect makes the command.
func NewCmdInspect(f *factory.Factory) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "inspect FILE.wasm",
		Short: "Show what a module says about itself, without running it",
		Long: `Read a module file and show what it was built for, its roles and their config, what it imports, its size, limits and
hash. Nothing in it is compiled or run. Modules built for Extism and WASI commands are shown too. One that cannot be
loaded says what it is instead, and what to do about it.`,
		Example: `  mcpctl stage inspect shout.wasm
  mcpctl stage inspect shout.wasm -o json`,
		Args: factory.ExactArgs("FILE.wasm"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := printer.Check(output); err != nil {
				return err
			}
			return inspect(f, args[0], output)
		},
	}
	printer.AddFlag(cmd, f.Env, &output)
	return cmd
}

func inspect(f *factory.Factory, file, output string) error {
	b, err := f.ReadFile(file)
	if err != nil {
		return err
	}
	info, err := host.InspectModule(file, b)
	if err != nil {
		return err
	}
	if output != "table" && output != "wide" {
		l := printer.Listing{Value: info}
		for _, r := range info.Manifest.Roles {
			l.Names = append(l.Names, "stage/"+r.Name)
		}
		return printer.Print(f.IO.Out, output, l)
	}
	about(f.IO.Out, info)
	t := iostreams.NewTable("ROLE", "KIND", "LLM", "CONFIG", "SUMMARY")
	for _, r := range info.Manifest.Roles {
		keys := make([]string, len(r.Config))
		for i, c := range r.Config {
			keys[i] = c.Name
		}
		t.Row(r.Name, string(r.Kind), r.LLM, strings.Join(keys, ","), r.Summary)
	}
	return t.Fprint(f.IO.Out)
}

// about writes what holds for the whole module.
func about(w io.Writer, info host.ModuleInfo) {
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
	field("memory", fmt.Sprintf("%s KiB at its start, limit %d MiB (limits.memory)", printer.Count(info.MemoryBytes>>10), abi.LimitMemoryBytes>>20))
	field("time", fmt.Sprintf("limit %d ms a call (limits.time)", abi.LimitTimeMillis))
	field("imports", cmp.Or(strings.Join(info.Imports, " "), "none"))
	fmt.Fprintln(w)
}

func manifestOf(info host.ModuleInfo) string {
	if !info.HasManifest {
		return "none: one role, named after the file; mcpctl stage pack adds one"
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s", cmp.Or(info.Manifest.Version, "no version"), info.Manifest.Summary))
}
