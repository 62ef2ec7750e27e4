// Package stagepage generates the pages about built-in roles from their sources: a page
// about one stage, with its settings and examples, and a page about all roles.
package stagepage

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/internal/txtar"
)

// shownLines is the number of lines shown of the answer of an example.
const shownLines = 14

// Page returns the Markdown page of the stage whose sources are in folder.
//
// Errors: abi.ErrConfig for an invalid plugin.yaml, and for an example that does not
// exist or has no output.
func Page(dir fs.FS) (string, error) {
	text, err := fs.ReadFile(dir, "plugin.yaml")
	if err != nil {
		return "", err
	}
	m, err := manifest.Parse(text, "plugin.yaml")
	if err != nil {
		return "", err
	}
	if len(m.Roles) != 1 {
		return "", fmt.Errorf("%w: plugin.yaml has %d roles, want 1", abi.ErrConfig, len(m.Roles))
	}
	role := m.Roles[0]
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n<!-- Written by go generate ./cmd/mcpctl/... from plugin.yaml and the examples of the stage. -->\n\n", role.Name)
	fmt.Fprintf(&b, "The stage %s. How sections are named and read: [section-ids.md](section-ids.md).\n\n", role.Summary)
	config(&b, role.Config)
	b.WriteString("\n## Examples\n\nThe examples are run as tests. Each line is a section: its id, its bytes in the original, its title.\n")
	for _, name := range role.Examples {
		if err := writeExample(&b, dir, name); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func config(b *strings.Builder, keys []abi.ConfigField) {
	b.WriteString("## Config\n\n")
	table(b, keys)
}

// table lists the settings of a role.
func table(b *strings.Builder, keys []abi.ConfigField) {
	b.WriteString("| key | type | default | description |\n|---|---|---|---|\n")
	for _, k := range keys {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", k.Name, typeOf(k), defaultOf(k), strings.ReplaceAll(k.Help, "|", `\|`))
	}
}

// typeOf is the type of a key with the values or the range it takes.
func typeOf(k abi.ConfigField) string {
	switch {
	case len(k.Values) > 0:
		return strings.Join(k.Values, ", ")
	case k.Min != nil && k.Max != nil:
		return fmt.Sprintf("%s, %s to %s", k.Type, number(*k.Min), number(*k.Max))
	case k.Min != nil:
		return fmt.Sprintf("%s, %s or more", k.Type, number(*k.Min))
	}
	return k.Type
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func defaultOf(k abi.ConfigField) string {
	if len(k.Default) == 0 {
		return "-"
	}
	return "`" + strings.Trim(string(k.Default), `"`) + "`"
}

// writeExample writes the description, the config and the output of an example.
func writeExample(b *strings.Builder, dir fs.FS, name string) error {
	text, err := fs.ReadFile(dir, name)
	if err != nil {
		return err
	}
	a := txtar.Parse(string(text))
	want, done := strings.CutPrefix(a.Text("want"), "done\n")
	if !done || !a.Has("config") || !a.Has("input") {
		return fmt.Errorf("%w: %s has no config, input and want, or does nothing", abi.ErrConfig, name)
	}
	kind, _, _ := strings.Cut(want, ",")
	title := strings.TrimSuffix(path.Base(name), ".txtar")
	fmt.Fprintf(b, "\n### %s: %s\n\n%s\n\nConfig: `%s`\n\n```\n%s```\n", kind, title, strings.TrimSpace(a.Comment), strings.TrimSpace(a.Text("config")), head(want))
	return nil
}

// head returns the first lines of a text, and the number of remaining lines.
func head(text string) string {
	lines := strings.SplitAfter(strings.TrimRight(strings.ReplaceAll(text, "<index>\n", ""), "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	if len(lines) <= shownLines {
		return strings.Join(lines, "")
	}
	return strings.Join(lines[:shownLines-1], "") + fmt.Sprintf("... %d more lines\n", len(lines)-shownLines+1)
}
