package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// lookAlike generates texts that begin like, or contain much of, another type.
type lookAlike struct {
	rule string
	want []Type // accepted
	make func(w *writer)
}

// writer generates random words, sentences and lines.
type writer struct {
	strings.Builder
	rnd *rand.Rand
}

var vocabulary = strings.Fields("the server of a region reads each request and writes what it finds into its own table before the next one starts to wait " +
	"for memory while users change their names after some time has passed without notice since nobody asked why this was so")

func (w *writer) word() string { return vocabulary[w.rnd.IntN(len(vocabulary))] }

func (w *writer) sentence() string {
	words := make([]string, 6+w.rnd.IntN(14))
	for i := range words {
		words[i] = w.word()
	}
	return strings.ToUpper(words[0][:1]) + strings.Join(words, " ")[1:] + "."
}

func (w *writer) paragraph() string {
	var s []string
	for range 2 + w.rnd.IntN(4) {
		s = append(s, w.sentence())
	}
	return strings.Join(s, []string{" ", "\n"}[w.rnd.IntN(2)]) + "\n\n"
}

// lines writes the forms about n times, with random words for %w, sentences for %s and numbers for %d.
func (w *writer) lines(n int, forms ...string) {
	for range n + w.rnd.IntN(n) {
		form := forms[w.rnd.IntN(len(forms))]
		for i := 0; i < len(form); i++ {
			switch {
			case form[i] != '%' || i+1 == len(form):
				w.WriteByte(form[i])
				continue
			case form[i+1] == 'w':
				w.WriteString(w.word())
			case form[i+1] == 's':
				w.WriteString(w.sentence())
			case form[i+1] == 'p':
				w.WriteString(w.paragraph())
			case form[i+1] == 'd':
				fmt.Fprint(w, w.rnd.IntN(1000))
			case form[i+1] == 't':
				fmt.Fprintf(w, "2026-11-%02d %02d:%02d:%02d", 1+w.rnd.IntN(28), w.rnd.IntN(24), w.rnd.IntN(60), w.rnd.IntN(60))
			}
			i++
		}
	}
}

// of returns a generator of texts with a head and lines of some forms.
func of(head string, forms ...string) func(w *writer) {
	return func(w *writer) {
		if head != "" {
			w.lines(1, head)
		}
		w.lines(40, forms...)
	}
}

var (
	textual = []Type{Prose, Markdown}
	headed  = []Type{Markdown, Mixed}
	logged  = []Type{Log, Unknown}
	coded   = []Type{Code, Unknown}
	unknown = []Type{Unknown}
)

