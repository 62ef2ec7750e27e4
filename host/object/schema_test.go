package object_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	compiler "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/host/jsonschema"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// everyField has each field of each Kind and of plugin.yaml at least once.
var everyField = []struct{ schema, text string }{
	{"server.json", `{kind: Server, metadata: {name: a}, spec: {command: [x, 1, true], env: {A: 1, B: "${C}"}, cwd: "~/x", passEnv: [A, B_2], timeout: 1m30s, shared: true, toolCacheTTL: 0, pinning: hold}}`},
	{"server.json", `{kind: Server, metadata: {name: a}, spec: {url: "https://h/x", headers: {X-Y: z}, timeout: .5s, command: null}}`},
	{"project.json", `{kind: Project, metadata: {name: a}, spec: {proxyMode: filtered, servers: [a, b], gated: false, proxyModel: x, toolNames: prefixed, llmProvider: none,
  proxyModelOverrides: {prompts: {p: x}, toolResults: {"*/b": x}, resources: {"": x}},
  tools: {allow: [a/*], deny: ["*"]}, maxAnswerTokens: 0, audit: strict, auditArguments: true}}`},
	{"proxymodel.json", `{kind: ProxyModel, metadata: {name: a}, spec: {controller: gate, controllerConfig: {a: [1]}, appliesTo: [prompt, toolResults], cacheable: false,
  stages: [{type: x, config: {y: {z: null}}, onFailure: block, limits: {time: 1s, memory: 16 MiB, output: 65537, sections: 1, llmTime: 0s, llmRequests: 2}}]}}`},
	{"proxymodel.json", `{kind: ProxyModel, metadata: {name: a}, spec: {stages: [], controller: [{type: gate, config: {}, onFailure: pass, limits: null}]}}`},
	{"prompt.json", `{kind: Prompt, metadata: {name: a, project: p}, spec: {content: "x\ny", priority: 1, summary: s, chapters: [c]}}`},
	{"prompt.json", `{kind: Prompt, metadata: {name: a, project: p}, spec: {linkTarget: "p/s:x://y", priority: 10}}`},
	{"promptrequest.json", `{kind: PromptRequest, metadata: {name: a, project: p}, spec: {content: x, priority: null}}`},
	{"user.json", `{kind: User, metadata: {name: anna}, spec: {email: anna@example.org, disabled: true}}`},
	{"group.json", `{kind: Group, metadata: {name: web}, spec: {members: [anna, ben]}}`},
	{"serviceaccount.json", `{kind: ServiceAccount, metadata: {name: ci}, spec: {description: "builds"}}`},
	{"rbacbinding.json", `{kind: RbacBinding, metadata: {name: web-edits}, spec: {subjects: [{group: web}, {user: anna}, {serviceAccount: ci}],
  verbs: [view, edit, create, delete, run, cache, operate, admin], kinds: [Prompt, Project, RbacBinding], names: ["web-*", "?"], projects: [web]}}`},
	{"plugin.json", `{name: a, abi: 1.0, version: "1", summary: s, license: MIT, kind: stage, transforms: false, llm: optional, capabilities: [llm, cache], notifications: [n], examples: [e],
  config: [{name: k, type: int, default: 3, min: 1, max: 9.5, help: h}, {name: l, type: enum, values: [x], default: x}, {name: m, type: bool, values: ["true"]}]}`},
	{"plugin.json", `{name: a, abi: "1", roles: [{name: r, summary: s, kind: filter, llm: none, config: [], capabilities: [], notifications: [], examples: []}, {name: q, kind: stage, transforms: true}]}`},
	{"plugin.json", `{name: a, abi: 1, kind: controller, capabilities: [session], hooks: [on_initialize, on_tools_list, on_tool_call, on_tool_result, on_close], gatedOnly: true}`},
}

// The schema accepts every document that the decoder accepts.
func TestSchemasAcceptDecodedFiles(t *testing.T) {
	schemas := compileSchemas(t)
	for _, tc := range everyField {
		if err := decodeFor(tc.schema, tc.text); err != nil {
			t.Fatalf("the decoder refuses\n%s\n%v", tc.text, err)
		}
		checkSchema(t, schemas, tc.schema, valueOf(t, tc.text))
	}
	n := 0
	for _, file := range goodFiles(t) {
		for _, doc := range documentsOf(t, file.Name, file.Data) {
			checkSchema(t, schemas, schemaFor(doc), doc)
			n++
		}
	}
	if n < 15 {
		t.Errorf("%d documents looked at, want those of the tests, the built-in models, the plugins and the examples", n)
	}
	for _, o := range object.BuiltIns() {
		b, err := object.EncodeJSON(o)
		if err != nil {
			t.Fatal(err)
		}
		checkSchema(t, schemas, o.Key().Kind.SchemaFile(), valueOf(t, string(b)))
	}
}

