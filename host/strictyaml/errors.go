package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// FieldError is one error in a file.
//
// Its text has up to three parts, one per line: the error, its cause with the
// position and the source line, and a command that helps. errors.Is finds
// abi.ErrConfig or the kind that was set by SetKind.
type FieldError struct {
	File    string // as shown; empty if the object has no file
	Line    int    // from 1; 0 if unknown
	Column  int    // from 1, in characters
	Object  string // `server "files"`; empty if not known yet
	Path    string // `timeout`, `stages[1].type`; without the leading "spec."
	Message string // continues the path: `is missing`
	Cause   string // may be empty
	Hint    string // a command; may be empty
	Snippet string // the source line and a caret below it; may be empty

	kind error
}

// SetKind sets the error that Unwrap returns.
func (e *FieldError) SetKind(kind error) { e.kind = kind }

// Unwrap returns the kind of the error.
func (e *FieldError) Unwrap() error { return e.kind }

// Position returns "file:line:column" without the parts that are unknown.
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

// Summary returns the first part of the text: `server "files": timeout is missing`.
func (e *FieldError) Summary() string {
	text := e.Message
	if e.Path != "" {
		text = e.Path + " " + text
	}
	if e.Object != "" {
		text = e.Object + ": " + text
	}
	return text
}

// Error returns all parts of the text.
func (e *FieldError) Error() string {
	text := e.Summary() + e.details("")
	if e.Hint != "" {
		text += "\nhint: " + e.Hint
	}
	return text
}

// details returns the second part of the text: cause, position and source line,
// each line indented.
func (e *FieldError) details(indent string) string {
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

// maxErrors is how many errors of one file are reported. It bounds the work for
// a hostile file.
const maxErrors = 100

// Errors are all errors of one file or one request, in the order of the file.
type Errors []*FieldError

// Full reports whether further errors are dropped.
func (e Errors) Full() bool { return len(e) >= maxErrors }

// Add appends an error unless the list is full. The last one that fits notes
// that there may be more.
func (e *Errors) Add(f *FieldError) {
	if e.Full() {
		return
	}
	if len(*e) == maxErrors-1 {
		f.Cause = fmt.Sprintf("only the first %d errors are reported", maxErrors)
	}
	*e = append(*e, f)
}

// Unwrap returns all errors and abi.ErrConfig.
func (e Errors) Unwrap() []error {
	out := make([]error, 0, len(e)+1)
	for _, f := range e {
		out = append(out, f)
	}
	return append(out, abi.ErrConfig)
}

// Error returns the texts of all errors, followed by their hints without duplicates.
func (e Errors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d errors", e.place(), len(e))
	var hints []string
	for _, f := range e {
		b.WriteString("\n  " + f.Summary() + f.details("  "))
		if f.Hint != "" && !slices.Contains(hints, f.Hint) {
			hints = append(hints, f.Hint)
		}
	}
	for _, h := range hints {
		b.WriteString("\nhint: " + h)
	}
	return b.String()
}

// place returns the file that all errors are in, else the object, else "several files".
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

// Err returns e as an error, or nil if e is empty.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// Sort sorts the errors of one file by position.
func (e Errors) Sort() {
	slices.SortStableFunc(e, func(a, b *FieldError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
