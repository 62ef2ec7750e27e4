package object

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// FieldError is one mistake in a file.
//
// Its text has up to three parts, a line each: what is wrong, why with the
// place and the source line, and a hint that can be pasted. errors.Is finds
// abi.ErrConfig, for an unset variable also ErrVariable.
type FieldError struct {
	File    string // as shown; empty if the object has no file
	Line    int    // from 1; 0 if unknown
	Column  int    // from 1, in characters
	Object  string // `server "files"`, if known by then
	Path    string // `timeout`, `stages[1].type`; the leading spec. is left out
	Message string // goes on after the path: `is missing`
	Cause   string // more about why; may be empty
	Hint    string // a command; may be empty
	Snippet string // the source line with a caret below; may be empty

	kind error
}

// Unwrap gives the error kind.
func (e *FieldError) Unwrap() error { return e.kind }

// Position is "file:line:column" as far as it is known.
func (e *FieldError) Position() string {
	if e.Line == 0 {
		return e.File
	}
	pos := strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column)
	if e.File == "" {
		return "line " + pos
	}
	return e.File + ":" + pos
}

// What is the first part: `server "files": timeout is missing`.
func (e *FieldError) What() string {
	text := e.Message
	if e.Path != "" {
		text = e.Path + " " + text
	}
	if e.Object != "" {
		text = e.Object + ": " + text
	}
	return text
}

// Error prints all parts.
func (e *FieldError) Error() string {
	text := e.What() + e.why("")
	if e.Hint != "" {
		text += "\nhint: " + e.Hint
	}
	return text
}

// why is the second part: cause, place and source, each line indented.
func (e *FieldError) why(indent string) string {
	var b strings.Builder
	pos := e.Position()
	if pos != "" {
		pos = "(" + pos + ")"
	}
	if e.Cause != "" {
		b.WriteString("\n" + indent + "  " + e.Cause)
	}
	if pos != "" {
		b.WriteString("   " + pos)
	}
	if e.Snippet != "" {
		b.WriteString("\n" + indent + strings.ReplaceAll(e.Snippet, "\n", "\n"+indent))
	}
	return b.String()
}

// maxMistakes is how many mistakes of one file are told; a text made of nothing
// else must not cost more than that.
const maxMistakes = 100

// Errors are all mistakes of one file or one request, in the order of the file.
type Errors []*FieldError

// Full reports whether no more mistakes are told.
func (e Errors) Full() bool { return len(e) >= maxMistakes }

// add appends a mistake; the last one that fits says that there may be more.
func (e *Errors) add(f *FieldError) {
	if e.Full() {
		return
	}
	if len(*e) == maxMistakes-1 {
		f.Cause = "there may be more mistakes, the first ones are told"
	}
	*e = append(*e, f)
}

// Unwrap gives the mistakes to errors.Is and errors.As.
func (e Errors) Unwrap() []error {
	out := make([]error, 0, len(e)+1)
	for _, f := range e {
		out = append(out, f)
	}
	return append(out, abi.ErrConfig)
}

// Error prints all mistakes, their hints last and each once.
func (e Errors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d mistakes", e.place(), len(e))
	var hints []string
	for _, f := range e {
		b.WriteString("\n  " + f.What() + f.why("  "))
		if f.Hint != "" && !slices.Contains(hints, f.Hint) {
			hints = append(hints, f.Hint)
		}
	}
	for _, h := range hints {
		b.WriteString("\nhint: " + h)
	}
	return b.String()
}

// place names the file if all mistakes are in one, else the object, else nothing.
func (e Errors) place() string {
	file, object := "", ""
	for i, f := range e {
		if i == 0 {
			file, object = f.File, f.Object
		}
		if f.File != file {
			file = ""
		}
		if f.Object != object {
			object = ""
		}
	}
	return cmp.Or(file, object, "several files")
}

// Err returns e as an error, or nil if there are no mistakes.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// Sort puts the mistakes of one file into the order of reading.
func (e Errors) Sort() {
	slices.SortStableFunc(e, func(a, b *FieldError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