// Schema and decoder have the same fields in every mapping, and reject all others.
func TestSchemasHaveFieldsOfDecoder(t *testing.T) {
	schemas := compileSchemas(t)
	known, offered := make(map[string]string), make(map[string]string)
	for _, tc := range everyField {
		root := valueOf(t, tc.text)
		for _, path := range mappings(root, nil) {
			text := textOfValue(t, withField(root, path, "zzzzzzzz", strictyaml.Value{Type: strictyaml.List}))
			err := decodeFor(tc.schema, text)
			if got := schemas[tc.schema].Validate(instance(t, text)); (got == nil) != (err == nil) {
				t.Errorf("unknown field in %s %v: schema: %v, decoder: %v", tc.schema, path, got, err)
			}
			if list := knownFields(err); list != nil { // otherwise any key is allowed, or it is checked by value
				place := anyItem.ReplaceAllString(fmt.Sprint(tc.schema, path), " 0")
				all := append(strings.Fields(known[place]), list...)
				slices.Sort(all)
				known[place] = strings.Join(slices.Compact(all), " ")
				offered[place] = strings.Join(fieldsAt(schemaOf(t, tc.schema), path), " ")
			}
		}
	}
	if len(known) < 20 {
		t.Errorf("%d closed mappings were tried: %v", len(known), known)
	}
	for place, want := range known {
		if offered[place] != want {
			t.Errorf("%s: the schema has\n%s, the decoder\n%s", place, offered[place], want)
		}
	}
}

// anyItem is a list position in the text of a path.
var anyItem = regexp.MustCompile(` \d+`)

// knownFields returns the fields that the decoder lists in the error about an
// unknown one.
func knownFields(err error) []string {
	_, list, ok := strings.Cut(fmt.Sprint(err), "zzzzzzzz is not a field here, known: ")
	if !ok {
		return nil
	}
	list, _, _ = strings.Cut(list, "\n")
	list, _, _ = strings.Cut(list, "(")
	return strings.Split(strings.TrimSpace(list), ", ")
}

// If the decoder accepts another value in a field, the schema accepts it too.
func TestSchemasAreNotStricterThanDecoder(t *testing.T) {
	schemas := compileSchemas(t)
	others := []strictyaml.Value{{}, {Type: strictyaml.Bool, Text: "true"}, {Type: strictyaml.Bool, Text: "false"}, {Type: strictyaml.Number, Text: "0"}, {Type: strictyaml.Number, Text: "1"},
		{Type: strictyaml.Number, Text: "11"}, {Type: strictyaml.Number, Text: "1.5"}, {Type: strictyaml.String}, {Type: strictyaml.String, Text: "x"}, {Type: strictyaml.String, Text: "5s"},
		{Type: strictyaml.String, Text: "1.2"}, {Type: strictyaml.List}, {Type: strictyaml.Map}, {Type: strictyaml.String, Text: "-0s"}, {Type: strictyaml.String, Text: "+1 KiB"}}
	tried, taken, both := 0, 0, 0
	for _, tc := range everyField {
		root := valueOf(t, tc.text)
		for _, path := range mappings(root, nil) {
			for _, name := range valueAt(root, path).Keys() {
				for _, other := range others {
					text := textOfValue(t, withField(root, path, name, other))
					refused := decodeFor(tc.schema, text) != nil
					err := schemas[tc.schema].Validate(instance(t, text))
					tried++
					switch {
					case !refused && err != nil:
						t.Errorf("%s %v.%s = %v: the decoder accepts it, the schema: %v", tc.schema, path, name, other, err)
					case !refused:
						taken++
					case err != nil:
						both++
					}
				}
			}
		}
	}
	// The schema cannot express rules between values, which are few.
	if refused := tried - taken; both*100 < refused*85 {
		t.Errorf("schema refuses %d of the %d wrong values, want 85 %%", both, refused)
	}
}

func FuzzSchemaIsNotStricterThanDecode(f *testing.F) {
	schemas := compileSchemas(f)
	for _, tc := range everyField {
		f.Add(tc.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, _, err := object.Decode("f", []byte(text)); err != nil {
			return
		}
		for _, doc := range documentsOf(t, "f", []byte(text)) {
			checkSchema(t, schemas, schemaFor(doc), doc)
		}
	})
}

func compileSchemas(t testing.TB) map[string]*compiler.Schema {
	t.Helper()
	out := make(map[string]*compiler.Schema)
	for _, s := range allSchemas() {
		doc, err := compiler.UnmarshalJSON(bytes.NewReader(s.Text))
		if err != nil {
			t.Fatal(err)
		}
		c := compiler.NewCompiler()
		if err := c.AddResource(s.Name, doc); err != nil {
			t.Fatal(err)
		}
		if out[s.Name], err = c.Compile(s.Name); err != nil {
			t.Fatalf("%s is no schema: %v", s.Name, err)
		}
	}
	return out
}

