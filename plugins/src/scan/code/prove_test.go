package code

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// A text that a name claims is code also if it consists of comments or data.
func TestNamedWithoutWords(t *testing.T) {
	for rule, c := range map[string]struct {
		file, text string
		want       bool
	}{
		"comments that describe types":    {"a.lua", "---@meta\n\n" + strings.Repeat("---@class A\n---Of it.\n---@field b? boolean\n\n", 9), true},
		"comments of another language":    {"a.lua", strings.Repeat("// one line\n// and the next\n\n", 9), false},
		"comments and sentences":          {"a.lua", strings.Repeat("-- a\n", 9) + "This is a sentence with words.\n", false},
		"half comments":                   {"a.py", strings.Repeat("# a\nb\n", 9), false},
		"one comment":                     {"a.py", "# a\n", false},
		"tuples in a tuple":               {"a.py", "#: of it\nA = (\n" + strings.Repeat("    ('1', 'B'),\n", 30) + ")\n", true},
		"lists, dictionaries and strings": {"a.py", "A = [\n" + strings.Repeat("    \"b\",\n", 30) + "]\n\nC = 'd'\nE = {\n" + strings.Repeat("    \"f\": \"g\",\n", 30) + "}\n", true},
		"calls in a class":                {"a.py", "import b.c\nfrom d import e\n\n\nclass F(e.F):\n    g = [\n        e.H(\n" + strings.Repeat("            e.I(\n"+strings.Repeat("                \"j\",\n", 6)+"                \"k\"\n            ),\n", 30) + "        ),\n    ]\n", true},
		"JSON cut off":                    {"a.py", "{\n  \"a\": [\n" + strings.Repeat("    \"b\",\n", 30), false},
		"JSON below a sentence":           {"a.py", "Result:\n[\n" + strings.Repeat("    \"b\",\n", 30) + "]\n", false},
		"settings":                        {"a.py", strings.Repeat("a = b\nc = 1\nd = [\n", 30), false},
		"tables of settings":              {"a.py", strings.Repeat("[a]\nb = [\n  1,\n]\n\n", 9), false},
		"YAML":                            {"a.py", strings.Repeat("a:\n  - b: [1]\n    c: {}\n", 9), false},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{File: c.file})
		if ok != c.want {
			t.Errorf("%s: code %t, want %t", rule, ok, c.want)
		}
		if ok {
			parttest.Check(t, []byte(c.text), d, nil)
		}
	}
}

// Without a name, data is code if a word of the language begins each statement, and SQL if one begins each statement up to
// its semicolon.
func TestRegularStatements(t *testing.T) {
	for rule, c := range map[string]struct{ text, want string }{
		"an exported object":       {"module.exports = {\n  a: {\n    B: [\n" + strings.Repeat("      'c/d',\n      {\n        type: 'e',\n        items: [1],\n      },\n", 20) + "    ],\n  },\n}\n", "javascript"},
		"an exported list":         {"export const a = [\n" + strings.Repeat("  {\n    type: \"line\",\n    version: 1,\n    points: [\n      [1, 2],\n    ],\n  },\n", 20) + "];\n\nexport default a;\n", "javascript"},
		"long strings":             {"package a\n\nvar B = `\n  text of it`\nvar C = `\n  text`\nvar D = `\n  text`\nvar E = `\n  text`\n", "go"},
		"the same statement":       {strings.Repeat("ALTER TABLE a ADD COLUMN b varchar(30);\n\nALTER TABLE f\n  ADD COLUMN b timestamp DEFAULT now();\n\nALTER TABLE a\n    ALTER COLUMN c TYPE varchar(80),\n    ALTER COLUMN d SET DEFAULT 'e';\n", 9), "sql"},
		"data of Python or TOML":   {"a = [\n" + strings.Repeat("  \"b\",\n", 30) + "]\n", ""},
		"keys that are words":      {strings.Repeat("type: = [\n  1,\n]\n", 9), ""},
		"sentences in parentheses": {"let us see = (\n" + strings.Repeat("some of the lines (of it),\n", 9) + ")\n", ""},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{})
		got := ""
		if ok {
			got, _, _ = strings.Cut(strings.TrimPrefix(d.Lines[0], "language: "), ",")
		}
		if got != c.want {
			t.Errorf("%s: language %q, want %q", rule, got, c.want)
		}
	}
}
