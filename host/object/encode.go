package object

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// EncodeJSON returns an Object as one JSON object, with the order and names of its YAML
// and with defaults filled in. Decode reads it back.
//
// Possible credentials are printed as ***. Unmask restores them.
func EncodeJSON(o Object) ([]byte, error) { return toValue(o, masked).MarshalJSON() }

// EncodeRevision returns EncodeJSON with metadata.revision, the revision of an Object of a
// team server. Applied there, it is a conflict if the Object has another revision by then.
func EncodeRevision(o Object, revision string) ([]byte, error) {
	return toDocument(o, revision, masked).MarshalJSON()
}

// EncodeYAML returns an Object as canonical YAML, with possible credentials printed as
// ***. Equal Objects have equal bytes.
func EncodeYAML(o Object) []byte { return strictyaml.AppendYAML(nil, toValue(o, masked)) }

// EncodeFile returns the content of the file of an Object, including credentials.
// ext is the extension of the file. A YAML document is returned as decoded, with
// its comments; any other Object, and one with a revision of a team server, is printed
// canonically.
func EncodeFile(o Object, ext string) []byte {
	if ext == ".md" {
		return EncodePrompt(o)
	}
	if text := o.head().text; text != nil && o.Base() == "" && strings.TrimSpace(*text)[0] != '{' {
		return []byte(strings.TrimSpace(*text) + "\n")
	}
	return strictyaml.AppendYAML(nil, toValue(o, unmasked))
}

// HasSameContent reports whether two Objects are equal, including credentials.
func HasSameContent(a, b Object) bool {
	x, errX := toValue(a, unmasked).MarshalJSON()
	y, errY := toValue(b, unmasked).MarshalJSON()
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// Revision identifies the configuration of the Server, including credentials. A running
// server must be restarted if its Revision changes. It is a hash for comparisons inside
// the daemon; do not show or store it.
func (s *Server) Revision() string {
	running := *s
	running.Spec.Pinning = ""                            // decides what clients see of the server, not how it runs
	text, _ := toValue(&running, unmasked).MarshalJSON() // never fails for a decoded object
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func toValue(o Object, p printer) strictyaml.Value { return toDocument(o, "", p) }

func toDocument(o Object, revision string, p printer) strictyaml.Value {
	key := o.Key()
	meta := strictyaml.Builder{}.Add("name", strictyaml.NewText(string(key.Name)))
	if key.Project != "" {
		meta = meta.Add("project", strictyaml.NewText(string(key.Project)))
	}
	if revision != "" {
		meta = meta.Add("revision", strictyaml.NewText(revision))
	}
	var spec strictyaml.Builder
	switch o := o.(type) {
	case *Server:
		spec = o.Spec.fields(p)
	case *Project:
		spec = o.Spec.fields()
	case *ProxyModel:
		spec = o.Spec.fields()
	case *Prompt:
		spec = o.Spec.fields()
	case *PromptRequest:
		spec = o.Spec.fields()
	case *User:
		spec = o.Spec.fields()
	case *Group:
		spec = o.Spec.fields()
	case *ServiceAccount:
		spec = o.Spec.fields()
	case *RbacBinding:
		spec = o.Spec.fields()
	}
	return strictyaml.Builder{}.
		Add("kind", strictyaml.NewText(string(key.Kind))).
		Add("metadata", meta.Value()).
		Add("spec", spec.Value()).Value()
}

// MarshalJSON returns EncodeJSON.
func (s *Server) MarshalJSON() ([]byte, error) { return EncodeJSON(s) }

// MarshalJSON returns EncodeJSON.
func (p *Project) MarshalJSON() ([]byte, error) { return EncodeJSON(p) }

// MarshalJSON returns EncodeJSON.
func (m *ProxyModel) MarshalJSON() ([]byte, error) { return EncodeJSON(m) }

// MarshalJSON returns EncodeJSON.
func (p *Prompt) MarshalJSON() ([]byte, error) { return EncodeJSON(p) }

// MarshalJSON returns EncodeJSON.
func (p *PromptRequest) MarshalJSON() ([]byte, error) { return EncodeJSON(p) }

// MarshalJSON returns EncodeJSON.
func (u *User) MarshalJSON() ([]byte, error) { return EncodeJSON(u) }

// MarshalJSON returns EncodeJSON.
func (g *Group) MarshalJSON() ([]byte, error) { return EncodeJSON(g) }

// MarshalJSON returns EncodeJSON.
func (a *ServiceAccount) MarshalJSON() ([]byte, error) { return EncodeJSON(a) }

// MarshalJSON returns EncodeJSON.
func (b *RbacBinding) MarshalJSON() ([]byte, error) { return EncodeJSON(b) }
