package patch

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fields"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
)

// completeSet completes the path of --set with the fields of spec.
func completeSet(args []string, prefix string) []string {
	kind, _, err := kinds.Args(kinds.Parse, args)
	if err != nil || strings.Contains(prefix, "=") {
		return nil
	}
	root, ok := fields.Of(kind)
	if !ok {
		return nil
	}
	at := strings.LastIndex(prefix, ".") + 1
	path := append([]string{"spec"}, strings.FieldsFunc(prefix[:at], func(r rune) bool { return r == '.' })...)
	for _, name := range path {
		if root, ok = root.Child(name); !ok {
			return nil
		}
	}
	var list []string
	for _, c := range root.Children() {
		list = append(list, cobra.CompletionWithDesc(prefix[:at]+c.Name+"=", c.Help))
	}
	return list
}
