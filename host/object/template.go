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

// Template is a string with ${VAR} references; $${ is a literal ${. A reference
// ${VAR:-text} yields text if VAR is unset or empty, as in a shell.
//
// The text beside the references, and the default of a reference, may be a
// credential too, so every formatter masks both: "Bearer ${TOKEN}" prints as
// "***${TOKEN}". The file keeps the text as it was written.
//
// The text is held behind a pointer for the same reason as in Secret.
type Template struct {
	raw *string
	At  Position
}

type templatePart struct {
	text       string
	ref        bool // text is the name of a variable
	hasDefault bool
	fallback   string // the default, if hasDefault
}

// value returns the text that replaces a reference.
func (p templatePart) value(lookup Lookup) (string, bool) {
	v, ok := lookup(p.text)
	if p.hasDefault && (!ok || v.Reveal() == "") {
		return p.fallback, true
	}
	return v.Reveal(), ok
}

// ParseTemplate reads s.
//
// Errors: abi.ErrConfig for a ${ without }, with a name that is not
// [A-Za-z_][A-Za-z0-9_]* or with a reference inside its default. The text of the error holds nothing of s.
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
		name, fallback, hasDefault := strings.Cut(s[i+2:i+end], ":-")
		if !isVariable(name) {
			return nil, "has ${...} whose name is not letters, digits and _, write $${ for a plain ${"
		}
		if strings.Contains(fallback, "${") {
			return nil, "has a ${...} inside the default of another, which is not supported"
		}
		if plain += s[:i]; plain != "" {
			parts = append(parts, templatePart{text: plain})
		}
		parts = append(parts, templatePart{text: name, ref: true, hasDefault: hasDefault, fallback: fallback})
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

// parts splits the text again each time: it is short and was checked before.
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

// Required returns the names of the references without a default, in order.
func (t Template) Required() []string {
	var names []string
	for _, p := range t.parts() {
		if p.ref && !p.hasDefault {
			names = append(names, p.text)
		}
	}
	return names
}

// Expand fills in the references.
//
// Errors: ErrVariable, naming each variable that is not set and has no default.
func (t Template) Expand(lookup Lookup) (Secret, error) {
	var b strings.Builder
	var missing []error
	for _, p := range t.parts() {
		if !p.ref {
			b.WriteString(p.text)
			continue
		}
		v, ok := p.value(lookup)
		if !ok {
			missing = append(missing, fmt.Errorf("%w: %s", ErrVariable, p.text))
			continue
		}
		b.WriteString(v)
	}
	return NewSecret(b.String()), errors.Join(missing...)
}

// source is the text as written in the file, credentials included.
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
		switch {
		case p.hasDefault && p.fallback != "":
			b.WriteString("${" + p.text + ":-" + mask + "}")
		case p.hasDefault:
			b.WriteString("${" + p.text + ":-}")
		case p.ref:
			b.WriteString("${" + p.text + "}")
		default:
			b.WriteString(mask)
		}
	}
	return b.String()
}

// maskDefaults returns the text as written, with the defaults of references masked.
// That of the client's directory is a path and stays.
func (t Template) maskDefaults() string {
	text := t.source()
	for _, p := range t.parts() {
		if p.hasDefault && p.fallback != "" && p.text != ClientDirVariable {
			text = strings.ReplaceAll(text, "${"+p.text+":-"+p.fallback+"}", "${"+p.text+":-"+mask+"}")
		}
	}
	return text
}

// withDefaults returns the text with the default of each reference in its place; the
// client's directory and references without a default stay.
func (t Template) withDefaults() string {
	text := t.source()
	for _, p := range t.parts() {
		if p.hasDefault && p.text != ClientDirVariable {
			text = strings.ReplaceAll(text, "${"+p.text+":-"+p.fallback+"}", p.fallback)
		}
	}
	return text
}

// Format prints String for every verb.
func (t Template) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.String())) }

// MarshalText prints String.
func (t Template) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// LogValue prints String.
func (t Template) LogValue() slog.Value { return slog.StringValue(t.String()) }
