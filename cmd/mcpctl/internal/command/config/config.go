// Package config implements `mcpctl config`, which manages the settings of the home.
package config

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// NewCmdConfig creates the command group.
func NewCmdConfig(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and change settings",
		Long: `Show and change the settings of the home, stored in its config.yaml. Flags take precedence over the environment, the
environment over the file, and the file over defaults.

LLM providers are configured in a separate section of the same file, which a running daemon applies immediately. An apiKey
is a reference to a variable of the daemon's environment or to a name in secrets.yaml, written by set-secret. Each
provider may have maxConcurrent (4), timeout (1m) and rateLimit: {perMinute: N}. For example:

  llm:
    providers:                 # type: openai (any chat completions API), anthropic, gemini-cli, managed, fake
    - {name: local, type: openai, baseURL: "http://127.0.0.1:11434/v1", model: qwen3}
    - {name: claude, type: anthropic, model: MODEL, apiKey: "${ANTHROPIC_API_KEY}"}
    - name: gpu                # a server that is started on demand and stopped when idle
      type: managed
      command: [vllm, serve, MODEL, --port, "8000"]
      baseURL: http://127.0.0.1:8000/v1
      model: MODEL
    tiers: {fast: [local], heavy: [claude, local]}   # tried in this order
    budget: {dailyTokens: 1000000}                   # for each module in each project

The llmProvider of a project selects one of them, or none.`,
		Example: `  mcpctl config view --origin
  mcpctl config set mcplocal-url http://127.0.0.1:3300
  mcpctl config set-secret GITHUB_TOKEN`,
	}
	cmd.AddCommand(newView(f), newSet(f), newSetSecret(f), newContexts(f))
	return cmd
}

func newView(f *factory.Factory) *cobra.Command {
	var output string
	var origin bool
	cmd := &cobra.Command{
		Use:   "view",
		Short: "Show the effective settings",
		Long: `Show the effective settings. With --origin, also show the source of each value: default, config.yaml or the name of an
environment variable.`,
		Example: `  mcpctl config view
  mcpctl config view --origin`,
		Args: factory.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			if err := printer.Check(output); err != nil {
				return err
			}
			settings, err := f.Settings()
			if err != nil {
				return err
			}
			return view(f, output, settings, origin)
		},
	}
	cmd.Flags().BoolVar(&origin, "origin", false, "also show the source of each value")
	printer.AddFlag(cmd, f.Env, &output)
	return cmd
}

// row is one setting in json and yaml output.
type row struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

func view(f *factory.Factory, format string, settings config.Settings, origin bool) error {
	l := printer.Listing{}
	var rows []row
	for _, s := range settings {
		rows = append(rows, row{s.Key.Name, s.Value, s.Origin})
		l.Names = append(l.Names, s.Key.Name)
	}
	l.Value = rows
	l.Table = func(wide bool) *iostreams.Table {
		header := []string{"NAME", "VALUE"}
		if origin || wide {
			header = append(header, "ORIGIN")
		}
		t := iostreams.NewTable(header...)
		for _, r := range rows {
			t.Row([]string{r.Name, r.Value, r.Origin}[:len(header)]...)
		}
		return t
	}
	return printer.Print(f.IO, format, l)
}

func newSet(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "set NAME VALUE",
		Short: "Change a setting",
		Long: `Write a setting to the home's config.yaml. Other lines are unchanged. An empty VALUE removes the setting. The settings:

` + config.Reference() + `
The names in the file are the same, except mcplocalUrl and mcpdUrl. A running daemon applies log.level and log.stages
immediately, and other settings when it is restarted.`,
		Example: `  mcpctl config set mcplocal-url http://127.0.0.1:3300
  mcpctl config set log.stages.shout debug
  mcpctl config set mcpd-url ''`,
		Args:              factory.ExactArgs("NAME", "VALUE"),
		ValidArgsFunction: settingNames(f),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := config.Find(args[0])
			if err != nil {
				return err
			}
			home, err := f.Home()
			if err != nil {
				return err
			}
			if err := config.Set(home, k, args[1]); err != nil {
				p := problem.From(err)
				return p.WithHint("%s", cmp.Or(p.Hint, "mcpctl config view --origin"))
			}
			printChange(f, k, args[1])
			return nil
		},
	}
}

// settingNames completes the names of settings, and of stages after log.stages.
func settingNames(f *factory.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if stage, ok := strings.CutPrefix(prefix, config.StageLevels+"."); ok {
			stages, directive := f.Names("stage")(cmd, nil, stage)
			for _, name := range stages {
				names = append(names, config.StageLevels+"."+name)
			}
			return names, directive
		}
		for _, k := range config.Keys {
			names = append(names, cobra.CompletionWithDesc(k.Name, k.Help))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// printChange reports a change, and warns if it does not take effect immediately.
func printChange(f *factory.Factory, k config.Key, value string) {
	change := "set"
	if value == "" {
		change = "removed"
		if k.Default != "" {
			change += ", the default is " + k.Default
		}
	}
	fmt.Fprintf(f.IO.Out, "%s %s\n", k.Name, change)
	if v := f.Env(k.Env()); v != "" {
		fmt.Fprintf(f.IO.ErrOut, "warning: %s=%s in the environment overrides the file\n", k.Env(), iostreams.Line(v))
	}
	if k.AtStart {
		fmt.Fprintln(f.IO.ErrOut, "to apply the setting, restart a running daemon: mcpctl daemon stop && mcpctl daemon start")
	}
}

func newContexts(f *factory.Factory) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "get-contexts",
		Short: "List contexts, which are the available homes",
		Long:  "List contexts. Without a team server there is only one: the home of $MCPCTL_HOME, by default ~/.mcpctl.",
		Example: `  mcpctl config get-contexts
  mcpctl config get-contexts -o json`,
		Args: factory.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			if err := printer.Check(output); err != nil {
				return err
			}
			home, err := f.Home()
			if err != nil {
				return err
			}
			type context struct {
				Name    string `json:"name"`
				Current bool   `json:"current"`
				Home    string `json:"home"`
			}
			return printer.Print(f.IO, output, printer.Listing{
				Value: []context{{"local", true, home}}, Names: []string{"local"},
				Table: func(bool) *iostreams.Table {
					t := iostreams.NewTable("CURRENT", "NAME", "HOME")
					t.Row("*", "local", home)
					return t
				},
			})
		},
	}
	printer.AddFlag(cmd, f.Env, &output)
	return cmd
}
