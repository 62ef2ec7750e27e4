package detect

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

var options = Options{JSON: json.Options{Leaf: 3000, Record: 6000, Nodes: 1 << 16, Depth: 64}}

const content = "../../../../testdata/content/"

// proven maps the types of labels.tsv to those with a proof. Prose with headings is Markdown to a splitter.
var proven = map[string][]Type{
	"json-array":  {JSONArray},
	"json-object": {JSONObject},
	"ndjson":      {NDJSON},
	"yaml":        {YAML},
	"prose":       {Prose, Markdown},
	"mixed":       {Mixed, Markdown},
	"xml":         {XML},
	"html":        {HTML},
	"csv":         {CSV},
}

func TestCorpus(t *testing.T) {
	labels, err := os.ReadFile(content + "labels.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Fields(strings.ReplaceAll(string(labels), "\t", "|")) {
		name, label, _ := strings.Cut(line, "|")
		b, err := os.ReadFile(content + name)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := proven[label]
		if !ok {
			want = []Type{Unknown}
		}
		got := Detect(b, options).Type
		if got != want[0] && got != want[len(want)-1] {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if hinted := orderProofs("", hintedType("file:///srv/"+name, ""), nil); len(hinted) == 0 {
			t.Errorf("%s: no proof for its name", name)
		}
	}
}

func TestCodeIsNeitherMarkdownNorProse(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"net/http/*.go", "go/*/*.go", "runtime/*.go", "runtime/*.s", "runtime/*/*.c", "encoding/json/*.go",
		"../lib/wasm/*.js", "cmd/asm/internal/asm/testdata/*.s", "*.bash", "../test/*.go",
	} {
		found, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", pattern))
		files = append(files, found...)
	}
	wrong, all := 0, 0
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil || len(b) < 3000 {
			continue
		}
		all++
		if got := Detect(b, options).Type; got != Code && got != Unknown && got != Opaque {
			t.Logf("%s: %s", name, got)
			wrong++
		}
	}
	if all == 0 {
		t.Skip("Go without sources")
	}
	if wrong*50 > all {
		t.Errorf("%d of %d files wrong, want at most 2 %%", wrong, all)
	}
}

const foxes = "The quick brown fox jumps over the lazy dog, and nobody minds that at all.\n"

