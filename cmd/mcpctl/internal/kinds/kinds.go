// Package kinds parses KIND and KIND/NAME arguments like kubectl.
package kinds

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// spelling is a kind with its aliases, the plural first.
type spelling struct {
	kind    string
	aliases []string
}

// names lists the kinds in the order of the help.
var names = []spelling{
	{"server", []string{"servers", "srv"}},
	{"project", []string{"projects", "prj"}},
	{"proxymodel", []string{"proxymodels", "pm"}},
	{"prompt", []string{"prompts", "pt"}},
	{"promptrequest", []string{"promptrequests", "pr"}},
	{"stage", []string{"stages", "stg"}},
	{"user", []string{"users", "usr"}},
	{"group", []string{"groups", "grp"}},
	{"serviceaccount", []string{"serviceaccounts", "sa"}},
	{"rbacbinding", []string{"rbacbindings", "rb"}},
}

// Objects lists the kinds that the home stores as files.
var Objects = []string{"server", "project", "proxymodel", Prompt, "promptrequest"}

// Shared lists the kinds that the home and a team server can have.
var Shared = []string{"server", "project", Prompt, "promptrequest"}

// Prompt is a kind that belongs to projects.
const Prompt = "prompt"

// Read-only kinds.
const (
	Event       = "event"
	Tool        = "tool"
	LLMProvider = "llmprovider"
	Controller  = "controller" // a stage of that kind
	Correction  = "correction" // an edit of a held answer
	Hold        = "hold"       // an answer that is held
	Recording   = "recording"
)

var (
	event       = spelling{Event, []string{"events", "ev"}}
	tool        = spelling{Tool, []string{"tools"}}
	llmProvider = spelling{LLMProvider, []string{"llmproviders", "llm"}}
	controller  = spelling{Controller, []string{"controllers", "ctl"}}
	correction  = spelling{Correction, []string{"corrections"}}
	hold        = spelling{Hold, []string{"holds"}}
	recording   = spelling{Recording, []string{"recordings", "rec"}}
)

// ParseSeen is like Parse, but accepts all kinds. It is used by get.
func ParseSeen(s string) (string, error) {
	return parse(s, controller, correction, event, hold, tool, llmProvider, recording)
}

// ParseDeleted is like Parse, but also accepts recordings. It is used by delete.
func ParseDeleted(s string) (string, error) { return parse(s, recording) }

// ParseDescribed is like Parse, but also accepts controllers, events and LLM providers. It is used
// by
// describe.
func ParseDescribed(s string) (string, error) { return parse(s, controller, event, llmProvider) }

// Parse parses a kind by any of its names, ignoring case.
func Parse(s string) (string, error) { return parse(s) }

// parse parses a kind. It also accepts the kinds in seen.
func parse(s string, seen ...spelling) (string, error) {
	s = strings.ToLower(s)
	var all []string
	for _, n := range slices.Concat(names, seen) {
		if s == n.kind || slices.Contains(n.aliases, s) {
			return n.kind, nil
		}
		all = append(all, n.kind)
	}
	p := problem.Usagef("unknown kind %q", s)
	p.Cause = "kinds are " + strings.Join(all, ", ")
	if near := suggest.Nearest(strings.TrimSuffix(s, "s"), all); near != "" {
		p.Cause = "did you mean " + near + "? " + p.Cause
	}
	return "", p.WithHint("mcpctl get --help")
}

// Args parses "KIND [NAME...]" or "KIND/NAME..." using Parse or a similar function.
func Args(parse func(string) (string, error), args []string) (kind string, objects []string, err error) {
	if len(args) == 0 {
		p := problem.Usagef("no kind given")
		p.Cause = "for example servers, projects, proxymodels, prompts or stages"
		return "", nil, p.WithHint("mcpctl get servers")
	}
	if !strings.Contains(args[0], "/") {
		kind, err = parse(args[0])
		return kind, args[1:], cmp.Or(err, unnamed(kind, args[1:]))
	}
	for _, a := range args {
		k, name, ok := strings.Cut(a, "/")
		if !ok {
			return "", nil, problem.Usagef("%q: after KIND/NAME all arguments must be KIND/NAME", a)
		}
		if k, err = parse(k); err != nil {
			return "", nil, err
		}
		if kind != "" && k != kind {
			return "", nil, problem.Usagef("only one kind is allowed, got %s and %s", kind, k)
		}
		kind, objects = k, append(objects, name)
	}
	return kind, objects, unnamed(kind, objects)
}

