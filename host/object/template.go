package object

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// ErrVariable: a ${VAR} is set neither in the environment nor in secrets.yaml.
// It is an abi.ErrConfig too.
var ErrVariable = fmt.Errorf("%w: variable not set", abi.ErrConfig)

// Lookup finds the value of a variable.
type Lookup func(name string) (Secret, bool)

// Template is a string with ${VAR} references; $${ stands for a plain ${.
//
// What is written beside the references may be a credential too, so every
// formatter masks it: "Bearer ${TOKEN}" prints as "***${TOKEN}". The file keeps
// the text as it was written.
//
// The text is held behind a pointer for the same reason as in Secret.
type Template struct {
	raw *string
	At  Position
}

type templatePart struct {
	text string
	ref  bool // text is the name of a variable
}

// ParseTemplate reads s.
//
// Errors: abi.ErrConfig for a ${ without } or with a name that is not
// [A-Za-z_][A-Za-z0-9_]*. The text of the error holds nothing of s.
func ParseTemplate(s string) (Template, error) {
	if _, why := splitTemplate(s); why != "" {
		return Template{}, fmt.Errorf("%w: value %s", abi.ErrConfig, why)
	}
	return Template{raw: &s}, nil
}

func splitTemplate(s string) (parts []templatePart, why string) {
	plain := ""
	for s != "" {
		i := strings.Index(s, "${")
		if i < 0 {
			break
		}
		if i > 0 && s[i-1] == '$' {
			plain += s[:i-1] + "${"
			s = s[i+2:]
			continue
		}
		end := strings.IndexByte(s[i:], '}')
		if end < 0 {
			return nil, "has ${ without }, write $${ for a plain ${"
		}
		name := s[i+2 : i+end]
		if !isVariable(name) {
			return nil, "has ${...} whose name is not letters, digits and _, write $${ for a plain ${"
		}
		if plain += s[:i]; plain != "" {
			parts = append(parts, templatePart{text: plain})
		}
		parts = append(parts, templatePart{text: name, ref: true})
		plain, s = "", s[i+end+1:]
	}
	if plain += s; plain != "" {
		parts = append(parts, templatePart{text: plain})
	}
	return parts, ""
}

func isVariable(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// IsZero reports whether nothing was written, not even an empty string.
func (t Template) IsZero() bool { return t.raw == nil }

// parts splits the text again each time: it is short and was found good.
func (t Template) parts() []templatePart {
	p, _ := splitTemplate(t.source())
	return p
}

// Variables returns the names of the references in order.
func (t Template) Variables() []string {
	var names []string
	for _, p := range t.parts() {
		if p.ref {
			names = append(names, p.text)
		}
	}
	return names
}

// Expand fills in the references.
//
// Errors: ErrVariable, naming each variable that is not set.
func (t Template) Expand(lookup Lookup) (Secret, error) {
	var b strings.Builder
	var missing []error
	for _, p := range t.parts() {
		if !p.ref {
			b.WriteString(p.text)
			continue
		}
		v, ok := lookup(p.text)
		if !ok {
			missing = append(missing, fmt.Errorf("%w: %s", ErrVariable, p.text))
			continue
		}
		b.WriteString(v.Reveal())
	}
	return NewSecret(b.String()), errors.Join(missing...)
}

// source is the text as it stands in the file, credentials included.
func (t Template) source() string {
	if t.raw == nil {
		return ""
	}
	return *t.raw
}

// String prints the references and masks the rest.
func (t Template) String() string {
	var b strings.Builder
	for _, p := range t.parts() {
		if p.ref {
			b.WriteString("${" + p.text + "}")
		} else {
			b.WriteString(mask)
		}
	}
	return b.String()
}

// Format prints String for every verb.
func (t Template) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.String())) }

// MarshalText prints String.
func (t Template) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// LogValue prints String.
func (t Template) LogValue() slog.Value { return slog.StringValue(t.String()) }
