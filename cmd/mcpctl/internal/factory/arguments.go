package factory

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/lab"
)

// AddArgumentsFlag adds --arguments, the arguments of the call of the tool.
func AddArgumentsFlag(cmd *cobra.Command, arguments *string) {
	cmd.Flags().StringVar(arguments, "arguments", "", `arguments of the call, as a stage with that capability reads them: '{"query":"boat"}'`)
	_ = cmd.RegisterFlagCompletionFunc("arguments", cobra.FixedCompletions([]string{`{"_question":"`}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)) // fails only for an unknown flag
}

// Arguments returns the value of --arguments, nil if the flag is not set. command is the
// command that helps.
func Arguments(value, command string) ([]byte, error) {
	if value == "" {
		return nil, nil
	}
	if err := lab.CheckArguments([]byte(value)); err != nil {
		why := strings.TrimPrefix(err.Error(), abi.ErrConfig.Error()+": ")
		return nil, problem.Usagef("--arguments: %s", why).WithHint("%s", command)
	}
	return []byte(value), nil
}
