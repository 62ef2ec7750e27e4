// Package get implements `mcpctl get`, which lists objects, stages and other things.
package get

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/eventquery"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Kind    string
	Names   []string
	Project string
	All     bool
	Watch   bool
	Query   string // selects events
	Output  string
	JQ      string // jq expression applied to the JSON output

	mayBeGone bool // the named objects existed when the watch began
}

// NewCmdGet creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdGet(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "get KIND [NAME...]",
		Short: "List objects, stages, controllers, tools, events, recordings and LLM providers",
		Long: `List servers, projects, proxymodels, prompts, promptrequests or stages: all of a kind, or only the named ones.
Controllers are the stages that control sessions, listed with the hooks that call them. Tools are listed for one project
(--project may be omitted if there is only one) under the names that its clients see, with the token cost of each
definition; the project's servers are started for this. Events are the recent traffic of a running daemon, selected with
-l ("mcpctl help query"); content_original and content_transformed events are listed only if the query contains type:.
LLM providers are listed from config.yaml, with their statistics and the use of today's token budget. Recordings are
recorded sessions, for "mcpctl replay"; holds are answers that wait for "mcpctl release"; corrections are edited answers,
for "mcpctl create test". Users, groups, serviceaccounts and rbacbindings are those of the team server ("mcpctl login").
"get all" lists the local objects of all kinds. KIND may be singular, plural or short;
KIND/NAME is accepted too. Objects are read from the daemon if one is running, otherwise from the files of the home.
--watch prints changes until interrupted: table rows, or with -o json one line {"type", "object"} per change.`,
		Example: `  mcpctl get stages
  mcpctl get proxymodel subindex -o yaml
  mcpctl get events --watch
  mcpctl get events -l 'tool:demo/* saved:<30%'
  mcpctl get tools --project home
  mcpctl get all
  mcpctl get servers --jq '.[].metadata.name'`,
		Args: func(_ *cobra.Command, args []string) (err error) {
			if len(args) == 1 && args[0] == everything {
				opts.Kind = everything
				return nil
			}
			opts.Kind, opts.Names, err = kinds.Args(kinds.ParseSeen, args)
			return err
		},
		ValidArgsFunction: kinds.Complete(f, "all", "controllers", "corrections", "events", "holds", "llmproviders", "recordings", "tools"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(printer.Check(opts.Output), opts.checkJQ()); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return getRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "list only prompts, tools, events, corrections or recordings of this project")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	cmd.Flags().BoolVarP(&opts.All, "all-projects", "A", false, "list prompts of all projects, including the built-in ones of mcpctl-system")
	cmd.Flags().BoolVarP(&opts.Watch, "watch", "w", false, "print changes after the list")
	eventquery.AddFlag(cmd, f, &opts.Query, "list only the events that a query selects")
	cmd.Flags().StringVar(&opts.JQ, "jq", "", "print the results of a jq expression applied to the JSON, with unquoted strings")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func getRun(ctx context.Context, opts *Options) error {
	switch {
	case opts.Query != "" && opts.Kind != kinds.Event:
		return problem.Usagef("-l applies only to events").WithHint("mcpctl get events -l %s", problem.Arg(opts.Query))
	case opts.Kind == everything:
		return allRun(ctx, opts)
	case opts.Kind == kinds.Tool && opts.Watch:
		return problem.Usagef("tools cannot be watched, because each listing starts the servers of a project").WithHint("mcpctl get events --watch")
	case opts.Kind == kinds.Tool:
		return toolsRun(ctx, opts)
	case opts.Kind == kinds.Event && opts.Watch:
		return watchEvents(ctx, opts)
	case opts.Watch:
		return watchRun(ctx, opts)
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	l, err := list(ctx, s, opts)
	if err != nil {
		return err
	}
	if len(l.Names) == 0 && opts.JQ == "" && (opts.Output == "table" || opts.Output == "wide") {
		return printNothing(opts)
	}
	return opts.print(ctx, l)
}

// print writes a listing, or the results of the --jq expression.
func (opts *Options) print(ctx context.Context, l printer.Listing) error {
	if opts.JQ != "" {
		return printer.JQ(ctx, opts.F.IO, opts.JQ, l.Value)
	}
	return printer.Print(opts.F.IO, opts.Output, l)
}

// checkJQ returns an error for an invalid expression before any work is done.
func (opts *Options) checkJQ() error {
	if opts.JQ == "" {
		return nil
	}
	if opts.Watch {
		return problem.Usagef("--jq and --watch are mutually exclusive").WithHint("mcpctl get %ss --watch -o json", opts.Kind)
	}
	return printer.CheckJQ(opts.JQ)
}

func list(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	switch opts.Kind {
	case "stage", kinds.Controller:
		return stages(ctx, s, opts)
	case kinds.Correction:
		return corrections(ctx, s, opts)
	case kinds.Event:
		return events(ctx, s, opts)
	case kinds.Hold:
		return holds(ctx, s, opts)
	case kinds.LLMProvider:
		return llmProviders(ctx, s, opts)
	case kinds.Recording:
		return recordings(ctx, s, opts)
	}
	return objects(ctx, s, opts)
}

// printNothing prints the message for an empty list to ErrOut.
func printNothing(opts *Options) error {
	settings, err := opts.F.Settings()
	if err != nil {
		return err
	}
	fmt.Fprintln(opts.F.IO.ErrOut, nothing(opts, settings.Get("mcpd-url") != ""))
	return nil
}

// nothing returns the message for an empty list, with a suggested command. hasTeam is set if the
// home has a team server, which sends only the objects that the user may view.
func nothing(opts *Options, hasTeam bool) string {
	text := "no " + opts.Kind + "s"
	if opts.Project != "" {
		text += " in project " + opts.Project
	}
	if hasTeam && slices.Contains(kinds.Shared, opts.Kind) {
		return text + " that you may view\nnext: mcpctl auth can-i --list"
	}
	switch opts.Kind {
	case "server", "project":
		return text + " yet\nnext: mcpctl import"
	case kinds.Event:
		if opts.Query != "" {
			return text + " that the query selects\nnext: mcpctl get events"
		}
		return text + " yet: the first call of a client creates some"
	case kinds.Hold:
		return text + " now\nnext: mcpctl hold --help"
	case kinds.Correction:
		return text + ": edit a held answer\nnext: mcpctl console --help"
	case kinds.Recording:
		return text + " yet\nnext: mcpctl record --help"
	case kinds.LLMProvider:
		return text + ": config.yaml lists none\nnext: mcpctl config --help"
	}
	switch opts.Kind {
	case kinds.Prompt:
		return text + " yet\nnext: mcpctl create prompt --help"
	case "promptrequest":
		return text + ": models create them with propose_prompt"
	}
	return text + " yet\nnext: mcpctl apply --help"
}

func stages(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	done := opts.F.IO.Progress("compiling stages")
	all, err := s.Stages(ctx)
	done()
	if err != nil {
		return printer.Listing{}, err
	}
	table := stageTable
	if opts.Kind == kinds.Controller {
		table = controllerTable
		all = slices.DeleteFunc(all, func(st api.Stage) bool { return st.Kind != abi.KindController })
	}
	list, err := pick(all, opts, func(st api.Stage) string { return st.Name })
	if err != nil {
		return printer.Listing{}, err
	}
	if err := warnOutdated(opts, list); err != nil {
		return printer.Listing{}, err
	}
	l := printer.Listing{Value: list, Table: func(wide bool) *iostreams.Table { return table(list, wide) }}
	for _, st := range list {
		l.Names = append(l.Names, opts.Kind+"/"+st.Name)
	}
	return l, nil
}

// warnOutdated warns about listed stages that are older than their sources.
func warnOutdated(opts *Options, list []api.Stage) error {
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	for _, st := range list {
		if st.File == "" {
			continue
		}
		if w := plugin.Outdated(home, st.File); w != "" {
			fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s\n", iostreams.Line(w))
		}
	}
	return nil
}

func objects(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	all, err := s.Objects(ctx, opts.Kind, opts.Project)
	if err != nil {
		return printer.Listing{}, err
	}
	if len(all) == 0 {
		if err := checkMayList(ctx, s, opts.Kind); err != nil {
			return printer.Listing{}, err
		}
	}
	if len(all) == 0 && opts.Project != "" { // a deleted project may still have objects
		if _, err := s.Object(ctx, "project", "", opts.Project); err != nil {
			return printer.Listing{}, err
		}
	}
	all = askedFor(all, opts)
	list, err := pick(all, opts, func(o api.Object) string { return o.Name })
	if err != nil {
		return printer.Listing{}, err
	}
	if opts.Kind == "server" && !opts.Watch {
		for _, o := range list {
			warnNotes(opts.F.IO.ErrOut, o.Name, details[api.ServerDetails](o).State.Notes)
		}
	}
	return objectListing(opts.Kind, list, len(opts.Names) == 1 && !opts.Watch)
}

// checkMayList returns abi.ErrDenied if the user may not view the objects of a kind that only the
// team server has. The team server leaves out objects that the caller may not view, so that its
// list is empty then.
func checkMayList(ctx context.Context, s api.Service, kind string) error {
	k, _ := object.ParseKind(kind)
	if !slices.Contains(object.TeamKinds(), k) {
		return nil
	}
	answer, err := s.Team().CanI(ctx, api.CanI{Verb: string(object.VerbView), Kind: kind})
	if err != nil || answer.Allowed {
		return err
	}
	p := problem.New(abi.ErrDenied, "you may not list the %ss of the team server", kind)
	p.Cause = "no binding allows you to view them"
	return p.WithHint("mcpctl auth can-i view %ss", kind)
}

func objectListing(kind string, list []api.Object, single bool) (printer.Listing, error) {
	value, err := manifests(list, single)
	l := printer.Listing{Value: value, Table: func(wide bool) *iostreams.Table { return objectTable(kind, list, wide) }}
	for _, o := range list {
		l.Names = append(l.Names, o.Kind+"/"+o.Name)
		l.Keys = append(l.Keys, o.Project+"/"+o.Name)
	}
	return l, err
}

// manifests returns the value for json and yaml: the objects in the form that apply accepts. A
// single named object is not wrapped in a list. Objects of the team server have their revision,
// so that apply of an edited one does not overwrite the change of another member.
func manifests(list []api.Object, single bool) (any, error) {
	all := make([]json.RawMessage, len(list))
	for i, o := range list {
		all[i] = o.Manifest
		if o.Source != api.SourceTeam {
			continue
		}
		objects, _, err := object.Decode(o.Kind+"/"+o.Name, o.Manifest)
		if err != nil || len(objects) != 1 {
			return nil, fmt.Errorf("decode %s %q again: %w", o.Kind, o.Name, err)
		}
		if all[i], err = object.EncodeRevision(objects[0], o.Revision); err != nil {
			return nil, err
		}
	}
	if single && len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}

// pick returns the named items in the order of the names, or all items if there are no names.
func pick[T any](all []T, opts *Options, name func(T) string) ([]T, error) {
	if len(opts.Names) == 0 {
		return all, nil
	}
	list := []T{}
	for _, n := range opts.Names {
		i := slices.IndexFunc(all, func(v T) bool { return name(v) == n })
		switch {
		case i >= 0:
			list = append(list, all[i])
		case !opts.mayBeGone:
			return nil, notFound(all, n, opts.Kind, name)
		}
	}
	return list, nil
}

func notFound[T any](all []T, missing, kind string, name func(T) string) error {
	var names []string
	for _, v := range all {
		names = append(names, name(v))
	}
	p := problem.New(abi.ErrNotFound, "%s %q not found", kind, missing)
	if near := suggest.Nearest(missing, names); near != "" {
		p.Cause = fmt.Sprintf("did you mean %q?", near)
	}
	return p.WithHint("mcpctl get %ss", kind)
}
