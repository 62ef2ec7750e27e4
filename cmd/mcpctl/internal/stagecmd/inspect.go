package stagecmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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
		Long: `Read a module file and show its roles, imports, size and hash. Nothing in it is compiled or run; a module that
cannot be loaded says why.`,
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
	switch output {
	case "json":
		return printer.JSON(f.IO.Out, info)
	case "yaml":
		return printer.YAML(f.IO.Out, info)
	}
	language := info.Language
	if language == "" {
		language = "unknown"
	}
	fmt.Fprintf(f.IO.Out, "module    %s\nsha256    %s\nsize      %s bytes\nabi       %s\nlanguage  %s\nimports   %s\n\n",
		iostreams.Line(info.Manifest.Name), info.Hash, printer.Count(info.Size), info.Manifest.ABI, language, iostreams.Line(strings.Join(info.Imports, " ")))
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
