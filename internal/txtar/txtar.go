// Package txtar reads and writes the format of examples and test cases: a comment, then
// files, each after a line "-- NAME --".
package txtar

import (
	"slices"
	"strings"
)

// Archive is a parsed text. String returns the text that was parsed, except for carriage
// returns after markers and a missing newline after the last marker.
type Archive struct {
	Comment string
	Files   []File // in order; names may occur twice
}

// File is one file of an Archive. Its text ends in a newline, unless it is empty or the
// archive ends without one.
type File struct{ Name, Text string }

// Parse parses text. Any text is valid.
func Parse(text string) Archive {
	var a Archive
	for line := range strings.Lines(text) {
		name, ok := parseMarker(line)
		switch {
		case ok:
			a.Files = append(a.Files, File{Name: name})
		case len(a.Files) == 0:
			a.Comment += line
		default:
			a.Files[len(a.Files)-1].Text += line
		}
	}
	return a
}

// parseMarker returns the name in a line "-- NAME --".
func parseMarker(line string) (name string, ok bool) {
	name, begins := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	name, ends := strings.CutSuffix(name, " --")
	return name, begins && ends
}

// String returns the text of the Archive.
func (a Archive) String() string {
	var b strings.Builder
	b.WriteString(a.Comment)
	for _, f := range a.Files {
		b.WriteString("-- " + f.Name + " --\n" + f.Text)
	}
	return b.String()
}

// Find returns the index of the first file with a name, or -1.
func (a Archive) Find(name string) int {
	return slices.IndexFunc(a.Files, func(f File) bool { return f.Name == name })
}

// Has reports whether the Archive contains a file with a name.
func (a Archive) Has(name string) bool { return a.Find(name) >= 0 }

// Text returns the text of the first file with a name, or "".
func (a Archive) Text(name string) string {
	if i := a.Find(name); i >= 0 {
		return a.Files[i].Text
	}
	return ""
}

// IsFileText reports whether text can be stored in a file: it ends in a newline and contains no
// marker.
func IsFileText(text string) bool {
	if text != "" && !strings.HasSuffix(text, "\n") {
		return false
	}
	for line := range strings.Lines(text) {
		if _, ok := parseMarker(line); ok {
			return false
		}
	}
	return true
}