// goodFiles returns all YAML files of the repository that the decoder accepts.
func goodFiles(t *testing.T) (files []txtar.File) {
	for _, path := range globFiles(t, "testdata/good/*.txtar") {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, ar.Files[0])
	}
	for _, pattern := range []string{"builtin/*.yaml", "../../plugins/src/*/plugin.yaml", "../../examples/*/*/plugin.yaml"} {
		for _, path := range globFiles(t, pattern) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, txtar.File{Name: filepath.Base(path), Data: b})
		}
	}
	return files
}

func documentsOf(t testing.TB, name string, data []byte) (docs []strictyaml.Value) {
	t.Helper()
	var errs strictyaml.Errors
	for _, d := range strictyaml.Parse(strictyaml.NewSource(name, string(data)), data, &errs) {
		docs = append(docs, d.Root)
	}
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return docs
}

func valueOf(t testing.TB, text string) strictyaml.Value {
	t.Helper()
	return documentsOf(t, "x", []byte(text))[0]
}

func schemaFor(doc strictyaml.Value) string {
	if kind, ok := doc.Lookup("kind"); ok {
		if k := object.Kind(kind.Text); slices.Contains(object.AllKinds(), k) {
			return k.SchemaFile()
		}
	}
	return manifest.SchemaFile
}

func decodeFor(schema, text string) error {
	if schema == manifest.SchemaFile {
		_, err := manifest.Parse([]byte(text), "plugin.yaml")
		return err
	}
	_, _, err := object.Decode("x", []byte(text))
	return err
}

func checkSchema(t testing.TB, schemas map[string]*compiler.Schema, name string, v strictyaml.Value) {
	t.Helper()
	text := textOfValue(t, v)
	if err := schemas[name].Validate(instance(t, text)); err != nil {
		t.Errorf("%s rejects a document that the decoder accepts:\n%s\n%v", name, text, err)
	}
}

func textOfValue(t testing.TB, v strictyaml.Value) string {
	t.Helper()
	b, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func instance(t testing.TB, text string) any {
	t.Helper()
	v, err := compiler.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// mappings returns the paths of all mappings in v, starting with v. A step is a
// key, or a position in a list.
func mappings(v strictyaml.Value, path []any) (paths [][]any) {
	step := func(s any) []any { return append(slices.Clone(path), s) }
	if v.Type == strictyaml.Map {
		paths = append(paths, path)
	}
	for _, f := range v.Fields {
		paths = append(paths, mappings(f.Value, step(f.Name))...)
	}
	for i, item := range v.Items {
		paths = append(paths, mappings(item, step(i))...)
	}
	return paths
}

func valueAt(v strictyaml.Value, path []any) strictyaml.Value {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			v, _ = v.Lookup(s)
		case int:
			v = v.Items[s]
		}
	}
	return v
}

// withField returns v with one field of the mapping at path changed.
func withField(v strictyaml.Value, path []any, name string, to strictyaml.Value) strictyaml.Value {
	if len(path) == 0 {
		v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f strictyaml.Field) bool { return f.Name == name })
		v.Fields = append(v.Fields, strictyaml.Field{Name: name, Value: to})
		return v
	}
	switch s := path[0].(type) {
	case string:
		v.Fields = slices.Clone(v.Fields)
		for i, f := range v.Fields {
			if f.Name == s {
				v.Fields[i].Value = withField(f.Value, path[1:], name, to)
			}
		}
	case int:
		v.Items = slices.Clone(v.Items)
		v.Items[s] = withField(v.Items[s], path[1:], name, to)
	}
	return v
}

func allSchemas() []jsonschema.File { return append(object.Schemas(), manifest.Schema()) }

func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	for _, file := range allSchemas() {
		if file.Name != name {
			continue
		}
		s := new(jsonschema.Schema)
		if err := json.Unmarshal(file.Text, s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Fatalf("no schema %s", name)
	return nil
}

// fieldsAt returns the fields of all forms of the mapping at path.
func fieldsAt(s *jsonschema.Schema, path []any) []string {
	names := make(map[string]bool)
	for _, form := range append([]*jsonschema.Schema{s}, s.AnyOf...) {
		if len(path) == 0 {
			for name := range form.Properties {
				names[name] = true
			}
			continue
		}
		next := form.Items
		if key, ok := path[0].(string); ok {
			next = form.Properties[key]
		}
		if next != nil {
			for _, name := range fieldsAt(next, path[1:]) {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func globFiles(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	return paths
}