// unnamed returns an error if a name is empty, for example because of an unset variable in a
// script.
func unnamed(kind string, objects []string) error {
	if !slices.Contains(objects, "") {
		return nil
	}
	return problem.Usagef("the name of a %s is empty", kind).WithHint("mcpctl get %ss", kind)
}

// Named is like Args, but requires at least one name.
func Named(verb string, args []string) (kind string, objects []string, err error) {
	return NamedBy(Parse, verb, args)
}

// NamedBy is like Named, with Parse or a similar function.
func NamedBy(parse func(string) (string, error), verb string, args []string) (kind string, objects []string, err error) {
	kind, objects, err = Args(parse, args)
	if err == nil && len(objects) == 0 {
		err = problem.Usagef("%s requires the name of a %s", verb, kind).WithHint("mcpctl get %ss", kind)
	}
	return kind, objects, err
}

// NamesOf parses the arguments of a command for objects of one kind: NAME..., KIND/NAME... or
// KIND NAME... It returns the given kind, which may differ from want.
func NamesOf(want, verb string, args []string) (kind string, objects []string, err error) {
	if len(args) == 0 {
		return "", nil, problem.Usagef("%s requires the name of a %s", verb, want).WithHint("mcpctl get %ss", want)
	}
	if _, err := Parse(args[0]); err != nil && !strings.Contains(args[0], "/") {
		return want, args, unnamed(want, args)
	}
	return Named(verb, args)
}

// OneOf returns a parser for the argument of a command for one object of one kind: NAME, KIND/NAME
// or
// KIND NAME.
func OneOf(kind string, name *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 2 && isSpelling(kind, args[0]) {
			args = args[1:]
		}
		if err := factory.OneArg("NAME", name)(cmd, args); err != nil {
			return err
		}
		*name = Bare(kind, *name)
		return unnamed(kind, []string{*name})
	}
}

// Bare returns name without the prefix "kind/".
func Bare(kind, name string) string {
	before, after, ok := strings.Cut(name, "/")
	if ok && isSpelling(kind, before) {
		return after
	}
	return name
}

func isSpelling(kind, s string) bool {
	k, err := ParseSeen(s)
	return err == nil && k == kind
}

// Complete returns a completion function for a kind and the names of its objects. seen contains the
// plurals of additional kinds.
func Complete(f *factory.Factory, seen ...string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			kind, err := parseIn(seen, args[0])
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return f.Names(kind)(cmd, args[1:], prefix)
		}
		if kind, _, ok := strings.Cut(prefix, "/"); ok {
			return slashed(f, cmd, seen, kind, prefix)
		}
		list := slices.Clone(seen)
		for _, n := range names {
			list = append(list, n.aliases[0])
		}
		return slices.DeleteFunc(list, func(s string) bool { return !strings.HasPrefix(s, prefix) }), cobra.ShellCompDirectiveNoFileComp
	}
}

// parseIn parses a kind. It also accepts the kinds whose plurals are in seen.
func parseIn(seen []string, s string) (string, error) {
	kind, err := ParseSeen(s)
	if err != nil || slices.Contains(seen, kind+"s") {
		return kind, err
	}
	return Parse(s)
}

// CompleteOnly is like Complete for a single kind.
func CompleteOnly(f *factory.Factory, kind string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return f.Names(kind)(cmd, args[1:], prefix)
		}
		if !strings.HasPrefix(kind, prefix) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return []string{kind}, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteOne returns a completion function for the argument of OneOf.
func CompleteOne(f *factory.Factory, kind string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if spelling, _, ok := strings.Cut(prefix, "/"); ok && len(args) == 0 && isSpelling(kind, spelling) {
			return slashed(f, cmd, []string{kind + "s"}, spelling, prefix)
		}
		if len(args) > 1 || len(args) == 1 && !isSpelling(kind, args[0]) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f.Names(kind)(cmd, nil, prefix)
	}
}

// slashed completes KIND/NAME.
func slashed(f *factory.Factory, cmd *cobra.Command, seen []string, spelling, prefix string) ([]string, cobra.ShellCompDirective) {
	kind, err := parseIn(seen, spelling)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, directive := f.Names(kind)(cmd, nil, prefix[len(spelling)+1:])
	for i, n := range list {
		list[i] = spelling + "/" + n
	}
	return list, directive
}
