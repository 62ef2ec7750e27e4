// Package kinds reads KIND and KIND/NAME arguments the way kubectl does.
package kinds

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host/object"
)

// names are the kinds in the order help lists them, each with its other
// spellings.
var names = []struct {
	kind    string
	aliases []string
}{
	{"server", []string{"servers", "srv"}},
	{"project", []string{"projects", "prj"}},
	{"proxymodel", []string{"proxymodels", "pm"}},
	{"prompt", []string{"prompts", "pt"}},
	{"promptrequest", []string{"promptrequests", "pr"}},
	{"stage", []string{"stages", "stg"}},
}

// Parse reads a kind by any of its spellings, in any case.
func Parse(s string) (string, error) {
	s = strings.ToLower(s)
	var all []string
	for _, n := range names {
		if s == n.kind || slices.Contains(n.aliases, s) {
			return n.kind, nil
		}
		all = append(all, n.kind)
	}
	p := problem.Usagef("unknown kind %q", s)
	p.Cause = "kinds are " + strings.Join(all, ", ")
	if near := object.Nearest(s, all); near != "" {
		p.Cause = "did you mean " + near + "? " + p.Cause
	}
	return "", p
}

// Args reads "KIND [NAME...]" or "KIND/NAME...".
func Args(args []string) (kind string, objects []string, err error) {
	if len(args) == 0 {
		return "", nil, problem.Usagef("which kind?").WithHint("mcpctl get servers")
	}
	if !strings.Contains(args[0], "/") {
		kind, err = Parse(args[0])
		return kind, args[1:], err
	}
	for _, a := range args {
		k, name, ok := strings.Cut(a, "/")
		if !ok {
			return "", nil, problem.Usagef("%q: after KIND/NAME all arguments must be KIND/NAME", a)
		}
		if k, err = Parse(k); err != nil {
			return "", nil, err
		}
		if kind != "" && k != kind {
			return "", nil, problem.Usagef("one kind at a time: %s and %s", kind, k)
		}
		kind, objects = k, append(objects, name)
	}
	return kind, objects, nil
}

// Complete completes a kind, then the names of its objects.
func Complete(f *factory.Factory) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			kind, err := Parse(args[0])
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return f.Names(kind)(cmd, args[1:], prefix)
		}
		var list []string
		for _, n := range names {
			if strings.HasPrefix(n.aliases[0], prefix) {
				list = append(list, n.aliases[0])
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}