func TestLookAlikes(t *testing.T) {
	prose := strings.Repeat(foxes, 20)
	for _, c := range []struct {
		rule, text string
		want       Type
	}{
		{"link is no array", "[link](https://example.org) " + prose, Prose},
		{"section of an INI file is no array", "[server]\nhost = a\nport = 1\n[client]\nhost = b\n", INI},
		{"log in brackets is no array", strings.Repeat("[2026-11-21 08:15:00] started the main worker again\n", 9), Log},
		{"draft mark is no object", "{draft} " + prose, Prose},
		{"file listing is no array", strings.Repeat("[FILE] notes.txt\n[DIR] src\n", 9), Unknown},
		{"checklist is no array", "# To do\n\n" + strings.Repeat("- [x] write the next part of the text\n", 8), Markdown},
		{"tasks below headings are no YAML", "# To do\n\n" + strings.Repeat("## Week\n\n- [ ] buy: milk\n- [x] call: bob\n\n", 8), Markdown},
		{"lists below headings are no YAML", "# Changes\n\n" + strings.Repeat("## 1.2\n### Fixed\n- bug: it broke\n- crash\n\n", 8), Markdown},
		{"list with comments of one level is YAML", strings.Repeat("# next\n- name: a\n  value: b\n", 8), YAML},
		{"keys with comments of two levels are YAML", "# Settings\n\n## Part\na: 1\n## Part\nb:\n  - c: 2\n## Part\nd: 3\n", YAML},
		{"one word and colon in prose is no YAML", prose + "Note: this happens.\n" + prose, Prose},
		{"dialogue is no YAML", strings.Repeat("Alice: I went to the market today and bought some apples.\n", 8), Prose},
		{"README that starts with a tag", "<p align=center>\n<img src=a.png>\n</p>\n\n# Name\n\n" + prose, Markdown},
		{"front matter does not make YAML", "---\ntitle: a\ndate: b\n---\n\n# Name\n\n" + prose, Markdown},
		{"fenced YAML does not make YAML", "# Name\n\n" + prose + "```yaml\na: 1\nb: 2\n```\n", Markdown},
		{"fences below labels are no YAML", "# Files\n\nThe nodes:\n\n```yaml\n" + strings.Repeat("key: value\nmore:\n  - a: 1\n", 150) + "```\n\nThe rest:\n\n```\na: 1\n```\n", Mixed},
		{"much fenced code", "# Name\n\n" + prose + "```yaml\n" + strings.Repeat("key: value\n", 150) + "```\n", Mixed},
		{"setext headings", "Name\n====\n\n" + prose + "\nMore\n----\n\n" + prose, Markdown},
		{"comments of a shell script", "#!/bin/sh\n# Start the thing\n# and wait for it\n" + strings.Repeat("run --now \"$1\" || exit 1\n# again\n", 9), Code},
		{"comments of Python", strings.Repeat("# Compute the next value of it\nx = f(x, 1)\nif x > 3:\n    return x\n", 9), Code},
		{"comments of YAML", strings.Repeat("# How many of them there are\nreplicas: 3\nname: web\n", 9), Unknown},
		{"comment above YAML of long texts", strings.Repeat("# Texts\ntext: |\n    "+strings.TrimSuffix(foxes, "\n")+"\n    "+foxes, 9), Unknown},
		{"stacked comments", strings.Repeat("# one two three four five\n# one two three four five\nPort 22 is the usual one here\n", 9), Unknown},
		{"doc comments of C", strings.Repeat("/**\n * This does something with it and returns that.\n * It may fail for many reasons.\n */\nint f(int);\n", 9), Unknown},
		{"list of words", strings.Repeat("- one\n- two\n", 9), YAML},
		{"list of mappings", "- name: a\n  value: b\n- name: c\n", YAML},
		{"quoted keys", "\"a b\": 1\n'c': 2\n", YAML},
		{"compose file", "services:\n  web:\n    image: a:1\n    ports: [\"80:80\"]\nvolumes:\n  data:\n", YAML},
		{"workflow of comments and a script", "# Build\non: push\njobs:\n  a:\n    # why\n    steps:\n    - run: |\n        make\n        # test\n        make test\n", YAML},
		{"texts of an application", "en:\n  hello: \"Hello, %{name}\"\n  errors:\n    blank: can't be blank\n    long: is too long, it has more than %{n} characters\n", YAML},
		{"stream of documents", "---\n# Source: a\nkind: A\nspec: {}\n---\nkind: B\n", YAML},
		{"list of sentences is no YAML", strings.Repeat("- "+foxes, 9), Prose},
		{"help of a command is no YAML", "Usage:\n  tool [command]\n\nAvailable Commands:\n  get     Display one or many\n  apply   Change them by file\n  delete  Remove one or many\n\nFlags:\n  -h, --help   help for tool\n", Unknown},
		{"mail header and text is no YAML", "From: a@example.org\nSubject: hello\n\n" + prose, Prose},
		{"diff", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n- " + foxes + "+ " + foxes, Diff},
		{"CSV", strings.Repeat("1,ab,2.5,\"x, y\"\n", 20), CSV},
		{"syslog", strings.Repeat("Nov 21 08:15:00 host sshd[12]: Accepted key for the user at last\n", 9), Log},
		{"XML", "<?xml version=\"1.0\"?>\n<a>\n" + prose + "</a>\n", XML},
		{"XML that is cut off", "<?xml version=\"1.0\"?>\n<a>\n" + prose, Unknown},
		{"components of MDX", "<Card title={name}>\n\n" + prose + "</Card>\n\n# Name\n\n" + prose, Markdown},
		{"README that starts with balanced tags", "<div><b>Name</b></div>\n\n# Name\n\n" + prose, Markdown},
		{"HTML", "<!doctype html>\n<h1>Name</h1>\n" + prose, HTML},
		{"JSON then a remark", "{\"a\":1}\nShowing 1 of 7 rows, ask for more if you need them.\n", Mixed},
		{"trailing comma", `{"a":1,}`, Unknown},
		{"comments in JSON", "{\n// one\n\"a\":1}", Unknown},
		{"cut-off JSON", `{"a":[1,2,{"b":"` + prose, Unknown},
		{"BOM and JSON", "\xef\xbb\xbf[1]", JSONArray},
		{"BOM and Markdown", "\xef\xbb\xbf# Name\n\n" + prose, Markdown},
		{"CRLF", strings.ReplaceAll("# Name\n\n"+prose, "\n", "\r\n"), Markdown},
		{"NDJSON with a bad line", strings.Repeat("{\"a\":1}\n", 20) + "oops\n", NDJSON},
		{"values glued together", `{"a":1}{"b":2}`, NDJSON},
		{"string at the top", `"text"`, JSONScalar},
		{"number at the top", "12", Unknown},
		{"prose without blanks between words", strings.Repeat("これは文章です。言葉の間に空白はありません。\n", 9), Prose},
		{"HCL", "# a\nvariable \"a\" {\n  type = string\n}\nlocals {\n  b = 1\n}\n", HCL},
		{"rules of CSS are no HCL", strings.Repeat("a {\n  color: red;\n}\n", 9), Code},
		{"settings of nginx are no HCL", strings.Repeat("server {\n  listen 80;\n}\n", 9), Unknown},
		{"makefile", "A = 1\nall: b\n\techo $(A)\nb: c\n\ttouch $@\n", Makefile},
		{"YAML with variables is no makefile", "a: $(B)\nc:\n  d: $(E)\nf: g\n", YAML},
		{"Dockerfile", "# a\nARG B\nFROM c AS d\nRUN e \\\n  f\nCMD [\"g\"]\n", Dockerfile},
		{"a test with JSON in a string", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tcheck(t, `\n" + rows(90) + "\n`)\n}\n", Code},
		{"imports of Python are no Dockerfile", strings.Repeat("from a import b\ny = b(1)\n", 9), Unknown},
		{"sentences are no Dockerfile", strings.Repeat("From here run to the end of it, and copy all that you find.\n", 9), Prose},
		{"catalog of gettext", "# a\nmsgid \"\"\nmsgstr \"\"\n\nmsgid \"b\"\nmsgstr \"c\"\n", Gettext},
		{"invalid UTF-8", prose + "\xff", Opaque},
		{"UTF-16", "a\x00b\x00c\x00d\x00", Opaque},
		{"encoded surrogate", "\xed\xa0\x80" + prose, Opaque},
		{"JSON in invalid UTF-8", "[\"\xff\"]", Opaque},
		{"nothing", "", Unknown},
		{"white space", " \n\t\n", Unknown},
	} {
		if got := Detect([]byte(c.text), options).Type; got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

func TestHintsOrderButDoNotProve(t *testing.T) {
	markdown := "# Name\n\n" + strings.Repeat(foxes, 8)
	for _, c := range []struct {
		rule, text, hint, mime string
		want                   Type
	}{
		{"JSON in a .md file", "[1]", "notes.md", "", JSONArray},
		{"Markdown in a .json file", markdown, "https://h/x.json?raw=1", "", Markdown},
		{"Markdown with the media type of JSON", markdown, "", "application/json; charset=utf-8", Markdown},
		{"settings below headings in a .md file", strings.Repeat("## Name\nkey: value\nother: value\n", 9), "env.md", "", Markdown},
		{"commands below headings in a .md file", "# Git\n" + strings.Repeat("## commit\n    git commit -m x\n", 9), "sheet.md", "", Markdown},
		{"headings in HTML in a .md file", "---\ntitle: a\n---\n" + strings.Repeat("<h2>Name</h2>\n\nkey: value\n\n* one\n\n", 9), "a.md", "", Markdown},
		{"two headings do not decide", "# Name\nkey: value\n# More\nother:\n  - value\n", "env.md", "", YAML},
		{"JSON in a .log file", "[1]", "/var/x.log", "", JSONArray},
		{"text in a file of a type without proof is not guessed at", markdown, "x.CLJ", "", Unknown},
		{"name of a Dockerfile", "FROM a\n", "/srv/Dockerfile", "", Dockerfile},
		{"name of a Dockerfile with an extension", "FROM a\n", "/srv/Dockerfile.dev?x=1", "", Dockerfile},
		{"extension of a Dockerfile", "FROM a\n", "web.dockerfile", "", Dockerfile},
		{"media type of a Dockerfile", "ARG A\nFROM a\nRUN b\n", "", "text/x-dockerfile; charset=utf-8", Dockerfile},
		{"name of a makefile", "a: b\n", "GNUmakefile", "", Makefile},
		{"extension of a makefile", "A = 1\n", "rules.mk", "", Makefile},
		{"variables of Terraform", "a = 1\nb = [2]\n", "prod.auto.tfvars", "", HCL},
		{"catalog with one message", "msgid \"a\"\nmsgstr \"\"\n", "de.po", "", Gettext},
		{"known extension after the name of a makefile", markdown, "Makefile.md", "", Markdown},
		{"prose in a makefile", strings.Repeat(foxes, 8), "Makefile", "", Prose},
		{"name without extension is no hint", markdown, "/srv/README", "", Markdown},
		{"text/plain is no hint", markdown, "", "text/plain", Markdown},
	} {
		o := options
		o.Hint, o.MIME = c.hint, c.mime
		if got := Detect([]byte(c.text), o).Type; got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

func TestForcedTypeIsTheOnlyOneTried(t *testing.T) {
	for _, c := range []struct {
		force Type
		text  string
		want  Type
	}{
		{Markdown, "# a\nx = 1;\n", Markdown},
		{Markdown, `{"a":1}`, Unknown},
		{Prose, "x = 1;\n", Prose},
		{JSON, `{"a":1}`, JSONObject},
		{JSONArray, `{"a":1}`, JSONObject},
		{NDJSON, `{"a":1}`, Unknown},
		{"yaml", "# a\n\n" + foxes, Unknown},
	} {
		if got := Detect([]byte(c.text), Options{Force: c.force, JSON: options.JSON}).Type; got != c.want {
			t.Errorf("%s forced on %q: %s, want %s", c.force, c.text, got, c.want)
		}
	}
}

// No text is an error, and the result for JSON, Markdown and prose contains the findings of the proof.
func FuzzDetect(f *testing.F) {
	for _, text := range []string{"# a\n\n" + foxes, `[{"a":1}]`, "{}\n{}\n", "a: b\n", "\xff", "<a>", "```\n# x\n"} {
		f.Add([]byte(text), "x.md")
	}
	f.Fuzz(func(t *testing.T, b []byte, hint string) {
		o := options
		o.Hint = hint
		r := Detect(b, o)
		switch r.Type {
		case JSONArray, JSONObject, JSONScalar, NDJSON:
			if r.JSON == nil {
				t.Fatalf("%s without nodes", r.Type)
			}
		case Mixed:
			if (r.Doc == nil) == (r.Parts == nil) || r.Parts != nil && len(r.Parts.Parts) < 2 {
				t.Fatalf("%+v", r)
			}
		case Markdown, Prose:
			if r.Doc == nil || r.Type != Prose && len(r.Doc.Headings) == 0 {
				t.Fatalf("%s without headings", r.Type)
			}
		}
		if (r.Confidence == None) != (r.Type == Unknown) {
			t.Fatalf("%s is %s", r.Type, r.Confidence)
		}
	})
}

// A template of YAML that begins with an action is YAML without its name.
func TestTemplatesOfYAML(t *testing.T) {
	const text = "{{- /*\nOf a chart: it's generated.\n*/ -}}\n{{- if .Values.a }}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n" +
		"  name: {{ include \"x\" . | quote }}\n  labels:\n    {{- toYaml . | nindent 4 }}\ndata:\n  a.json: |-\n    {{`{\"b\":`}}{{ .c }}\n{{- end }}\n"
	for _, hint := range []string{"", "a.yaml", "a.yml", "a.tpl"} {
		o := options
		o.Hint = hint
		if got := Detect([]byte(text), o).Type; got != YAML {
			t.Errorf("%q: %s", hint, got)
		}
	}
}
