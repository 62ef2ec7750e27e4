package object

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Decode reads all documents of a YAML or JSON file. Errors show the name file. Warnings
// are for fields that are accepted but should be changed.
//
// It returns strictyaml.Errors with all errors of the file, and no Objects then. Limits
// are those of strictyaml.Parse.
func Decode(file string, data []byte) (objects []Object, warnings strictyaml.Errors, err error) {
	var errs strictyaml.Errors
	src, syntax := newSources(file, string(data))
	seen := make(map[Key]int)
	for _, doc := range strictyaml.Parse(syntax, data, &errs) {
		r := strictyaml.NewReader(src, &errs)
		o := readDocument(r, src, &errs, doc)
		warnings = append(warnings, r.Warnings()...)
		if o == nil {
			continue
		}
		if first, dup := seen[o.Key()]; dup {
			r.Fail(strictyaml.Position{Line: doc.Line, Column: 1}, "", "is in this file twice, first in line %d", first)
		}
		seen[o.Key()] = doc.Line
		objects = append(objects, o)
	}
	if len(errs) > 0 {
		errs.Sort()
		return nil, warnings, errs
	}
	return objects, warnings, nil
}

var (
	hasKind   = regexp.MustCompile(`(?i)\bkind["']?\s*:`)
	hasServer = regexp.MustCompile(`(?i)\bkind["']?\s*:\s*["']?server`)
)

// newSources returns the Source of a file for errors, and that for syntax errors. A file
// without a kind, or with the name of the secrets file, may be one of secrets that somebody
// applies by mistake: errors show nothing of it. A Server may hold credentials, which are
// recognised by its structure only.
func newSources(file, text string) (src, syntax *strictyaml.Source) {
	src = strictyaml.NewSource(file, text)
	switch {
	case !hasKind.MatchString(text), strings.HasSuffix(file, secret.FileName):
		return src.Muted(), src.Muted()
	case hasServer.MatchString(text):
		return src, src.KeysOnly()
	}
	return src, src
}

// failDocument reports a document that is no Object. It may be one of secrets, or the
// configuration of an MCP client.
func failDocument(src *strictyaml.Source, errs *strictyaml.Errors, root strictyaml.Value, path, format string, args ...any) {
	e := src.Muted().Errorf(root.At, "", path, format, args...)
	e.Cause = "no line is shown, because a text without a kind may hold secrets; to store one: mcpctl config set-secret NAME"
	if isClientConfig(root) {
		e.Cause = "this looks like the configuration of an MCP client, whose servers can be imported"
		e.Hint = "mcpctl import FILE"
	}
	errs.Add(e)
}

// isClientConfig reports whether a document has the servers of a client's configuration: a
// mapping whose values have a command or an address.
func isClientConfig(root strictyaml.Value) bool {
	for _, key := range []string{"mcpServers", "servers"} {
		servers, _ := root.Lookup(key)
		for _, f := range servers.Fields {
			for _, name := range []string{"command", "url", "httpUrl", "serverUrl"} {
				if _, ok := f.Value.Lookup(name); ok {
					return true
				}
			}
		}
	}
	return false
}

// DecodeFile reads the only Object of a file in the home, which must have the key.
//
// It returns strictyaml.Errors with all errors of the file.
func DecodeFile(file string, key Key, data []byte) (Object, error) {
	if path.Ext(file) == ".md" {
		return DecodePrompt(file, key, data)
	}
	objects, warnings, err := Decode(file, data)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		if e := CheckStoredInFile(o); e != nil {
			return nil, strictyaml.Errors{e}
		}
	}
	src := strictyaml.NewSource(file, string(data))
	switch {
	case len(objects) == 0:
		return nil, strictyaml.Errors{src.Errorf(strictyaml.Position{Line: 1, Column: 1}, key.String(), "", "file is empty")}
	case len(objects) > 1:
		return nil, strictyaml.Errors{src.Errorf(objects[1].At(), key.String(), "", "file contains %d documents, want one", len(objects))}
	}
	o := objects[0]
	if got := o.Key(); got != key {
		e := src.Errorf(o.At(), "", "", "%s is in the file of %s", got, key)
		e.Cause = "the name of a file is the name of its object: " + got.FileName(path.Ext(file))
		return nil, strictyaml.Errors{e}
	}
	o.head().warns = warnings
	return o, nil
}

