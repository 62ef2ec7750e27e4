// Package explain implements `mcpctl explain`, which explains error codes, fields of
// objects and other topics.
package explain

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// NewCmdExplain returns the command explain.
func NewCmdExplain(f *factory.Factory) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "explain [CODE... | KIND[.FIELD...] | plugin[.FIELD...] | TOPIC]",
		Short: "Explain an error code, a field of a kind or a topic",
		Long: `Explain an error code: its meaning, its exit status and how to resolve the error. With -o json every error is printed
with its code. For a field of a kind or of plugin.yaml, print its purpose and the fields below it. For a topic, print its
page: section-ids (how sections are named and read) or laws (rules that every stage must obey). Without an argument, list
codes and topics. Works offline.`,
		Example: `  mcpctl explain E_CONFLICT
  mcpctl explain pm.spec.stages
  mcpctl explain plugin.config
  mcpctl explain section-ids`,
		ValidArgsFunction: func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return completePath(prefix), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := printer.Check(output); err != nil {
				return err
			}
			if len(args) == 1 && !isCode(args[0]) {
				if t, ok := topic(args[0]); ok {
					return showTopic(f, output, t)
				}
				of, err := chooseField(args[0])
				if err != nil {
					return err
				}
				return showField(f, output, of)
			}
			pages, err := choose(args)
			if err != nil {
				return err
			}
			return show(f, output, pages, len(args) > 0)
		},
	}
	printer.AddFlag(cmd, f.Env, &output)
	return cmd
}

func namesOf(pages []problem.Page) []string {
	var list []string
	for _, p := range pages {
		list = append(list, p.Code)
	}
	return list
}

func codes() []string {
	return namesOf(problem.Pages())
}

func choose(names []string) ([]problem.Page, error) {
	all := problem.Pages()
	if len(names) == 0 {
		return all, nil
	}
	var list []problem.Page
	for _, name := range names {
		page, err := find(all, strings.ToUpper(name))
		if err != nil {
			return nil, err
		}
		list = append(list, page)
	}
	return list, nil
}

func find(all []problem.Page, code string) (problem.Page, error) {
	for _, p := range all {
		if p.Code == code {
			return p, nil
		}
	}
	p := problem.New(abi.ErrNotFound, "error code %q not found", code)
	if near := suggest.Nearest(code, codes()); near != "" {
		return problem.Page{}, p.WithHint("mcpctl explain %s", near)
	}
	return problem.Page{}, p.WithHint("mcpctl explain")
}

func show(f *factory.Factory, format string, pages []problem.Page, whole bool) error {
	if whole && (format == "table" || format == "wide") {
		to := f.IO.Page()
		for i, p := range pages {
			if i > 0 {
				fmt.Fprintln(to)
			}
			fmt.Fprintf(to, "%s, exit status %d\n\n  %s\n\n  Help: %s\n", p.Code, p.Exit, p.Means, p.Help)
			for _, l := range p.Languages {
				fmt.Fprintf(to, "\n  %s\n    %s\n    Help: %s\n", l.Language, l.Means, l.Help)
			}
		}
		return to.Close()
	}
	l := printer.Listing{Value: pages, Names: namesOf(pages), Table: func(bool) *iostreams.Table {
		t := iostreams.NewTable("CODE", "EXIT", "MEANS")
		for _, p := range pages {
			t.Row(p.Code, fmt.Sprint(p.Exit), p.Title)
		}
		return t
	}}
	if err := printer.Print(f.IO, format, l); err != nil || whole || format != "table" && format != "wide" {
		return err
	}
	fmt.Fprintln(f.IO.Out)
	t := iostreams.NewTable("TOPIC", "ABOUT")
	for _, topic := range Topics() {
		t.Row(topic.Name, topic.Title)
	}
	return t.Wrap(f.IO.OutWidth).Fprint(f.IO.Out)
}
