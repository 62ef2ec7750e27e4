package object

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

var update = flag.Bool("update", false, "update the golden files")

// TestBadFiles checks that all errors of a file are reported at once, each with file,
// line, column, source line, caret and suggestion.
func TestBadFiles(t *testing.T) {
	for _, path := range glob(t, "testdata/bad/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in, want := ar.Files[0], &ar.Files[1]
			objects, _, err := Decode(in.Name, in.Data)
			if err == nil || objects != nil {
				t.Fatalf("decoded to %v, want errors", objects)
			}
			var all strictyaml.Errors
			if !errors.As(err, &all) || !errors.Is(err, abi.ErrConfig) {
				t.Fatalf("error is %T, want Errors of kind abi.ErrConfig", err)
			}
			compareGolden(t, path, ar, want, err.Error()+"\n")
		})
	}
}

// TestGoodFiles checks the canonical form of each Object, and that it reads back
// unchanged.
func TestGoodFiles(t *testing.T) {
	for _, path := range glob(t, "testdata/good/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			objects, _, err := Decode(ar.Files[0].Name, ar.Files[0].Data)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for i, o := range objects {
				if i > 0 {
					got.WriteString("---\n")
				}
				got.Write(EncodeYAML(o))
				checkRoundTrip(t, o)
			}
			compareGolden(t, path, ar, &ar.Files[1], got.String())
		})
	}
}

func TestBuiltInsReadBack(t *testing.T) {
	for _, o := range BuiltIns() {
		checkRoundTrip(t, o)
	}
}

