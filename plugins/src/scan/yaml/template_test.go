package yaml

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

func TestFillActions(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"an action in a line", "a: {{ b }} c\n", "a: ....... c\n"},
		{"a line of one action", "  {{- if .a }}\nb: 1\n", "  #...........\nb: 1\n"},
		{"a line of several actions", "{{ a }} {{- b }}\t\n", "#...... ........\t\n"},
		{"an action before text", "{{ a }}b\n", ".......b\n"},
		{"an action after a line", "b\n{{ a }}", "b\n!......"},
		{"an action that opens a block", "b\n{{- if .a }}\nc\n{{- end }}\n", "b\n#...........\nc\n!.........\n"},
		{"an action before a comment", "{{ a }} # b\n", "#...... # b\n"},
		{"a comment of several lines", "{{- /*\n}} a: \"\n*/ -}}\nb: 1\n", "#....................\nb: 1\n"},
		{"braces in strings", "a: {{ \"}}\\\"}}\" }}{{ `{{` }}{{ '\\'' }}\n", "a: ..................................\n"},
		{"an action in quotes", "a: \"{{ b }}\"\n", "a: \".......\"\n"},
		{"line ends of Windows", "{{ a }}\r\nb: {{ c }}\r\n", "#......\r\nb: .......\r\n"},
		{"a byte order mark", "\ufeff{{ a }}\n", "\ufeff#......\n"},
		{"a statement of Jinja", "{%- if a %}\nb: 1\n{% endif %}\n", "#..........\nb: 1\n!..........\n"},
		{"a comment of Jinja", "a: 1\n{# }} '\n #}\nb: 1\n", "a: 1\n#..........\nb: 1\n"},
		{"a brace of Jinja in a string", "{% set a = '%}' %}\n", "#.................\n"},
		{"a statement without an end", "a: {{ b }}\n{% if c }}\nd: 1\n", ""},
		{"no action", "a: {b: c}\n", ""},
		{"an action without an end", "a: {{ b }}\nc: {{ d }\n", ""},
		{"a string without an end", "a: {{ \"b }}\nc: \"\n", ""},
	} {
		plain, _, ok := syntax.FillActions([]byte(c.text))
		got := strings.NewReplacer("\x01", ".", "\x02", "!").Replace(string(plain))
		if ok != (c.want != "") || got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

// deployment is a manifest as "helm create" writes it.
const deployment = `{{- if .Values.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "x.fullname" . }}
  labels:
    {{- include "x.labels" . | nindent 4 }}
spec:
  {{- if not .Values.autoscaling.enabled }}
  replicas: {{ .Values.replicaCount }}
  {{- end }}
  template:
    metadata:
      {{- with .Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      containers:
        - name: {{ .Chart.Name }}
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
          ports:
            - name: http
              containerPort: {{ .Values.service.port }}
{{- end }}
`

func TestTemplates(t *testing.T) {
	for _, c := range []struct{ rule, file, text, want string }{
		{"a manifest of a chart", "", deployment, `
apiVersion | apiVersion: apps/v1
kind | kind: Deployment
metadata | metadata: {{ include "x.fullname" . }}
 name | name: {{ include "x.fullname" . }}
 labels | labels: {{- include "x.labels" . | nindent 4 }}
spec | spec: replicas: {{ .Values.replicaCount }}
 replicas | replicas: {{ .Values.replicaCount }}
 template | template: metadata: 1 key, spec: 1 key
  metadata | metadata: annotations: {{- toYaml . | nindent 8 }}
   annotations | annotations: {{- toYaml . | nindent 8 }}
  spec | spec: containers: list of 1
   containers | containers: list of 1: {{ .Chart.Name }}
    {{ .Chart.Name }} | image: {{ .Values.image.repository }}:{{ .Values.imag...
     name | name: {{ .Chart.Name }}
     image | image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.A...
     ports | ports: list of 1: http
      http | containerPort: {{ .Values.service.port }}
       name | name: http
       containerPort | containerPort: {{ .Values.service.port }}`},
		{"a comment of several lines at the start", "", "{{- /*\nOf a: it's\n*/ -}}\na: 1\nb: 2\n", "\na | a: 1\nb | b: 2"},
		{"a key that is an action", "a.yaml", "a:\n  {{ .b }}: 1\n  {{ tpl \"c\" }}:\n    d: {{ .e }}\n{{- /*\n*/}}\nf: 1\n", `
a | a: {{ .b }}: 1, {{ tpl "c" }}: 1 key
 {{ .b }} | {{ .b }}: 1
 {{ tpl "c" }} | {{ tpl "c" }}: d: {{ .e }}
  d | d: {{ .e }}
f | f: 1`},
		{"lines of actions in a block scalar", "a.yml", "a: |\n{{- if .b }}\n  - : c\n\n{{- else }}\n  d\n{{- end }}\n{{/*\n*/}}\ne: f\n", "\na | a: {{- if .b }} - : c {{- else }} d {{- end }}\ne | e: f"},
		{"statements of Jinja", "", "{# users #}\n- a: 1\n{% for b in c %}\n- a: {{ b }}\n{% endfor %}\n", "\n0 | a: 1\n a | a: 1\n1 | a: {{ b }}\n a | a: {{ b }}"},
		{"keys that only one branch writes", "", "{{ if .a }}\nb: 1\n{{ else }}\nb: {{ .c }}\n{{ end }}\n", "\nb | b: 1\nb | b: {{ .c }}"},
		{"documents are not known by actions", "", "{{ if .a }}\nkind: A\nname: {{ .b }}\n---\nkind: B\nname: c\n{{ end }}\n", "\n0 | A {{ .b }}\n kind | kind: A\n name | name: {{ .b }}\nB:c | B c\n kind | kind: B\n name | name: c"},
		{"branches with other indentations", "", "{{/*\n*/}}\na: 1\nb:\n  c: {{ d }}\n  {{- if e }}\n    f: 1\n  {{- end }}\nh:\n- i\n- j\n- k\n- l\n- m\n- n\n", `
a | a: 1
b | b: c: {{ d }} {{- if e }} f: 1 {{- end }}
 c | c: {{ d }} {{- if e }} f: 1 {{- end }}
h | h: list of 6: i, j, k, l, m, n
 0 | i
 1 | j
 2 | k
 3 | l
 4 | m
 5 | n`},
		{"definitions of other templates", "", strings.Repeat("{{/*\nThe name of it.\n*/}}\n{{- define \"a\" -}}\n{{- if .b }}\n{{- c }}\n{{- end }}\n{{- end }}\n", 9) + "d: 1\ne: 2\n", ""},
		{"a template of another type", "", "{{ if .a }}\nfunc f() {\n\treturn {{ .b }}\n}\n{{ end }}\n", ""},
		{"a template of prose", "", "{{ template \"a\" . }}\nThank you for it: enjoy.\nThe rest of it is no YAML.\nNor is this.\n{{- /*\n*/}}\n", ""},
		{"an action that has no end", "a.yaml", "{{/*\na: 1\nb: 2\n", ""},
		{"only actions", "a.yaml", "{{ a }}\n{{ b }}\n", ""},
	} {
		tested.Names(t, c.rule, c.text, part.Clues{File: c.file}, c.want)
	}
}

// Actions move no offset: the lines and the size of the plain text are those of the template, except for lines
// inside an action, and the parts are those of YAML with comments and words in the place of actions.
func TestActionsAreLikeCommentsAndWords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	pairs := [][2]string{
		{"a%: 1\n", "a%: 1\n"}, {"b%:\n  c: 2\n  d: 3\n", "b%:\n  c: 2\n  d: 3\n"}, {"e%: {{ .a | \"}}\" }}\n", "e%: xxxxxxxxxxxxxxx\n"},
		{"{{- if not }}\n", "#------------\n"}, {"  {{ end }}\n", "  #--------\n"}, {"{{/*\n}} '\n*/}}\n", "#-------------\n"},
		{"f%:\n- {{ x }}\n- g: \"{{ y }}\"\n", "f%:\n- word_wo\n- g: \"word_wo\"\n"}, {"\n", "\n"}, {"h%: |\n  {{ z }}\n  i\n", "h%: |\n  word_wo\n  i\n"},
	}
	for range 2000 {
		template, plain := "{{- /*\n*/}}\nz: 1\ny: 2\n", "#----------\nz: 1\ny: 2\n"
		for range rnd.IntN(12) {
			p, n := pairs[rnd.IntN(len(pairs))], string(rune('a'+rnd.IntN(26)))+string(rune('a'+rnd.IntN(26)))
			template += strings.ReplaceAll(p[0], "%", n)
			plain += strings.ReplaceAll(p[1], "%", n)
		}
		got, _ := Scan([]byte(template), part.Clues{File: "a.yaml"})
		want := syntax.Parse([]byte(plain), true)
		if got == nil {
			t.Fatalf("%q is refused", template)
		}
		parttest.Check(t, []byte(template), got, between)
		filled, n, ok := syntax.FillActions([]byte(template))
		if !ok || len(filled) != len(template) || n != strings.Count(plain, "#-")+strings.Count(plain, "|\n") {
			t.Fatalf("%q: %d bytes of %d, %d lines", template, len(filled), len(template), n)
		}
		found := syntax.Parse(filled, true)
		if !slices.Equal(found.Parts, want.Parts) {
			t.Fatalf("%q: parts %v\nwant %v", template, found.Parts, want.Parts)
		}
	}
}

// An action below a key is its value, in any column, and the end of a block belongs to the text before it.
func TestActionsBelongToTheKeyBefore(t *testing.T) {
	const text = "{{- if .a }}\na:\n{{ toYaml .a | indent 2 }}\n{{- end }}\n{{- with .b }}\nb:\n  {{- toYaml . | nindent 2 }}\n{{- end }}\n{{- /* last */ -}}\nc: 1\n"
	doc, ok := Scan([]byte(text), part.Clues{File: "a.yaml"})
	if !ok {
		t.Fatal("refused")
	}
	want := []string{
		"{{- if .a }}\na:\n{{ toYaml .a | indent 2 }}\n{{- end }}\n",
		"{{- with .b }}\nb:\n  {{- toYaml . | nindent 2 }}\n{{- end }}\n",
		"{{- /* last */ -}}\nc: 1\n",
	}
	for i, p := range doc.Parts {
		if got := text[p.Start:p.End]; i >= len(want) || got != want[i] {
			t.Errorf("part %d is %q", i, got)
		}
	}
}