var lookAlikes = []lookAlike{
	{"a link at the start is no JSON", textual, of("[%w](https://example.org/%w) ", "%p")},
	{"links of a list are no JSON", headed, of("# %w %w\n\n", "- [%w %w](https://example.org/%w): %s\n")},
	{"sections of an INI file are no JSON", unknown, of("", "[%w]\n%w = %d\n%w = %w\n")},
	{"times in brackets are no JSON", logged, of("", "[%t] %w: %w the %w of %d\n")},
	{"levels in brackets are no JSON", logged, of("", "[INFO] %t %w %w %d\n", "[WARN] %t %w\n")},
	{"a draft mark is no JSON", textual, of("{draft} ", "%p")},
	{"a listing of files is no JSON", unknown, of("", "[FILE] %w.txt\n", "[DIR] %w\n")},
	{"notes and references are no JSON", textual, of("%p", "%p", "%p", "%p", "[%d] %w %w, %s\n")},
	{"a README that starts with a tag", headed, of("<p align=center>\n<img src=\"a.png\">\n</p>\n\n# %w\n\n", "%p", "## %w %w\n\n%p")},
	{"a README with badges", headed, of("<div align=\"center\">\n  <a href=\"b\"><img src=\"a.svg\"></a>\n</div>\n\n# %w\n\n%p", "%p", "## %w\n\n- **%w**: %s\n- `%w`: %s\n\n")},
	{"a table of Markdown is no CSV", headed, of("# %w %w\n\n%p| a | b |\n|---|---|\n", "| %w | %s |\n")},
	{"items with a name are YAML", []Type{YAML}, of("", "- name: %w\n  image: registry/%w:%d\n  ports: [%d, %d]\n")},
	{"quoted keys are YAML", []Type{YAML}, of("", "\"%w %w%d\":\n  '%w': %d\n")},
	{"a play of tasks is YAML", []Type{YAML}, of("---\n- hosts: all\n  tasks:\n", "    - name: %s\n      %w:\n        path: /etc/%w\n        mode: '0644'\n")},
	{"YAML full of comments", []Type{YAML}, of("", "# %s\n# %s\n%w%d:\n  %w: %d\n")},
	{"texts in YAML", []Type{YAML}, of("", "%w%d: |\n  %s\n  # %w\n\n  %s\n")},
	{"labels of Go are no YAML", coded, of("package %w\n\n", "func f%d(x int) int {\nretry:\n\tif x > %d {\n\t\tgoto retry\n\t}\n\tswitch x {\n\tcase %d:\n\tdefault:\n\t}\n\treturn x\n}\n\n")},
	{"C", coded, of("#include <stdio.h>\n\n", "/* %s */\nstatic int %w_%d(const char *s, size_t n)\n{\n\tif (n == %d)\n\t\treturn -1;\n\treturn s[n];\n}\n\n", "#define %w_%d %d\n")},
	{"Rust", coded, of("use std::fmt;\n\n", "/// %s\npub fn f%d(x: &str) -> Option<u32> {\n    x.parse().ok().map(|n: u32| n + %d)\n}\n\n")},
	{"shell with comments like headings", coded, of("#!/bin/sh\n# %s\n\n", "# %s\n%w=$(cat /tmp/%w | head -n %d)\nif [ -z \"$%w\" ]; then\n  exit %d\nfi\n\n")},
	{"Python with comments like headings", coded, of("import os\n\n", "# %s\ndef f%d(x):\n    \"\"\"%s\"\"\"\n    # %w\n    return x[%d]\n\n")},
	{"declarations of TypeScript", coded, of("", "/** %s */\nexport declare function f%d(x: string, y?: number): Promise<void>;\n", "export interface I%d {\n  %w: string;\n  %w?: number;\n}\n")},
	{"SQL", coded, of("-- %s\n", "INSERT INTO %w (a, b) VALUES (%d, '%w');\n", "CREATE TABLE %w%d (\n  id integer PRIMARY KEY,\n  %w text NOT NULL\n);\n")},
	{"CSS", coded, of("", ".%w-%d {\n  margin: %dpx;\n  color: red;\n}\n\n")},
	{"front matter is no YAML", headed, of("---\ntitle: %w\ndate: 2026-11-21\ntags: [%w, %w]\n---\n\n# %w %w\n\n", "%p", "## %w %w\n\n%p")},
	{"YAML in fences is no YAML", headed, of("# %w\n\n", "%p", "## %w\n\n%s\n\n```yaml\n%w: %d\n%w: [%w]\n```\n\n")},
	{"a dialogue is no YAML", textual, of("", "Alice: %s\n", "Bob: %s\n")},
	{"remarks in prose are no YAML", textual, of("", "%p", "%p", "Note: %s\n\n", "TODO: %s\n\n")},
	{"a list of sentences is no YAML", textual, of("", "- %s\n", "- %s %s\n")},
	{"a mail is no YAML", textual, of("From: %w@example.org\nSubject: %w %w\nDate: Sat, 21 Nov 2026\n\n", "%p")},
	{"prose with commas is no CSV", textual, of("", "Yes, %w and, %w, then, %s\n", "%s\n", "Then, %s\n")},
	{"columns with quotes are CSV", []Type{CSV}, of("id,name,note\n", "%d,%w,\"%s, \"\"%w\"\"\"\n", "%d,%w,\n")},
	{"columns between tabs are CSV", []Type{CSV}, of("id\tname\tnote\n", "%d\t%w\t%w %w\n")},
	{"sentences between tabs are CSV", []Type{CSV}, of("key\ttext\n", "%w%d\t%s\n")},
	{"JSON with a comma too many", coded, of("[\n", "  {\"%w\": %d, \"%w\": \"%s\"},\n")},
	{"JSON with comments", coded, of("{\n", "  // %s\n  \"%w%d\": %d,\n")},
	{"JSON that is cut off", coded, of(`{"items":[`, `{"%w":"%s","n":%d},`)},
	{"records with a bad one", []Type{NDJSON}, of("", strings.Repeat("{\"level\":\"info\",\"msg\":\"%s\",\"n\":%d}\n", 20)+"panic: %w\n")},
	{"a diff of Markdown", []Type{"diff", Unknown}, of("diff --git a/x.md b/x.md\n--- a/x.md\n+++ b/x.md\n", "@@ -%d,9 +%d,9 @@\n # %w\n-%s\n+%s\n \n")},
	{"syslog", logged, of("", "Nov 21 08:15:00 host sshd[%d]: %s\n")},
	{"a log of an access", logged, of("", "10.0.0.%d - - [21/Nov/2026:08:15:00 +0000] \"GET /%w HTTP/1.1\" 200 %d\n")},
	{"a log with stack traces", logged, of("", "%t ERROR %w.%w - %s\n\tat com.example.%w.%w(%w.java:%d)\n\tat com.example.%w(%w.java:%d)\n", "%t INFO %w - %s\n")},
	{"levels without times", []Type{Log}, of("", "INFO:%w:%s\n", "WARNING:%w:%s\n", "ERROR:%w:%s\nTraceback (most recent call last):\n  File \"%w.py\", line %d\nValueError: %w\n")},
	{"warnings in prose are no log", textual, of("", "%p", "%p", "Warning: %s\n\n", "ERROR %d: %s\n")},
	{"matches of grep", unknown, of("", "src/%w/%w.go:%d: %w := %w(%d)\n")},
	{"output of tests", logged, of("", "=== RUN   Test%d\n--- PASS: Test%d (0.01s)\n", "    x_test.go:%d: %w, want %w\n")},
	{"records of MDX", headed, of("import {A} from './a'\n\n# %w\n\n", "%p", "<Card title=\"%w\">\n  %s\n</Card>\n\n", "## %w\n\n%p")},
	{"a part of a page", []Type{HTML, XML}, of("<div class=\"%w\">\n", "  <p>%s</p>\n", "  <a href=\"/%w\">%w</a>\n")},
	{"settings in braces are no HCL", unknown, of("", "%w {\n  %w %w;\n  %w %d;\n}\n")},
	{"blocks of HCL", []Type{HCL}, of("", "resource \"%w\" \"%w%d\" {\n  %w = \"%s\"\n  tags = { %w = %d }\n}\n", "# %s\nvariable \"%w%d\" {}\n")},
	{"rules of a makefile", []Type{Makefile}, of("%w%d := %w\n", "%w%d: %w %w\n\t%w -o $@ %w\n", "# %s\n%w%d:\n\techo $(%w)\n")},
	{"instructions of a Dockerfile", []Type{Dockerfile}, of("FROM %w:%d\n", "RUN %w %w && \\\n    %w %d\n", "# %s\nCOPY %w /%w\n", "ENV %w=%w\n")},
	{"sentences that begin like instructions", textual, of("", "From %s\n", "Add %s\n", "Run %s\n", "Copy %s\n")},
	{"messages of a catalog", []Type{Gettext}, of("msgid \"\"\nmsgstr \"\"\n\n", "#: %w.c:%d\nmsgid \"%s\"\nmsgstr \"%s\"\n\n")},
	{"a feed", []Type{XML}, func(w *writer) {
		w.WriteString("<?xml version=\"1.0\"?>\n<feed>\n")
		w.lines(40, "  <entry id=\"%d\"><title>%s</title></entry>\n", "  <!-- %s -->\n")
		w.WriteString("</feed>\n")
	}},
}

// At most one look-alike in twenty is detected wrongly.
func TestGeneratedLookAlikes(t *testing.T) {
	const each = 20
	wrong, all := 0, 0
	for _, l := range lookAlikes {
		found := make(map[Type]int)
		for seed := range uint64(each) {
			w := &writer{rnd: rand.New(rand.NewPCG(seed, 1))}
			l.make(w)
			found[Detect([]byte(w.String()), options).Type]++
			all++
		}
		for _, is := range sorted(found) {
			if !slices.Contains(l.want, is) {
				wrong += found[is]
				t.Logf("%s: %d of %d are %s", l.rule, found[is], each, is)
			}
		}
	}
	t.Logf("%d of %d wrong (%.1f %%)", wrong, all, 100*float64(wrong)/float64(all))
	if wrong*20 > all {
		t.Errorf("%d of %d look-alikes are wrong, want 5 %% at most", wrong, all)
	}
}
