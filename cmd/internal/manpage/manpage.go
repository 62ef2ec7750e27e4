// Package manpage writes manual pages from a command tree: one page per command,
// in roff with the man macros. It is used when packages are built and is not linked
// into the programs.
package manpage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Write writes the pages of root and of all commands below it into dir, as section 1.
func Write(dir string, root *cobra.Command) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, c := range documented(root) {
		if err := os.WriteFile(filepath.Join(dir, name(c)+".1"), []byte(Page(c)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// documented lists c and the commands below it that have a page. Commands that cobra
// adds have none.
func documented(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.Name() == "completion" || sub.Name() == "help" || !sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		list = append(list, documented(sub)...)
	}
	return list
}

func name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// Page returns the manual page of one command.
func Page(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q\n", strings.ToUpper(name(c)), c.Root().Name())
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escape(name(c)), escape(lowerFirst(c.Short)))
	if c.Runnable() || c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR\n", escape(c.UseLine()))
	}
	b.WriteString(".SH DESCRIPTION\n")
	writeProse(&b, c.Long)
	writeCommands(&b, c)
	writeFlags(&b, "OPTIONS", c.NonInheritedFlags())
	writeFlags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		writeLines(&b, strings.Split(c.Example, "\n"))
	}
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fR(1)\n", escape(name(c.Parent())))
	}
	return b.String()
}

// writeProse writes paragraphs; those that begin with a blank keep their lines.
func writeProse(b *strings.Builder, text string) {
	for i, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(p, " ") {
			writeLines(b, strings.Split(p, "\n"))
			continue
		}
		fmt.Fprintln(b, escape(p))
	}
}

// writeLines writes lines that are not filled.
func writeLines(b *strings.Builder, lines []string) {
	b.WriteString(".nf\n")
	for _, l := range lines {
		fmt.Fprintln(b, escape(l))
	}
	b.WriteString(".fi\n")
}

func writeCommands(b *strings.Builder, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	b.WriteString(".SH COMMANDS\n")
	for _, sub := range documented(c)[1:] {
		if sub.Parent() == c {
			fmt.Fprintf(b, ".TP\n\\fB%s\\fR(1)\n%s\n", escape(name(sub)), escape(sub.Short))
		}
	}
}

func writeFlags(b *strings.Builder, title string, set *pflag.FlagSet) {
	first := true
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if first {
			fmt.Fprintf(b, ".SH %s\n", title)
			first = false
		}
		value, usage := pflag.UnquoteUsage(f)
		label := "\\fB" + escape("--"+f.Name) + "\\fR"
		if f.Shorthand != "" {
			label = "\\fB" + escape("-"+f.Shorthand) + "\\fR, " + label
		}
		if value != "" {
			label += " \\fI" + escape(value) + "\\fR"
		}
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", label, escape(usage))
	})
}

// escape escapes text for roff: backslashes, requests at the beginning of a line, and
// hyphens, so that they are printed as ASCII minus signs.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
