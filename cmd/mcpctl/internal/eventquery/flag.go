// Package eventquery adds the query language of events to commands: the flag -l with its
// completion, and the help topic. The daemon parses queries, see package query.
package eventquery

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host/event/query"
)

// AddFlag adds -l, which reads a query.
func AddFlag(cmd *cobra.Command, f *factory.Factory, text *string, usage string) {
	cmd.Flags().StringVarP(text, "query", "l", "", usage+` (see "mcpctl help query")`)
	_ = cmd.RegisterFlagCompletionFunc("query", complete(f)) // fails only for an unknown flag
}

// kinds maps keys to the kinds of objects whose names complete their values.
var kinds = map[string]string{"project": "project", "server": "server", "model": "proxymodel", "stage": "stage"}

// complete completes the last token of a query.
func complete(f *factory.Factory) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		before, token := cutLast(text, " ")
		if strings.HasPrefix(token, "-") {
			before, token = before+"-", token[1:]
		}
		key, values, isValue := strings.Cut(token, ":")
		if !isValue {
			return completeNames(before, token, words()), directive
		}
		listed, last := cutLast(values, ",")
		before += key + ":" + listed
		if key == "type" {
			return completeNames(before, last, query.Types()), directive
		}
		if kind, ok := kinds[key]; ok {
			names, _ := f.Names(kind)(cmd, nil, last)
			return completeNames(before, last, names), directive
		}
		return nil, directive
	}
}

// cutLast cuts text after the last separator.
func cutLast(text, separator string) (before, last string) {
	i := strings.LastIndex(text, separator) + 1
	return text[:i], text[i:]
}

// words returns the keys and the flags of the language.
func words() (list []string) {
	for _, k := range query.Keys() {
		list = append(list, k.Name+":\t"+k.Meaning)
	}
	for _, f := range query.Flags() {
		list = append(list, f.Name+"\t"+f.Meaning)
	}
	return list
}

// completeNames returns before followed by each name that starts with prefix.
func completeNames(before, prefix string, names []string) (list []string) {
	for _, n := range names {
		if strings.HasPrefix(n, prefix) {
			list = append(list, before+n)
		}
	}
	return list
}
