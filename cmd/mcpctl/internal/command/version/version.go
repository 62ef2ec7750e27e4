// Package version implements `mcpctl version`.
package version

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host"
)

// Info is the version information to print.
type Info struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	ABI     string `json:"abi"`
	Builtin string `json:"builtinModule"` // SHA-256 of the module of the built-in stages
}

// NewCmdVersion creates the command.
func NewCmdVersion(f *factory.Factory) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print version, ABI and the hash of the built-in module",
		Long:  "Print the version of mcpctl, the ABI version for stages, and the SHA-256 of the module with the built-in stages.",
		Example: `  mcpctl version
  mcpctl version -o json`,
		Args: factory.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			if err := printer.Check(output); err != nil {
				return err
			}
			info := Info{f.Version, runtime.Version(), abi.Version, host.BuiltinHash()}
			switch output {
			case "json":
				return printer.JSON(f.IO.Out, info)
			case "yaml":
				return printer.YAML(f.IO.Out, info)
			}
			_, err := fmt.Fprintf(f.IO.Out, "mcpctl %s (ABI %s, %s)\nbuilt-in stages %s\n", info.Version, info.ABI, info.Go, info.Builtin)
			return err
		},
	}
	printer.AddFlag(cmd, f.Env, &output)
	return cmd
}
