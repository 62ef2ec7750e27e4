// Package archive reads the txtar files of the conformance kit.
package archive

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/txtar"
)

// Archive is a txtar file.
type Archive struct{ txtar.Archive }

// Parse reads an Archive. Any text is valid.
func Parse(text string) Archive { return Archive{txtar.Parse(text)} }

// Summary returns the first line of the comment.
func (a Archive) Summary() string {
	first, _, _ := strings.Cut(a.Comment, "\n")
	return first
}

// Get returns a file without the newline at its end; empty if there is none.
func (a Archive) Get(name string) string { return strings.TrimSuffix(a.Text(name), "\n") }

// Decode reads a file of JSON into v, if it exists.
func (a Archive) Decode(name string, v any) error {
	if !a.Has(name) {
		return nil
	}
	if err := json.Unmarshal([]byte(a.Get(name)), v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Pairs reads a file of lines KEY: VALUE.
func (a Archive) Pairs(name string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(a.Get(name)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		m[key] = value
	}
	return m
}
