package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:generate go run ../reference -docs ../../../../docs -plugins ../../../../plugins/src

// Reference returns the command reference as Markdown. The result depends only on the command tree.
func Reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# mcpctl on the command line\n\n")
	b.WriteString("<!-- Written by go generate ./cmd/mcpctl/... from the command tree. -->\n\n")
	b.WriteString(root.Long + "\n\n")
	walk(root, func(c *cobra.Command) {
		if c == root || c.IsAdditionalHelpTopicCommand() {
			return
		}
		fmt.Fprintf(&b, "* [%s](#%s): %s\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), lower(c.Short))
	})
	walk(root, func(c *cobra.Command) {
		if c != root {
			page(&b, c)
		}
	})
	return b.String()
}

func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		if sub.Name() == "completion" || sub.Name() == "help" { // defined by cobra
			continue
		}
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			walk(sub, visit)
		}
	}
}

func page(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", c.CommandPath(), prose(c.Long))
	if c.Runnable() && !c.HasSubCommands() {
		fmt.Fprintf(b, "\n    %s\n", c.UseLine())
	}
	flags(b, c.NonInheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(b, "\n```\n%s\n```\n", outdent(c.Example))
	}
}

// prose formats a long help text. A table in it becomes a code block.
func prose(s string) string {
	head, table, ok := strings.Cut(strings.TrimSpace(s), "\n\n  ")
	if !ok {
		return head
	}
	return head + "\n\n```\n  " + table + "\n```"
}

func flags(b *strings.Builder, set *pflag.FlagSet) {
	first := true
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if first {
			b.WriteString("\n| flag | |\n|---|---|\n")
			first = false
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		usage := strings.ReplaceAll(f.Usage, "|", `\|`)
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" {
			usage += " (default `" + f.DefValue + "`)"
		}
		fmt.Fprintf(b, "| %s | %s |\n", name, usage)
	})
}

func outdent(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
