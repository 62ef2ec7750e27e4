package object

import (
	"strings"
)

// Kind is the kind of an Object.
type Kind string

// The Kinds that files hold.
const (
	KindServer        Kind = "Server"
	KindProject       Kind = "Project"
	KindProxyModel    Kind = "ProxyModel"
	KindPrompt        Kind = "Prompt"
	KindPromptRequest Kind = "PromptRequest"
)

// kinds describes each Kind: its short name on the command line and its folder
// in the home.
var kinds = []struct {
	kind   Kind
	short  string
	folder string
}{
	{KindServer, "srv", "servers"},
	{KindProject, "prj", "projects"},
	{KindProxyModel, "pm", "proxymodels"},
	{KindPrompt, "pt", "prompts"},
	{KindPromptRequest, "pr", "promptrequests"},
}

// Kinds returns all Kinds in the order in which their references point:
// Servers first, what names them later.
func Kinds() []Kind {
	out := make([]Kind, len(kinds))
	for i, k := range kinds {
		out[i] = k.kind
	}
	return out
}

// ParseKind reads a Kind as people write it on a command line: in any case,
// singular, plural or short (srv, prj, pm, pt, pr).
func ParseKind(s string) (Kind, bool) {
	low := strings.ToLower(s)
	for _, k := range kinds {
		name := strings.ToLower(string(k.kind))
		if low == name || low == name+"s" || low == k.short {
			return k.kind, true
		}
	}
	return "", false
}

// Folder is the folder of the Kind below the home.
func (k Kind) Folder() string {
	for _, row := range kinds {
		if row.kind == k {
			return row.folder
		}
	}
	return ""
}

// Scoped reports whether Objects of the Kind belong to a project.
func (k Kind) Scoped() bool { return k == KindPrompt || k == KindPromptRequest }

// Key addresses an Object. Project is empty for Kinds that have none.
type Key struct {
	Kind    Kind
	Project Name
	Name    Name
}

// String prints the Key as error texts do: `server "files"`, `prompt "home/rules"`.
func (k Key) String() string {
	name := string(k.Name)
	if k.Project != "" {
		name = string(k.Project) + "/" + name
	}
	return strings.ToLower(string(k.Kind)) + ` "` + name + `"`
}

// Object is one of *Server, *Project, *ProxyModel, *Prompt, *PromptRequest.
// Objects are immutable once read and safe for concurrent use.
type Object interface {
	Key() Key
	// File is where it was read from: relative to the home, or as given to Decode.
	File() string
	// BuiltIn reports whether it is part of the program.
	BuiltIn() bool
	// Errorf makes an error of a place in it.
	Errorf(at Position, path, format string, args ...any) *FieldError

	head() *header
}

// header is what all Kinds share.
type header struct {
	key     Key
	src     *Source
	at      Position // of the document
	text    *string  // the document as written; nil if it was not YAML
	warns   Errors
	builtIn bool
}

func (h *header) Key() Key      { return h.key }
func (h *header) BuiltIn() bool { return h.builtIn }
func (h *header) head() *header { return h }

func (h *header) File() string {
	if h.src == nil {
		return ""
	}
	return h.src.File
}

func (h *header) Errorf(at Position, path, format string, args ...any) *FieldError {
	return h.src.Errorf(at, h.key.String(), path, format, args...)
}

// Name is the Object's name.
func (h *header) Name() Name { return h.key.Name }
