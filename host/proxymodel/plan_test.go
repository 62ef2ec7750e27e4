package proxymodel

import (
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

var update = flag.Bool("update", false, "update the golden files")

// roleTable implements Roles with a map.
type roleTable map[string]abi.Role

func (r roleTable) Role(name string) (abi.Role, bool) { role, ok := r[name]; return role, ok }
func (r roleTable) Names() []string                   { return slices.Sorted(maps.Keys(r)) }

const rolesYAML = `
name: builtin
abi: 1
roles:
  - {name: passthrough, kind: stage, transforms: false}
  - {name: paginate, kind: stage, config: [{name: pageSize, type: int, default: 8000, min: 100, max: 100000}]}
  - name: section-split
    kind: stage
    config:
      - {name: leafSize, type: int, default: 3000, min: 100}
      - {name: splitOn, type: enum, values: [auto, headers, blank-lines], default: auto}
      - {name: ratio, type: number, max: 1}
      - {name: keep, type: bool, default: false}
      - {name: tags, type: strings}
      - {name: title, type: string}
      - {name: extra, type: json}
  - {name: summarize-tree, kind: stage, llm: optional, capabilities: [llm]}
  - {name: security-audit, kind: stage, llm: required, capabilities: [llm]}
  - {name: redact, kind: filter, config: [{name: pattern, type: string}]}
  - {name: summarize, kind: stage, llm: required, capabilities: [llm], config: [{name: includeSectionLinks, type: bool}]}
  - {name: index, kind: stage}
  - {name: enhance, kind: stage, llm: required, capabilities: [llm]}
  - {name: compress, kind: stage, llm: optional, capabilities: [llm]}
  - {name: gate, kind: controller, gatedOnly: true, config: [{name: byteBudget, type: int, default: 8192}]}
  - {name: dispatch, kind: controller, config: [{name: threshold, type: int, default: 0}]}
  - {name: steer, kind: controller, llm: required, capabilities: [llm]}
  - {name: narrow, kind: controller, hooks: [on_tool_call], gatedOnly: true, config: [{name: depth, type: int, default: 3}]}
`

func roles(t testing.TB) roleTable {
	t.Helper()
	m, err := manifest.Parse([]byte(rolesYAML), "plugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	table := roleTable{"anything": {Name: "anything", Kind: abi.KindStage}} // a module without manifest
	for _, r := range m.Roles {
		table[r.Name] = r
	}
	return table
}

// load returns the Snapshot of a home with these files.
func load(t testing.TB, files map[string]string) *store.Snapshot {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	if err := store.Prepare(home); err != nil {
		t.Fatal(err)
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(home, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	snap, problems := s.Load()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return snap
}

func model(name, spec string) string {
	return "kind: ProxyModel\nmetadata: {name: " + name + "}\nspec:\n  " + strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  ") + "\n"
}

func compile(t *testing.T, spec string) (*Model, error) {
	t.Helper()
	objects, _, err := object.Decode("m.yaml", []byte(model("m", spec)))
	if err != nil {
		t.Fatal(err)
	}
	return Compile(objects[0].(*object.ProxyModel), roles(t))
}

// All errors are reported together, with position, source line and suggestion.
func TestErrorsOfModels(t *testing.T) {
	paths, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files (%v)", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			objects, _, err := object.Decode(ar.Files[0].Name, ar.Files[0].Data)
			if err != nil {
				t.Fatalf("the file must be valid except for its roles: %v", err)
			}
			errs := Validate(objects[0].(*object.ProxyModel), roles(t))
			if !errors.Is(errs, abi.ErrConfig) {
				t.Fatalf("got %v, want abi.ErrConfig", errs)
			}
			got := errs.Error() + "\n"
			if *update {
				ar.Files[1].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(ar.Files[1].Data); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// The config contains defaults and is canonical.
func TestConfig(t *testing.T) {
	for _, c := range []struct{ rule, stage, want string }{
		{"defaults", "{type: section-split}", `{"keep":false,"leafSize":3000,"splitOn":"auto"}`},
		{"values override defaults", "{type: section-split, config: {splitOn: headers, leafSize: 200, keep: true}}", `{"keep":true,"leafSize":200,"splitOn":"headers"}`},
		{"null selects the default", "{type: section-split, config: {leafSize: null}}", `{"keep":false,"leafSize":3000,"splitOn":"auto"}`},
		{"numbers have one form", "{type: section-split, config: {leafSize: 0x64, ratio: .50}}", `{"keep":false,"leafSize":100,"ratio":0.5,"splitOn":"auto"}`},
		{"strings and JSON", "{type: section-split, config: {tags: [b, a], title: 'x', extra: {b: [null], a: 1.0}}}",
			`{"extra":{"a":1,"b":[null]},"keep":false,"leafSize":3000,"splitOn":"auto","tags":["b","a"],"title":"x"}`},
		{"JSON may be null", "{type: section-split, config: {extra: null}}", `{"extra":null,"keep":false,"leafSize":3000,"splitOn":"auto"}`},
		{"role without config", "{type: passthrough}", `{}`},
		{"module without manifest", "{type: anything, config: {z: 1, a: [true]}}", `{"a":[true],"z":1}`},
	} {
		m, err := compile(t, "stages: ["+c.stage+"]")
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if got := string(m.Steps[0].Config); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.rule, got, c.want)
		}
	}
}

// Steps have the values of their entries, and those that depend on the kind of the role.
func TestSteps(t *testing.T) {
	m, err := compile(t, `
controller: [{type: dispatch, config: {threshold: 5}}, {type: narrow, onFailure: block, limits: {time: 1s}}]
stages:
  - {type: redact, limits: {time: 100ms}}
  - {type: redact, onFailure: pass}
  - {type: passthrough}
  - {type: summarize-tree, onFailure: placeholder}
appliesTo: [toolResults]
cacheable: false
`)
	if err != nil {
		t.Fatal(err)
	}
	var onFailure []string
	for _, s := range m.Steps {
		onFailure = append(onFailure, s.OnFailure)
	}
	if want := []string{"block", "pass", "pass", "placeholder"}; !slices.Equal(onFailure, want) {
		t.Errorf("onFailure %v, want %v", onFailure, want)
	}
	if m.Steps[0].Kind != abi.KindFilter || m.Steps[0].Limits.Time.String() != "100ms" || m.Cacheable {
		t.Errorf("first step %+v, cacheable %v", m.Steps[0], m.Cacheable)
	}
	if len(m.Controllers) != 2 || string(m.Controllers[0].Config) != `{"threshold":5}` || m.Controllers[0].OnFailure != "pass" {
		t.Errorf("controllers %+v", m.Controllers)
	} else if c := m.Controllers[1]; c.Type != "narrow" || string(c.Config) != `{"depth":3}` || c.OnFailure != "block" || !c.GatedOnly ||
		!slices.Equal(c.Hooks, []abi.Hook{abi.OnToolCall}) || c.Limits.Time.String() != "1s" {
		t.Errorf("narrow is %+v", c)
	}
	if !m.Transforms() || !m.Filters() || !m.CanSection() || m.RequiresLLM() != abi.LLMOptional {
		t.Errorf("transforms %v filters %v sections %v llm %s", m.Transforms(), m.Filters(), m.CanSection(), m.RequiresLLM())
	}
	other := m.For(abi.Prompt)
	if other.Applies || len(other.Steps) != 0 || len(other.Controllers) != 2 || other.Transforms() || other.Name != "m" {
		t.Errorf("for content that it does not apply to: %+v", other)
	}
	if m.For(abi.ToolResult) != m {
		t.Error("For returns another model for content that it applies to")
	}
}

// A model requires an LLM if one of its controllers does.
func TestRequiresLLMIncludesControllers(t *testing.T) {
	for spec, want := range map[string]string{
		"stages: []\ncontroller: none":                                  abi.LLMNone,
		"stages: []\ncontroller: dispatch":                              abi.LLMNone,
		"stages: []\ncontroller: steer":                                 abi.LLMRequired,
		"stages: [{type: summarize-tree}]\ncontroller: none":            abi.LLMOptional,
		"stages: [{type: summarize-tree}]\ncontroller: [{type: steer}]": abi.LLMRequired,
	} {
		m, err := compile(t, spec)
		if err != nil || m.RequiresLLM() != want {
			t.Errorf("%q: %v, %v; want %s", spec, m, err, want)
		}
	}
}

// A ProxyModel without controller uses the gate, which is an ordinary controller.
func TestDefaultControllerIsGate(t *testing.T) {
	objects, _, err := object.Decode("m.yaml", []byte(model("m", "stages: []\ncontrollerConfig: {byteBudget: 100}")))
	if err != nil {
		t.Fatal(err)
	}
	m := objects[0].(*object.ProxyModel)
	table := roles(t)
	delete(table, "gate")
	if _, err := Compile(m, table); !errors.Is(err, abi.ErrConfig) {
		t.Errorf("without the role: %v", err)
	}
	table["gate"] = abi.Role{Name: "gate", Kind: abi.KindController, GatedOnly: true,
		Config: []abi.ConfigField{{Name: "byteBudget", Type: "int"}, {Name: "interceptEnabled", Type: "bool", Default: []byte("true")}}}
	got, err := Compile(m, table)
	if err != nil || len(got.Controllers) != 1 || string(got.Controllers[0].Config) != `{"byteBudget":100,"interceptEnabled":true}` || !got.Controllers[0].GatedOnly {
		t.Errorf("with the role: %+v, %v", got, err)
	}
	table["gate"] = abi.Role{Name: "gate", Kind: abi.KindController, Config: []abi.ConfigField{}}
	if _, err := Compile(m, table); !errors.Is(err, abi.ErrConfig) {
		t.Errorf("config that the role does not have: %v", err)
	}
}

// A model with only a stage that does not transform neither transforms nor needs
// read_section.
func TestModelWithoutTransformsIsIdle(t *testing.T) {
	for spec, want := range map[string]bool{
		"stages: []\ncontroller: none":                    false,
		"stages: [{type: passthrough}]":                   false,
		"stages: [{type: passthrough}, {type: paginate}]": true,
	} {
		m, err := compile(t, spec)
		if err != nil {
			t.Fatal(err)
		}
		if m.Transforms() != want || m.CanSection() != want {
			t.Errorf("%q: transforms %v, sections %v; want %v", spec, m.Transforms(), m.CanSection(), want)
		}
	}
}

func TestResolve(t *testing.T) {
	files := map[string]string{
		"proxymodels/a.yaml":        model("a", "stages: [{type: paginate}]"),
		"proxymodels/b.yaml":        model("b", "stages: [{type: section-split}]"),
		"proxymodels/tools.yaml":    model("tools", "stages: [{type: paginate}]\nappliesTo: [toolResult]"),
		"proxymodels/subindex.yaml": model("subindex", "stages: []\ncontroller: none"),
		"proxymodels/broken.yaml":   model("broken", "stages: [{type: pagniate}]"),
		"projects/home.yaml": `kind: Project
metadata: {name: home}
spec:
  proxyModel: tools
  proxyModelOverrides:
    prompts: {security-policy: a, codeReview: b}
    toolResults: {"*/get_*": a, "flows/*": b, "flows/get_flows": default, "x/?": broken, "y/y": nope}
    resources: {"file:///srv/*": a, "file:///srv/secret": b}
`,
		"projects/plain.yaml": "kind: Project\nmetadata: {name: plain}\n",
		"projects/alias.yaml": "kind: Project\nmetadata: {name: alias}\nspec: {proxyModel: index}\n",
	}
	plan := NewPlan(load(t, files), roles(t), nil)
	for _, c := range []struct {
		rule    string
		project string
		t       abi.ContentType
		source  string
		want    string
		steps   int
	}{
		{"project's model", "home", abi.ToolResult, "other/tool", "tools", 1},
		{"project's model does not apply to prompts", "home", abi.Prompt, "other", "tools", 0},
		{"prompt by name", "home", abi.Prompt, "security-policy", "a", 1},
		{"prompt of a server by name only", "home", abi.Prompt, "files/codeReview", "b", 1},
		{"glob", "home", abi.ToolResult, "node-red/get_nodes", "a", 1},
		{"first of two globs", "home", abi.ToolResult, "flows/get_other", "a", 1},
		{"second glob", "home", abi.ToolResult, "flows/list", "b", 1},
		{"glob over a tool with slashes", "home", abi.ToolResult, "flows/a/b", "b", 1},
		{"exact before glob", "home", abi.ToolResult, "flows/get_flows", "default", 2},
		{"overrides of tools do not apply to resources", "home", abi.Resource, "flows/list", "tools", 0},
		{"resource by glob", "home", abi.Resource, "file:///srv/x/y", "a", 1},
		{"resource by URI", "home", abi.Resource, "file:///srv/secret", "b", 1},
		{"no model in the project", "plain", abi.Resource, "x", "default", 2},
		{"alias of a local model", "alias", abi.ToolResult, "x/y", "subindex", 0},
	} {
		m, err := plan.Resolve(c.project, c.t, c.source)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if m.Name != c.want || len(m.Steps) != c.steps {
			t.Errorf("%s: %s with %d steps, want %s with %d", c.rule, m.Name, len(m.Steps), c.want, c.steps)
		}
	}

	if _, err := plan.Resolve("hom", abi.ToolResult, "a/b"); !errors.Is(err, abi.ErrNotFound) || !strings.Contains(err.Error(), `did you mean "home"?`) {
		t.Errorf("unknown project: %v", err)
	}
	for _, c := range []struct{ source, brief, detail string }{
		{"x/1", `proxymodel "broken" has mistakes, nothing is shown: see mcpctl describe proxymodel broken`,
			`proxymodel "broken": stages[0].type "pagniate" not found, did you mean "paginate"?`},
		{"y/y", `project "home" names a proxymodel that is not there, nothing is shown: see mcpctl describe project home`,
			`project "home": proxyModelOverrides.y/y "nope" not found`},
	} {
		_, err := plan.Resolve("home", abi.ToolResult, c.source)
		if err == nil || err.Error() != c.brief { // for clients: one line without file
			t.Errorf("%s: got %v, want %s", c.source, err, c.brief)
		}
		var detail *strictyaml.FieldError
		if !errors.As(err, &detail) || detail.Summary() != c.detail || detail.Position() == "" {
			t.Errorf("%s: error %v, want %s", c.source, detail, c.detail)
		}
	}
	if _, err := plan.Model("defualt"); !errors.Is(err, abi.ErrNotFound) || !strings.Contains(err.Error(), `did you mean "default"?`) {
		t.Errorf("unknown model: %v", err)
	}
	if m, err := plan.Model("gated"); err != nil || m.Name != "default" || !m.BuiltIn {
		t.Errorf("gated: %v, %v", m, err)
	}
	if problems := plan.Problems(); len(problems) != 2 {
		t.Errorf("problems: %v, want the invalid model and the dangling reference", problems)
	}
	for name, want := range map[string]bool{"home": true, "plain": true, "alias": false} {
		p, err := plan.Project(name)
		if err != nil || p.CanSection() != want || p.Transforms() != want {
			t.Errorf("%s: sections %v transforms %v, %v; want %v", name, p.CanSection(), p.Transforms(), err, want)
		}
	}
}

// Resolve is called for every piece of content.
func TestResolveDoesNotAllocate(t *testing.T) {
	plan := NewPlan(load(t, map[string]string{
		"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {proxyModelOverrides: {toolResults: {\"*/get_flows\": ungated-subindex, \"a*b*c*d*\": default}}}\n",
	}), roles(t), nil)
	for _, source := range []string{"node-red/get_flows", "files/read", strings.Repeat("ab", 500)} {
		if n := testing.AllocsPerRun(100, func() {
			if _, err := plan.Resolve("home", abi.ToolResult, source); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%.20s: %v allocations", source, n)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	plan := NewPlan(load(b, map[string]string{
		"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {proxyModelOverrides: {toolResults: {\"*/get_flows\": subindex, \"files/*\": default}}}\n",
	}), roles(b), nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := plan.Resolve("home", abi.ToolResult, "node-red/search_messages"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewPlan(b *testing.B) {
	snap, table := load(b, map[string]string{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\n"}), roles(b)
	b.ReportAllocs()
	for b.Loop() {
		NewPlan(snap, table, nil)
	}
}

// The errors of one object have their position in the file. A project reports a broken
// model at the field that refers to it.
func TestErrorsOfOneObject(t *testing.T) {
	snap := load(t, map[string]string{
		"proxymodels/fine.yaml":   model("fine", "stages: [{type: passthrough}]"),
		"proxymodels/broken.yaml": model("broken", "stages: [{type: pagniate}, {type: paginate, config: {nope: 1}}]"),
		"projects/home.yaml": `kind: Project
metadata: {name: home}
spec:
  servers: [gone]
  proxyModel: broken
  proxyModelOverrides:
    toolResults: {"a/b": nope, "c/d": nape, "e/f": fine}
`,
	})
	plan := NewPlan(snap, roles(t), nil)
	for _, c := range []struct {
		key  object.Key
		want []string
	}{
		{object.Key{Kind: object.KindProxyModel, Name: "fine"}, nil},
		{object.Key{Kind: object.KindProxyModel, Name: "absent"}, nil},
		{object.Key{Kind: object.KindProxyModel, Name: "broken"}, []string{"stages[0].type broken.yaml:4:19", "stages[1].config.nope broken.yaml:4:56"}},
		{object.Key{Kind: object.KindProject, Name: "home"}, []string{
			"servers[0] home.yaml:4:13", "proxyModelOverrides.toolResults.a/b home.yaml:7:26",
			"proxyModelOverrides.toolResults.c/d home.yaml:7:39", "proxyModel home.yaml:5:15"}},
	} {
		var got []string
		for _, e := range plan.ObjectErrors(c.key) {
			got = append(got, e.Path+" "+filepath.Base(e.Position()))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: got %q, want %q", c.key, got, c.want)
		}
	}
}
