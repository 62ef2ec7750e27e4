package create

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/host/object"
)

// PromptOptions are the arguments and flags for a prompt.
type PromptOptions struct {
	F           *factory.Factory
	Name        string
	Project     string
	Priority    int // 0: the default
	Link        string
	ContentFile string
	Summary     string

	target target
}

// NewCmdPrompt makes the command; runF replaces its work in tests.
func NewCmdPrompt(f *factory.Factory, runF func(context.Context, *PromptOptions) error) *cobra.Command {
	opts := &PromptOptions{F: f}
	cmd := &cobra.Command{
		Use:   "prompt NAME --project P",
		Short: "Create a prompt: a text for the sessions of a project, or a link to one",
		Long: `Create a prompt of a project: a text, or a link to a resource of another project's server, which the daemon reads.
Sessions of a gated project receive the prompts that concern their task; priority 10 goes to all, 1 to 3 only to a
close match. Without --summary the index shows the first sentence, or an LLM's summary if an LLM is configured.

A prompt of a project of the team server is a file too, which only this machine uses, unless --team is given.`,
		Example: `  mcpctl create prompt rules --project home --priority 8 --content-file rules.md
  echo 'Name branches after issues.' | mcpctl create prompt branches --project home --content-file -
  mcpctl create prompt pages --project home --link public/docs:docs://pages/a1
  mcpctl create prompt rules --project web --content-file rules.md --team`,
		Args:              factory.OneArg("NAME", &opts.Name),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(); err != nil {
				return err
			}
			if !cmd.Flags().Changed("priority") {
				opts.Priority = 0
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return promptRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&opts.Project, "project", "p", "", "project it belongs to")
	fl.IntVar(&opts.Priority, "priority", object.DefaultPriority, "1 to 10: 1-3 reference, 4-6 standard, 7-9 important, 10 always sent")
	fl.StringVar(&opts.Link, "link", "", "link to a resource: project/server:uri")
	fl.StringVar(&opts.ContentFile, "content-file", "", "file with the text; - is standard input")
	fl.StringVar(&opts.Summary, "summary", "", "one line for the index")
	opts.target.addFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // all fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("priority", cobra.FixedCompletions([]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
	_ = cmd.RegisterFlagCompletionFunc("link", completeLink(f))
	_ = cmd.RegisterFlagCompletionFunc("content-file", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	})
	return cmd
}

func (o *PromptOptions) check() error {
	switch {
	case o.Project == "":
		return problem.Usagef("create prompt needs --project").WithHint("mcpctl get projects")
	case o.Priority < 1 || o.Priority > 10:
		return problem.Usagef("priority %d is not in 1 to 10", o.Priority).WithHint("mcpctl create prompt --help")
	case o.Link != "" && o.ContentFile != "":
		return problem.Usagef("--content-file and --link exclude each other").WithHint("mcpctl create prompt --help")
	case o.Link == "" && o.ContentFile == "":
		return problem.Usagef("create prompt needs one of --content-file and --link").WithHint("mcpctl create prompt --help")
	}
	return o.target.check(o.F)
}

// completeLink completes project and server of a link.
func completeLink(f *factory.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		project, server, within := strings.Cut(prefix, "/")
		kind, word, before, after := "project", project, "", "/"
		if within {
			kind, word, before, after = "server", server, project+"/", ":"
		}
		names, _ := f.Names(kind)(cmd, nil, word)
		for i, n := range names {
			names[i] = before + n + after
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

func promptRun(ctx context.Context, o *PromptOptions) error {
	spec := map[string]any{}
	if o.Priority != 0 {
		spec["priority"] = o.Priority
	}
	if o.Summary != "" {
		spec["summary"] = o.Summary
	}
	if o.Link != "" {
		spec["linkTarget"] = o.Link
	} else {
		text, err := o.F.ReadFile(o.ContentFile)
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(text)) == 0 { // a command before the pipe that failed
			return problem.New(abi.ErrConfig, "%s holds no text", o.ContentFile).WithHint("mcpctl create prompt --help")
		}
		spec["content"] = string(text)
	}
	s, done, err := o.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	isTeam, err := checkProject(ctx, o, s)
	if err != nil {
		return err
	}
	if err := free(ctx, s, "prompt", o.Project, o.Name); err != nil {
		return err
	}
	if err := apply(ctx, o.F, s, o.target, "Prompt", map[string]any{"name": o.Name, "project": o.Project}, spec); err != nil {
		return err
	}
	if isTeam {
		printPlace(o)
	}
	return warnOfDelivery(ctx, o, s)
}

// warnOfDelivery reports how a prompt reaches sessions that no gate opens.
func warnOfDelivery(ctx context.Context, o *PromptOptions, s api.Service) error {
	list, err := s.Prompts(ctx, o.Project)
	if err != nil {
		return err
	}
	for _, p := range list {
		if p.Name == o.Name && p.Delivery != "" {
			fmt.Fprintf(o.F.IO.ErrOut, "warning: prompt %q reaches sessions %s (mcpctl patch project %s --set gated=true)\n", p.Name, p.Delivery, o.Project)
		}
	}
	return nil
}

// free returns an error if an object has the name, because its file may be written by hand, or
// the team may use it.
func free(ctx context.Context, s api.Service, kind, project, name string) error {
	o, err := s.Object(ctx, kind, project, name)
	switch {
	case errors.Is(err, abi.ErrNotFound):
		return nil
	case err != nil:
		return err
	case o.Source == api.SourceBuiltIn:
		return nil
	}
	p := problem.New(abi.ErrConflict, "%s %q exists already", kind, name)
	p.Cause = "its file is " + o.File
	if o.Source == api.SourceTeam {
		p.Cause = "it is on the team server"
	}
	return p.WithHint("mcpctl edit %s %s", kind, strings.TrimSpace(name+" "+flagOf(project)))
}

func flagOf(project string) string {
	if project == "" {
		return ""
	}
	return "--project " + project
}

func apply(ctx context.Context, f *factory.Factory, s api.Service, to target, kind string, metadata, spec map[string]any) error {
	text, err := json.Marshal(map[string]any{"kind": kind, "metadata": metadata, "spec": spec})
	if err != nil {
		return err
	}
	file := fmt.Sprintf("%s/%s", strings.ToLower(kind), metadata["name"])
	applied, err := s.Apply(ctx, api.ApplyRequest{File: file, YAML: string(text), To: to.apply(f)})
	if err != nil {
		return problem.WithoutPositions(err)
	}
	for _, a := range applied {
		for i, w := range a.Warning {
			a.Warning[i], _, _ = strings.Cut(w, " ("+file+":") // a position in a generated text
		}
	}
	report.Applied(f.IO, applied, false)
	return nil
}
