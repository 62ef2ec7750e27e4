package secret

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// ErrVariable is the error for a ${VAR} that is set neither in the environment nor in
// secrets.yaml. It is also an abi.ErrConfig.
var ErrVariable = fmt.Errorf("%w: variable not set", abi.ErrConfig)

// ClientDirVariable is the variable for the working directory of the client that a
// session belongs to. Only clients that start `mcpctl mcp` have one. It is never read
// from the environment or from secrets.yaml.
const ClientDirVariable = "MCPCTL_CLIENT_CWD"

// Lookup returns the value of a variable.
type Lookup func(name string) (Value, bool)

// Template is a string with ${VAR} references; $${ is a literal ${. A reference
// ${VAR:-text} expands to text if VAR is unset or empty, as in a shell.
//
// The text outside the references and the default of a reference may be credentials,
// so every formatter masks both: "Bearer ${TOKEN}" prints as "***${TOKEN}". The file
// keeps the text unchanged.
//
// The text is stored by reference for the same reason as in Value.
type Template struct {
	raw *string
	At  strictyaml.Position
}

type templatePart struct {
	text       string
	isRef      bool // text is the name of a variable
	hasDefault bool
	fallback   string // the default, if hasDefault
}

// value returns the text that a reference expands to.
func (p templatePart) value(lookup Lookup) (string, bool) {
	v, ok := lookup(p.text)
	if p.hasDefault && (!ok || v.Reveal() == "") {
		return p.fallback, true
	}
	return v.Reveal(), ok
}

// ParseTemplate returns the Template of a text.
//
// It returns abi.ErrConfig for a ${ without }, for a name that does not match
// [A-Za-z_][A-Za-z0-9_]*, and for a reference inside a default. The error does not
// contain any part of s.
func ParseTemplate(s string) (Template, error) {
	if _, why := splitTemplate(s); why != "" {
		return Template{}, fmt.Errorf("%w: value %s", abi.ErrConfig, why)
	}
	return Template{raw: &s}, nil
}

// Unchecked returns the Template of a part of a valid Template. If the part is not
// valid by itself, it prints as an empty text.
func Unchecked(s string) Template { return Template{raw: &s} }

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
			return nil, "has ${ without }, write $${ for a literal ${"
		}
		name, fallback, hasDefault := strings.Cut(s[i+2:i+end], ":-")
		if !IsVariable(name) {
			return nil, "has ${...} with an invalid name, want letters, digits and _; write $${ for a literal ${"
		}
		if strings.Contains(fallback, "${") {
			return nil, "has a ${...} inside the default of another, which is not supported"
		}
		if plain += s[:i]; plain != "" {
			parts = append(parts, templatePart{text: plain})
		}
		parts = append(parts, templatePart{text: name, isRef: true, hasDefault: hasDefault, fallback: fallback})
		plain, s = "", s[i+end+1:]
	}
	if plain += s; plain != "" {
		parts = append(parts, templatePart{text: plain})
	}
	return parts, ""
}

// NotVariable is the error text for a name that is not the name of a variable.
const NotVariable = "is not a variable's name, want letters, digits and _"

// IsVariable reports whether s can be the name of a variable.
func IsVariable(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// IsZero reports whether the Template is absent. An empty string is not absent.
func (t Template) IsZero() bool { return t.raw == nil }

// parts splits the text on each call, because it is short and was checked before.
func (t Template) parts() []templatePart {
	p, _ := splitTemplate(t.Source())
	return p
}

// Variables returns the names of all references in order.
func (t Template) Variables() []string {
	var names []string
	for _, p := range t.parts() {
		if p.isRef {
			names = append(names, p.text)
		}
	}
	return names
}

// Required returns the names of the references without a default, in order.
func (t Template) Required() []string {
	var names []string
	for _, p := range t.parts() {
		if p.isRef && !p.hasDefault {
			names = append(names, p.text)
		}
	}
	return names
}

// IsReference reports whether the Template consists only of references without defaults.
func (t Template) IsReference() bool {
	for _, p := range t.parts() {
		if !p.isRef || p.hasDefault {
			return false
		}
	}
	return true
}

// StartsWithReference reports whether the Template begins with a reference.
func (t Template) StartsWithReference() bool {
	parts := t.parts()
	return len(parts) > 0 && parts[0].isRef
}

// Expand replaces the references by their values.
//
// It returns ErrVariable with the name of each variable that is not set and has no
// default.
func (t Template) Expand(lookup Lookup) (Value, error) {
	var b strings.Builder
	var missing []error
	for _, p := range t.parts() {
		if !p.isRef {
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
	return New(b.String()), errors.Join(missing...)
}

// Source returns the text as in the file, including credentials.
func (t Template) Source() string {
	if t.raw == nil {
		return ""
	}
	return *t.raw
}

// String returns the references with the text between them masked.
func (t Template) String() string {
	var b strings.Builder
	for _, p := range t.parts() {
		switch {
		case p.hasDefault && p.fallback != "":
			b.WriteString("${" + p.text + ":-" + mask + "}")
		case p.hasDefault:
			b.WriteString("${" + p.text + ":-}")
		case p.isRef:
			b.WriteString("${" + p.text + "}")
		default:
			b.WriteString(mask)
		}
	}
	return b.String()
}

// MaskDefaults returns the text with the defaults of references masked. The default of
// ClientDirVariable is a path and is kept.
func (t Template) MaskDefaults() string {
	text := t.Source()
	for _, p := range t.parts() {
		if p.hasDefault && p.fallback != "" && p.text != ClientDirVariable {
			text = strings.ReplaceAll(text, "${"+p.text+":-"+p.fallback+"}", "${"+p.text+":-"+mask+"}")
		}
	}
	return text
}

// WithDefaults returns the text with references replaced by their defaults. References
// without a default and to ClientDirVariable are kept.
func (t Template) WithDefaults() string {
	text := t.Source()
	for _, p := range t.parts() {
		if p.hasDefault && p.text != ClientDirVariable {
			text = strings.ReplaceAll(text, "${"+p.text+":-"+p.fallback+"}", p.fallback)
		}
	}
	return text
}

// Format prints String for every verb.
func (t Template) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.String())) }

// MarshalText returns String.
func (t Template) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// LogValue returns String.
func (t Template) LogValue() slog.Value { return slog.StringValue(t.String()) }
