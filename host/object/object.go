package object

import (
	"errors"
	"path"
	"slices"
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

// The Kinds that only a team server stores.
const (
	KindUser           Kind = "User"
	KindGroup          Kind = "Group"
	KindServiceAccount Kind = "ServiceAccount"
	KindRbacBinding    Kind = "RbacBinding"
)

// kindRow is a Kind with its short name on the command line and its directory in the
// home. The directory is "" for a Kind that is not stored in files.
type kindRow struct {
	kind  Kind
	short string
	dir   string
}

// kinds are the Kinds of files.
var kinds = []kindRow{
	{KindServer, "srv", "servers"},
	{KindProject, "prj", "projects"},
	{KindProxyModel, "pm", "proxymodels"},
	{KindPrompt, "pt", "prompts"},
	{KindPromptRequest, "pr", "promptrequests"},
}

// teamKinds are the Kinds that only a team server stores.
var teamKinds = []kindRow{
	{KindUser, "usr", ""},
	{KindGroup, "grp", ""},
	{KindServiceAccount, "sa", ""},
	{KindRbacBinding, "rb", ""},
}

// Kinds returns the Kinds that are stored in files of the home, each after the Kinds that
// it refers to.
func Kinds() []Kind { return kindsOf(kinds) }

// TeamKinds returns the Kinds that only a team server stores, each after the Kinds that it
// refers to. A team server also stores Objects of Kinds.
func TeamKinds() []Kind { return kindsOf(teamKinds) }

// AllKinds returns Kinds and TeamKinds.
func AllKinds() []Kind { return append(Kinds(), TeamKinds()...) }

func kindsOf(rows []kindRow) []Kind {
	out := make([]Kind, len(rows))
	for i, k := range rows {
		out[i] = k.kind
	}
	return out
}

func kindNames(kinds []Kind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return names
}

// ParseKind returns the Kind for a word on the command line: its name in any case,
// singular or plural, or its short name (srv, prj, pm, pt, pr, usr, grp, sa, rb).
func ParseKind(s string) (Kind, bool) {
	low := strings.ToLower(s)
	for _, k := range slices.Concat(kinds, teamKinds) {
		name := strings.ToLower(string(k.kind))
		if low == name || low == name+"s" || low == k.short {
			return k.kind, true
		}
	}
	return "", false
}

// Dir returns the directory of the Kind in the home, or "" for an unknown Kind and for
// those that only a team server stores.
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

// FileName returns the file of the Object, relative to the home, or "" if Objects of its
// Kind are not stored in files. ext includes the dot.
func (k Key) FileName(ext string) string {
	if k.Kind.Dir() == "" {
		return ""
	}
	return path.Join(k.Kind.Dir(), string(k.Project), string(k.Name)+ext)
}

// Check returns an error if no Object can have the Key. Its text continues the name.
func (k Key) Check() error {
	if why := nameFault(string(k.Name)); why != "" {
		return errors.New(why)
	}
	switch {
	case !slices.Contains(AllKinds(), k.Kind):
		return errors.New("is of an unknown kind")
	case k.Kind.IsScoped() && nameFault(string(k.Project)) != "":
		return errors.New("needs its project")
	case !k.Kind.IsScoped() && k.Project != "":
		return errors.New("does not belong to a project")
	}
	return nil
}

// Object is one of *Server, *Project, *ProxyModel, *Prompt, *PromptRequest, *User, *Group,
// *ServiceAccount, *RbacBinding. Objects are immutable and safe for concurrent use.
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
	// Base returns metadata.revision: the revision of the object of a team server that its
	// document was read from, or "". It is not part of the content.
	Base() string
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
	base    string // metadata.revision
}

func (h *header) Key() Key                    { return h.key }
func (h *header) At() strictyaml.Position     { return h.at }
func (h *header) Warnings() strictyaml.Errors { return h.warns }
func (h *header) IsBuiltIn() bool             { return h.builtIn }
func (h *header) Base() string                { return h.base }
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
