// Package txtar is the format of examples and cases: a comment, then files, each
// behind a line "-- NAME --". What the files mean is for those who read them.
package txtar

import (
	"slices"
	"strings"
)

// Archive is the text of one file. String gives what Parse has read, but for a
// carriage return behind a marker and a newline that is missing there.
type Archive struct {
	Comment string
	Files   []File // in order; names may occur twice
}

// File is one of an Archive. Its text ends in a newline, unless it is empty or what
// the archive ends with.
type File struct{ Name, Text string }

// Parse reads an Archive; any text is one.
func Parse(text string) Archive {
	var a Archive
	for line := range strings.Lines(text) {
		name, ok := marker(line)
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

// marker is the name in a line "-- NAME --".
func marker(line string) (name string, ok bool) {
	name, begins := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	name, ends := strings.CutSuffix(name, " --")
	return name, begins && ends
}

// String writes an Archive.
func (a Archive) String() string {
	var b strings.Builder
	b.WriteString(a.Comment)
	for _, f := range a.Files {
		b.WriteString("-- " + f.Name + " --\n" + f.Text)
	}
	return b.String()
}

// Find is the position of the first file of a name, -1 if there is none.
func (a Archive) Find(name string) int {
	return slices.IndexFunc(a.Files, func(f File) bool { return f.Name == name })
}

// Has reports whether there is a file of a name.
func (a Archive) Has(name string) bool { return a.Find(name) >= 0 }

// Text is a file as it stands there; empty if there is none.
func (a Archive) Text(name string) string {
	if i := a.Find(name); i >= 0 {
		return a.Files[i].Text
	}
	return ""
}

// Fits reports whether a file can hold a text: it ends a line, and holds no marker.
func Fits(text string) bool {
	if text != "" && !strings.HasSuffix(text, "\n") {
		return false
	}
	for line := range strings.Lines(text) {
		if _, ok := marker(line); ok {
			return false
		}
	}
	return true
}
