package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// line is a line of the README's table.
type line struct {
	name          string
	without, with int
}

// lines returns the table of the README. Both MCP servers are one line.
func (r report) lines() (list []line) {
	servers := line{name: "two MCP servers"}
	for _, row := range r.Rows {
		switch row.Kind {
		case kindMemory:
			servers.without, servers.with = row.Without.Tokens, row.With.Tokens
		case kindDemo:
			servers.without, servers.with = servers.without+row.Without.Tokens, servers.with+row.With.Tokens
			list = append(list, servers)
		default:
			list = append(list, line{row.Kind, row.Without.Tokens, row.With.Tokens})
		}
	}
	return append(list, line{"total", r.Total.Without.Tokens, r.Total.With.Tokens},
		line{"total, if each request reads the context again", r.Total.Without.Processed, r.Total.With.Processed})
}

// describe returns the figures as text, for screen readers and for the test of the README.
func (l line) describe() string {
	return fmt.Sprintf("%s: %s without, %s with mcpctl", l.name, thousands(l.without), thousands(l.with))
}

func (l line) markdown() string {
	cells := []string{l.name, thousands(l.without), thousands(l.with), ratio(l.without, l.with)}
	if strings.HasPrefix(l.name, "total") {
		cells[2] = "**" + cells[2] + "**"
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// rowOf returns a pattern for the row of a line, with its figures as submatches.
func rowOf(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \| ([\d,]+) \| \**([\d,]+)\** \| [\d.]+ \|$`)
}

// updateReadme writes the figures into the table of a README. It returns an error for a line
// without a row, and for failures: then the figures say nothing about an agent that succeeds.
func updateReadme(file string, r report) error {
	if n := len(r.Failures.Without) + len(r.Failures.With); n > 0 {
		return fmt.Errorf("%s is unchanged, because %d needs were not met", file, n)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, l := range r.lines() {
		row := rowOf(l.name)
		if !row.Match(text) {
			return fmt.Errorf("%s has no row %q with three figures", file, l.name)
		}
		text = row.ReplaceAllLiteral(text, []byte(l.markdown()))
	}
	return os.WriteFile(file, text, 0o644)
}
