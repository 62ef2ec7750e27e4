// Package kinds reads KIND and KIND/NAME arguments the way kubectl does.
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

// spelling is a kind with its other spellings, the plural first.
type spelling struct {
	kind    string
	aliases []string
}

// names are the kinds in the order help lists them.
var names = []spelling{
	{"server", []string{"servers", "srv"}},
	{"project", []string{"projects", "prj"}},
	{"proxymodel", []string{"proxymodels", "pm"}},
	{"prompt", []string{"prompts", "pt"}},
	{"promptrequest", []string{"promptrequests", "pr"}},
	{"stage", []string{"stages", "stg"}},
}

// Objects are the kinds that the home keeps as files.
var Objects = []string{"server", "project", "proxymodel", Prompt, "promptrequest"}

// Prompt is a kind that belongs to projects.
const Prompt = "prompt"

// Kinds that can be looked at and nothing else.
const (
	Event       = "event"
	Tool        = "tool"
	LLMProvider = "llmprovider"
	Controller  = "controller" // a stage of that kind
)

var (
	event       = spelling{Event, []string{"events", "ev"}}
	tool        = spelling{Tool, []string{"tools"}}
	llmProvider = spelling{LLMProvider, []string{"llmproviders", "llm"}}
	controller  = spelling{Controller, []string{"controllers", "ctl"}}
)

// ParseSeen is Parse for get, which knows all kinds.
func ParseSeen(s string) (string, error) { return parse(s, controller, event, tool, llmProvider) }

// ParseDescribed is Parse for describe, which knows controllers, events and LLM
// providers as well.
func ParseDescribed(s string) (string, error) { return parse(s, controller, event, llmProvider) }

// Parse reads a kind by any of its spellings, in any case.
func Parse(s string) (string, error) { return parse(s) }

// parse is Parse; seen are kinds that are known besides.
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

// Args reads "KIND [NAME...]" or "KIND/NAME..." by Parse or another like it.
func Args(parse func(string) (string, error), args []string) (kind string, objects []string, err error) {
	if len(args) == 0 {
		p := problem.Usagef("which kind?")
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
			return "", nil, problem.Usagef("one kind at a time: %s and %s", kind, k)
		}
		kind, objects = k, append(objects, name)
	}
	return kind, objects, unnamed(kind, objects)
}

// unnamed is the error for a name that is empty, as a variable of a script is that is
// not set.
func unnamed(kind string, objects []string) error {
	if !slices.Contains(objects, "") {
		return nil
	}
	return problem.Usagef("the name of a %s is empty", kind).WithHint("mcpctl get %ss", kind)
}

// Named is Args for commands that need at least one name.
func Named(verb string, args []string) (kind string, objects []string, err error) {
	return NamedBy(Parse, verb, args)
}

// NamedBy is Named for kinds by Parse or another like it.
func NamedBy(parse func(string) (string, error), verb string, args []string) (kind string, objects []string, err error) {
	kind, objects, err = Args(parse, args)
	if err == nil && len(objects) == 0 {
		err = problem.Usagef("%s which %s?", verb, kind).WithHint("mcpctl get %ss", kind)
	}
	return kind, objects, err
}

// NamesOf reads the arguments of a command that takes objects of one kind: NAME...,
// KIND/NAME... or KIND NAME... It returns another kind if that is what they name.
func NamesOf(want, verb string, args []string) (kind string, objects []string, err error) {
	if len(args) == 0 {
		return "", nil, problem.Usagef("%s which %s?", verb, want).WithHint("mcpctl get %ss", want)
	}
	if _, err := Parse(args[0]); err != nil && !strings.Contains(args[0], "/") {
		return want, args, unnamed(want, args)
	}
	return Named(verb, args)
}

// OneOf reads the argument of a command that takes one object of one kind: NAME,
// KIND/NAME or KIND NAME.
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

// Bare is the name without the kind before a slash, if it is this kind.
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

// Complete completes a kind, then the names of its objects; seen are plurals of
// kinds that this command knows besides.
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

// parseIn is Parse for a command that knows kinds of these plurals besides.
func parseIn(seen []string, s string) (string, error) {
	kind, err := ParseSeen(s)
	if err != nil || slices.Contains(seen, kind+"s") {
		return kind, err
	}
	return Parse(s)
}

// CompleteOnly is Complete for a command that takes one kind.
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

// CompleteOne completes the argument of OneOf.
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
