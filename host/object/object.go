package object

import (
	"errors"
	"path"
	"strings"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Kind is the kind of an Object.
type Kind string

// The Kinds of files.
const (
	KindServer        Kind = "Server"
	KindProject       Kind = "Project"
	KindProxyModel    Kind = "ProxyModel"
	KindPrompt        Kind = "Prompt"
	KindPromptRequest Kind = "PromptRequest"
)

// kinds lists each Kind with its short name on the command line and its directory in
// the home.
var kinds = []struct {
	kind  Kind
	short string
	dir   string
}{
	{KindServer, "srv", "servers"},
	{KindProject, "prj", "projects"},
	{KindProxyModel, "pm", "proxymodels"},
	{KindPrompt, "pt", "prompts"},
	{KindPromptRequest, "pr", "promptrequests"},
}

// Kinds returns all Kinds, each after the Kinds that it refers to.
func Kinds() []Kind {
	out := make([]Kind, len(kinds))
	for i, k := range kinds {
		out[i] = k.kind
	}
	return out
}

func kindNames() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k.kind)
	}
	return names
}

// ParseKind returns the Kind for a word on the command line: its name in any case,
// singular or plural, or its short name (srv, prj, pm, pt, pr).
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

// Dir returns the directory of the Kind in the home, or "" for an unknown Kind.
func (k Kind) Dir() string {
	for _, row := range kinds {
		if row.kind == k {
			return row.dir
		}
	}
	return ""
}

// IsScoped reports whether Objects of the Kind belong to a project.
func (k Kind) IsScoped() bool { return k == KindPrompt || k == KindPromptRequest }

// Key identifies an Object. Project is empty for Kinds that are not scoped.
type Key struct {
	Kind    Kind
	Project Name
	Name    Name
}

// String returns the Key as in error texts: `server "files"`, `prompt "home/rules"`.
func (k Key) String() string {
	name := string(k.Name)
	if k.Project != "" {
		name = string(k.Project) + "/" + name
	}
	return strings.ToLower(string(k.Kind)) + ` "` + name + `"`
}

// FileName returns the file of the Object, relative to the home. ext includes the dot.
func (k Key) FileName(ext string) string {
	return path.Join(k.Kind.Dir(), string(k.Project), string(k.Name)+ext)
}

// Check returns an error if no Object can have the Key. Its text continues the name.
func (k Key) Check() error {
	if why := nameFault(string(k.Name)); why != "" {
		return errors.New(why)
	}
	switch {
	case k.Kind.Dir() == "":
		return errors.New("is of an unknown kind")
	case k.Kind.IsScoped() && nameFault(string(k.Project)) != "":
		return errors.New("needs its project")
	case !k.Kind.IsScoped() && k.Project != "":
		return errors.New("does not belong to a project")
	}
	return nil
}

// Object is one of *Server, *Project, *ProxyModel, *Prompt, *PromptRequest. Objects are
// immutable and safe for concurrent use.
type Object interface {
	Key() Key
	// File returns the file it was read from: relative to the home, or as passed to Decode.
	File() string
	// At returns the position of its document in the file.
	At() strictyaml.Position
	// Warnings returns the warnings of its file. Only DecodeFile sets them.
	Warnings() strictyaml.Errors
	// IsBuiltIn reports whether it is part of the program.
	IsBuiltIn() bool
	// Errorf returns an error at a position in it.
	Errorf(at strictyaml.Position, path, format string, args ...any) *strictyaml.FieldError

	head() *header
}

// header contains the fields that all Kinds have.
type header struct {
	key     Key
	src     *strictyaml.Source
	at      strictyaml.Position // of the document
	text    *string             // the document as in the file; nil if the file was not YAML
	warns   strictyaml.Errors
	builtIn bool
}

func (h *header) Key() Key                    { return h.key }
func (h *header) At() strictyaml.Position     { return h.at }
func (h *header) Warnings() strictyaml.Errors { return h.warns }
func (h *header) IsBuiltIn() bool             { return h.builtIn }
func (h *header) head() *header               { return h }

func (h *header) File() string {
	if h.src == nil {
		return ""
	}
	return h.src.File
}

func (h *header) Errorf(at strictyaml.Position, path, format string, args ...any) *strictyaml.FieldError {
	return h.src.Errorf(at, h.key.String(), path, format, args...)
}

// Name returns the name of the Object.
func (h *header) Name() Name { return h.key.Name }
