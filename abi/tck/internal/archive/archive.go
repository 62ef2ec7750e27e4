// Package archive reads the txtar files of the kit: a comment, then files, each
// behind a line "-- NAME --".
package archive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Archive is a txtar file.
type Archive struct {
	Comment string
	Files   []File // in order
}

// File is one of an Archive.
type File struct{ Name, Text string }

// Parse reads an Archive; any text is one.
func Parse(text string) Archive {
	var a Archive
	for line := range strings.Lines(text) {
		name, begins := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		name, ends := strings.CutSuffix(name, " --")
		switch {
		case begins && ends:
			a.Files = append(a.Files, File{Name: name})
		case len(a.Files) == 0:
			a.Comment += line
		default:
			a.Files[len(a.Files)-1].Text += line
		}
	}
	return a
}

// What is the first line of the comment.
func (a Archive) What() string {
	first, _, _ := strings.Cut(a.Comment, "\n")
	return first
}

// Has reports whether there is a file of a name.
func (a Archive) Has(name string) bool {
	return slices.ContainsFunc(a.Files, func(f File) bool { return f.Name == name })
}

// Get is a file without the newline at its end; empty if there is none.
func (a Archive) Get(name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return strings.TrimSuffix(f.Text, "\n")
		}
	}
	return ""
}

// Decode reads a file of JSON into v, if it is there.
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