// readDocument reads one Object. It returns nil if its Kind is unknown.
func readDocument(r *strictyaml.Reader, src *strictyaml.Source, errs *strictyaml.Errors, doc strictyaml.Document) Object {
	if doc.Root.Type != strictyaml.Map {
		failDocument(src, errs, doc.Root, "", "document is %s, want kind, metadata and spec", doc.Root.Type.WithArticle())
		return nil
	}
	top := r.Mapping(doc.Root, "")
	if _, ok := top.Get("kind"); !ok {
		failDocument(src, errs, doc.Root, "kind", "is missing, want %s", strictyaml.OrList(kindNames(Kinds())))
		return nil
	}
	kind, ok := readKind(top)
	if !ok {
		return nil
	}
	h := header{src: src, at: doc.Root.At, text: &doc.Text}
	h.key.Kind = kind
	readMetadata(top, &h)
	if mayHoldCredential(kind) && h.key.Name != "" {
		r.MaskUnknown()
	}
	spec, ok := top.Get("spec")
	if !ok {
		spec = strictyaml.Value{Type: strictyaml.Map, At: doc.Root.At}
	}
	o := readSpec(r, h, spec)
	top.DoneWithMisplaced(misplacedFields(kind))
	return o
}

// mayHoldCredential reports whether users write credentials into Objects of a Kind: those
// of a Server, or the password or token of an account, which have no field.
func mayHoldCredential(kind Kind) bool {
	return kind == KindServer || kind == KindUser || kind == KindServiceAccount
}

// CheckStoredInFile returns an error for an Object that only a team server stores.
func CheckStoredInFile(o Object) *strictyaml.FieldError {
	if o.Key().Kind.Dir() != "" {
		return nil
	}
	e := o.head().src.Errorf(o.At(), "", "", "%s belongs to a team server, it cannot be stored in the home", o.Key())
	e.Cause = "to use a team server, run mcpctl login URL"
	return e
}

// readKind reads the Kind. It reports false if the rest of the document has no meaning.
// Errors list the Kinds of files, which exist without a team server.
func readKind(m *strictyaml.Mapping) (Kind, bool) {
	names := kindNames(AllKinds())
	v, ok := m.Get("kind")
	if !ok || !m.HasType(v, "kind", strictyaml.String) {
		return "", false
	}
	if slices.Contains(names, v.Text) {
		return Kind(v.Text), true
	}
	hint := suggest.DidYouMean(v.Text, names)
	if k, ok := ParseKind(v.Text); ok {
		hint = `, did you mean "` + string(k) + `"?`
	}
	if hint == "" {
		hint = ", want " + strictyaml.OrList(kindNames(Kinds()))
	}
	m.Fail(v.At, "kind", "%q is unknown%s", strictyaml.Clip(v.Text, 40), hint)
	return "", false
}

func readMetadata(top *strictyaml.Mapping, h *header) {
	v, ok := top.Need("metadata")
	if !ok {
		return
	}
	m := top.Mapping(v, "metadata")
	if name, ok := m.Need("name"); ok {
		h.key.Name = ReadName(m, name, "name")
	}
	if h.key.Kind.IsScoped() {
		if project, ok := m.Need("project"); ok {
			h.key.Project = ReadName(m, project, "project")
		}
	}
	if revision, ok := m.Get("revision"); ok && m.HasType(revision, "revision", strictyaml.String) {
		h.base = revision.Text
	}
	if h.key.Name != "" {
		m.SetObject(h.key.String())
	}
	m.Done()
}

func readSpec(r *strictyaml.Reader, h header, v strictyaml.Value) Object {
	m := r.Mapping(v, "")
	switch h.key.Kind {
	case KindServer:
		return readServer(m, h)
	case KindProject:
		return readProject(m, h)
	case KindProxyModel:
		return readProxyModel(m, h)
	case KindPrompt:
		return readPrompt(m, h)
	case KindUser:
		return readUser(m, h)
	case KindGroup:
		return readGroup(m, h)
	case KindServiceAccount:
		return readServiceAccount(m, h)
	case KindRbacBinding:
		return readRbacBinding(m, h)
	}
	return readPromptRequest(m, h)
}

// specFields are the fields of each spec, for the error of a field that is one level too high.
var specFields = map[Kind][]string{
	KindServer:         {"command", "cwd", "env", "passEnv", "url", "headers", "timeout", "shared", "toolCacheTTL", "pinning"},
	KindProject:        {"proxyMode", "servers", "gated", "proxyModel", "proxyModelOverrides", "tools", "toolNames", "protocol", "llmProvider", "recording", "audit", "auditArguments", "maxAnswerTokens"},
	KindProxyModel:     {"controller", "controllerConfig", "stages", "appliesTo", "cacheable"},
	KindPrompt:         {"priority", "summary", "chapters", "linkTarget", "content"},
	KindPromptRequest:  {"priority", "content"},
	KindUser:           {"email", "disabled"},
	KindGroup:          {"members", "issuerGroup"},
	KindServiceAccount: {"description"},
	KindRbacBinding:    {"subjects", "verbs", "kinds", "names", "projects"},
}

// misplacedFields returns the fields that users write one level too high, with the parent
// that they belong to.
func misplacedFields(kind Kind) map[string]string {
	out := map[string]string{"name": "metadata", "project": "metadata"}
	for _, name := range specFields[kind] {
		out[name] = "spec"
	}
	return out
}