// checkRoundTrip prints o for the file, as YAML and as JSON, and reads it back.
func checkRoundTrip(t *testing.T, o Object) {
	t.Helper()
	full := toValue(o, unmasked)
	asJSON, err := full.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string][]byte{"YAML": strictyaml.AppendYAML(nil, full), "JSON": asJSON} {
		back, _, err := Decode("again", text)
		if err != nil {
			t.Fatalf("%s of %s does not read back: %v\n%s", form, o.Key(), err, text)
		}
		if !HasSameContent(o, back[0]) {
			t.Errorf("%s of %s changed on the way:\n%s\nread back as\n%s", form, o.Key(), text, strictyaml.AppendYAML(nil, toValue(back[0], unmasked)))
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	return paths
}

func compareGolden(t *testing.T, path string, ar *txtar.Archive, want *txtar.File, got string) {
	t.Helper()
	if *update {
		want.Data = []byte(got)
		if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(want.Data) != got {
		t.Errorf("got:\n%s\nwant:\n%s", got, want.Data)
	}
}

// TestOneDocument has one short document per error, with a part of its text.
func TestOneDocument(t *testing.T) {
	server := func(spec string) string {
		return "kind: Server\nmetadata: {name: files}\nspec:\n  command: [npx]\n" + spec
	}
	project := func(spec string) string {
		return "kind: Project\nmetadata: {name: home}\nspec:\n" + spec
	}
	model := func(spec string) string {
		return "kind: ProxyModel\nmetadata: {name: m}\nspec:\n" + spec
	}
	for _, c := range []struct{ rule, in, want string }{
		{"unknown field", server("  timout: 5s"), `server "files": timout is not a field here, did you mean "timeout"?`},
		{"field one level too high", "timeout: 5s\n" + server(""), "timeout belongs below spec"},
		{"name outside metadata", "name: x\n" + server(""), "name belongs below metadata"},
		{"wrong type", server("  shared: 'yes'"), "shared is a string, want a bool"},
		{"number where a string is wanted", project("  llmProvider: 4"), `put it in quotes: "4"`},
		{"duration without unit", server("  timeout: 60"), "a number needs its unit: 60s"},
		{"negative duration", server("  timeout: -1s"), "timeout is -1s, want 0s to 720h"},
		{"duplicate key", server("  shared: true\n  shared: false"), `key "shared" is written twice, first in line 5`},
		{"duplicate top key", server("kind: Server"), `key "kind" is written twice, first in line 1`},
		{"command and url", server("  url: https://h/mcp"), "url is set together with command"},
		{"neither command nor url", "kind: Server\nmetadata: {name: a}\nspec: {}", "want exactly one of command and url"},
		{"no spec", "kind: Server\nmetadata: {name: a}", "want exactly one of command and url"},
		{"command as string", "kind: Server\nmetadata: {name: a}\nspec: {command: npx -y foo}", "for example [npx, -y, foo]"},
		{"headers without url", server("  headers: {A: b}"), "headers belongs to a server with a url"},
		{"env name", server("  env: {A-B: c}"), "env.A-B is not a variable's name"},
		{"env value", server("  env: {A: [c]}"), "env.A is a list, want a string"},
		{"open reference", server("  env: {A: '${B'}"), "env.A has ${ without }"},
		{"url scheme", "kind: Server\nmetadata: {name: a}\nspec: {url: 'ftp://h/x'}", "url must begin with https:// or http://"},
		{"url with password", "kind: Server\nmetadata: {name: a}\nspec: {url: 'https://u:p@h/x'}", "put credentials into headers"},
		{"name with capital", "kind: Server\nmetadata: {name: Files}\nspec: {command: [a]}", `metadata.name "Files" starts with 'F'`},
		{"name with slash", "kind: Server\nmetadata: {name: ../x}\nspec: {command: [a]}", `starts with '.'`},
		{"unknown kind", "kind: server", `did you mean "Server"?`},
		{"misspelt kind", "kind: Projekt", `did you mean "Project"?`},
		{"no kind", "metadata: {name: x}", "kind is missing"},
		{"list", "- a", "document is a list"},
		{"gated as a word", project("  gated: maybe"), "gated is a string, want a bool"},
		{"bare with two servers", project("  servers: [a, b]\n  toolNames: bare"), "this one has 2"},
		{"server twice", project("  servers: [a, a]"), `servers[1] "a" is written twice`},
		{"proxyMode", project("  proxyMode: proxi"), `want direct or proxy, did you mean "proxy"?`},
		{"glob with a class", project("  proxyModelOverrides: {toolResults: {\"alpha/[\": default}}"), `"alpha/[" contains "[", which no tool name contains; wildcards are * and ?`},
		{"glob that matches nothing", project("  proxyModelOverrides: {toolResults: {get_flows: default}}"), `want for example "*/get_flows" for a tool, or "get_flows/*" for a server`},
		{"tool pattern that is the name that clients use", project("  tools: {deny: [a__get]}"), `tools.deny[0] "a__get" matches no server/tool, want for example "a/get"`},
		{"answer limit below an index", project("  maxAnswerTokens: 500"), "maxAnswerTokens is 500, want 0 for no limit, or at least 2000"},
		{"audit policy", project("  audit: none"), `audit is "none", want best-effort or strict`},
		{"negative answer limit", project("  maxAnswerTokens: -1"), "maxAnswerTokens is -1, want a whole number from 0 to 100000000"},
		{"answer limit as text", project("  maxAnswerTokens: 10k"), `maxAnswerTokens is "10k", want a whole number from 0 to 100000000`},
		{"tools as a list", project("  tools: [a/b]"), "tools is a list, want a mapping"},
		{"tool pattern with a class", project("  tools: {allow: [\"alpha/[ab]\"]}"), `tools.allow[0] "alpha/[ab]" contains "[", which no tool name contains; wildcards are * and ?`},
		{"tool pattern that matches nothing", project("  tools: {deny: [a/b, get_flows]}"), `tools.deny[1] "get_flows" matches no server/tool, want for example "*/get_flows" for a tool, or "get_flows/*" for a server`},
		{"tool pattern that is the name that clients use", project("  tools: {deny: [a__get]}"), `tools.deny[0] "a__get" matches no server/tool, want for example "a/get"`},
		{"tool pattern twice", project("  tools: {deny: [a/b, a/b]}"), `tools.deny[1] "a/b" is written twice`},
		{"tool pattern of another type", project("  tools: {deny: [1]}"), "tools.deny[0] is a number, want a string"},
		{"unknown field of tools", project("  tools: {alow: [a/b]}"), `tools.alow is not a field here, did you mean "allow"?`},
		{"prompt override as glob", project("  proxyModelOverrides: {prompts: {'*': default}}"), "wildcards are not supported here"},
		{"no stages", model("  controller: none"), "stages is missing"},
		{"stage as string", model("  stages: [paginate]"), "want {type: paginate}"},
		{"stage without type", model("  stages: [{config: {}}]"), "stages[0].type is missing"},
		{"onFailure", model("  stages: [{type: a, onFailure: ignore}]"), "want pass, block or placeholder"},
		{"limit", model("  stages: [{type: a, limits: {memory: 1MB}}]"), "want bytes such as 65536, 64KiB or 16MiB"},
		{"appliesTo", model("  stages: []\n  appliesTo: [tools]"), "want prompts, toolResults or resources"},
		{"controllerConfig of none", model("  stages: []\n  controller: none\n  controllerConfig: {a: 1}"), "controller is none"},
		{"controllerConfig of a list", model("  stages: []\n  controller: [{type: gate}]\n  controllerConfig: {a: 1}"), "each entry has its own config"},
		{"controller twice", model("  stages: []\n  controller: [{type: gate}, {type: gate-controller}]"), `controller[1].type "gate" is written twice`},
		{"prompt without project", "kind: Prompt\nmetadata: {name: a}\nspec: {content: x}", "metadata.project is missing"},
		{"priority", "kind: Prompt\nmetadata: {name: a, project: p}\nspec: {content: x, priority: 11}", "want a whole number from 1 to 10"},
		{"link", "kind: Prompt\nmetadata: {name: a, project: p}\nspec: {linkTarget: foo}", "want project/server:resource-uri"},
		{"tag", server("  timeout: !!str 4s"), "tag *** is not supported"},
		{"merge key", server("  <<: {shared: true}"), "merge keys are not supported"},
		{"alias without anchor", server("  timeout: *t"), "alias *** has no anchor *** before it"},
		{"directive", "%YAML 1.2\n---\n" + server(""), "directives are not supported"},
		{"tab", "kind:\tServer\n\tx: y", "YAML does not allow tabs there"},
		{"not UTF-8", "kind: \xff", "byte 0xff is not UTF-8"},
		{"UTF-16", "\xff\xfek\x00i\x00n\x00d\x00", "the file is UTF-16: save it as UTF-8   (f.yaml:1:1)"},
		{"UTF-16, the other way round", "\xfe\xff\x00k\x00i", "the file is UTF-16"},
		{"control character", "kind: a\x01", "control character U+0001"},
		{"line ends of which only the parser knows", "# a server\rkind: Server\r", "carriage return without line feed is not allowed, in double quotes it is \\r   (f.yaml:1:11)"},
		{"same object twice", server("") + "---\n" + server(""), "is in this file twice"},
		{"unquoted reference in a flow list", "kind: Server\nmetadata: {name: a}\nspec:\n  command: [a, ${B}]", `needs quotes: "${NAME}"`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, _, err := Decode("f.yaml", []byte(c.in))
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got:\n%v\nwant it to contain: %s", err, c.want)
			}
		})
	}
}

// TestAccepted checks old and short forms that must remain valid.
func TestAccepted(t *testing.T) {
	m := decodeOne[*ProxyModel](t, "kind: ProxyModel\nmetadata: {name: m}\nspec: {stages: [], controller: gate-controller, appliesTo: [prompt, toolResult, resource]}")
	if got := m.Spec.Controllers[0].Type.Name; got != "gate" {
		t.Errorf("gate-controller reads as %q, want gate", got)
	}
	if got := m.Spec.AppliesTo; len(got) != 3 || !m.Spec.Cacheable {
		t.Errorf("appliesTo %v cacheable %v, want all three and true", got, m.Spec.Cacheable)
	}
	m = decodeOne[*ProxyModel](t, "kind: ProxyModel\nmetadata: {name: m}\nspec: {stages: []}")
	if len(m.Spec.Controllers) != 1 || m.Spec.Controllers[0].Type.Name != DefaultController {
		t.Errorf("without controller: %v, want gate", m.Spec.Controllers)
	}
	m = decodeOne[*ProxyModel](t, "kind: ProxyModel\nmetadata: {name: m}\nspec: {stages: [], controller: none}")
	if len(m.Spec.Controllers) != 0 {
		t.Errorf("controller none: %v", m.Spec.Controllers)
	}
	p := decodeOne[*Project](t, "kind: Project\nmetadata: {name: p}\nspec: {llmProvider: null}")
	if p.Spec.ProxyMode != ModeProxy || p.Spec.ProxyModel.Name != "default" || p.Spec.ToolNames != NamesPrefixed || p.Spec.Gated != nil || p.Spec.LLMProvider != nil {
		t.Errorf("defaults of a project: %+v", p.Spec)
	}
	s := decodeOne[*Server](t, "kind: Server\nmetadata: {name: s}\nspec: {url: 'http://h/mcp', headers: {A: b}, toolCacheTTL: 5m}")
	if s.Spec.ToolCacheTTL.String() != "5m" || s.Spec.Timeout != strictyaml.Duration(DefaultTimeout) {
		t.Errorf("times of a server: %+v", s.Spec)
	}

	if yes := decodeOne[*Project](t, "kind: Project\nmetadata: {name: p}\nspec: {gated: true}"); !p.IsGated() || !yes.IsGated() {
		t.Error("a project without gated is not gated")
	}
	if p = decodeOne[*Project](t, "kind: Project\nmetadata: {name: p}\nspec: {proxyMode: direct, gated: false}"); p.Spec.ProxyMode != ModeDirect || p.IsGated() {
		t.Errorf("direct, not gated: %+v", p.Spec)
	}

	_, warnings, err := Decode("f.yaml", []byte("kind: Project\nmetadata: {name: p}\nspec: {proxyMode: filtered}"))
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings.Error(), "write proxy") {
		t.Errorf("filtered: error %v, warnings %v; want one warning that names proxy", err, warnings)
	}
}

func decodeOne[T Object](t *testing.T, text string) T {
	t.Helper()
	objects, _, err := Decode("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(objects) != 1 {
		t.Fatalf("%d objects, want 1", len(objects))
	}
	return objects[0].(T)
}

// CRLF line ends, a byte order mark and a missing last line end change nothing, and
// positions are those of the file.
func TestLineEnds(t *testing.T) {
	unix := "# c\nkind: Prompt\nmetadata: {name: a, project: p}\nspec:\n  content: |\n    one\n    two\n---\n" + "kind: Server\nmetadata: {name: s}\nspec: {command: [x]}"
	want, _, err := Decode("f.yaml", []byte(unix))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"CRLF": strings.ReplaceAll(unix, "\n", "\r\n"), "mark": "\ufeff" + unix, "last line": unix + "\n"} {
		got, _, err := Decode("f.yaml", []byte(text))
		if err != nil || len(got) != 2 || !HasSameContent(got[0], want[0]) || !HasSameContent(got[1], want[1]) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	_, _, err = Decode("f.yaml", []byte(strings.ReplaceAll(unix+"\nx: 1", "\n", "\r\n")))
	if err == nil || !strings.Contains(err.Error(), "(f.yaml:12:1)") {
		t.Errorf("position in a CRLF file: %v", err)
	}
}

// TestMisplacedFieldsAreFields checks that specFields contains only fields of the specs.
func TestMisplacedFieldsAreFields(t *testing.T) {
	for kind, names := range specFields {
		for _, name := range names {
			in := "kind: " + string(kind) + "\nmetadata: {name: a, project: p}\nspec: {" + name + ": 1}"
			_, _, err := Decode("f", []byte(in))
			if err != nil && strings.Contains(err.Error(), name+" is not a field") {
				t.Errorf("%s has no field %s", kind, name)
			}
		}
	}
}

// TestDocumentsAreIndependent checks that an empty document does not hide others, and
// that the errors of all documents are reported.
func TestDocumentsAreIndependent(t *testing.T) {
	text := "# first\n---\nkind: Server\nmetadata: {name: a}\nspec: {command: [x]}\n---\n# only a comment\n---\n...\n--- # second\nkind: Server\nmetadata: {name: b}\nspec: {command: [y]}\n"
	objects, _, err := Decode("f.yaml", []byte(text))
	if err != nil || len(objects) != 2 {
		t.Fatalf("%d objects, error %v; want 2", len(objects), err)
	}
	_, _, err = Decode("f.yaml", []byte("kind: [\n---\nkind: Server\nmetadata: {name: a}\nspec: {command: [x], shred: true}\n"))
	var all strictyaml.Errors
	if !errors.As(err, &all) || len(all) != 2 || all[1].Line != 5 {
		t.Errorf("got %v, want a syntax error and one in line 5", err)
	}
}

func BenchmarkDecode(b *testing.B) {
	ar, err := txtar.ParseFile("testdata/good/all-kinds.txtar")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(ar.Files[0].Data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Decode("f.yaml", ar.Files[0].Data); err != nil {
			b.Fatal(err)
		}
	}
}
