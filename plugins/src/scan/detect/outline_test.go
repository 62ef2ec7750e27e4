package detect

import (
	"strings"
	"testing"
)

// A text with headings or a fence is Markdown if lists, tables, notes or sentences around blocks of code are most of it.
func TestMarkdownOfFewSentences(t *testing.T) {
	const rows = "| a | b |\n| --- | --- |\n| c | [d](https://e) |\n| f | g |\n"
	sentences := strings.Repeat("The server reads each request and writes its answer to the log.\n", 3)
	for rule, c := range map[string]struct {
		text string
		want Type
	}{
		"links below headings":             {"# Results\n\n### New\n\nnone\n\n### Old\n\n" + strings.Repeat("- https://a.example/b\n", 20), Markdown},
		"changes":                          {"# A 1.0\n\n## Changes\n" + strings.Repeat("* Fix b in https://a.example/c\n", 20), Markdown},
		"a table only":                     {"# Sets\n\n" + rows + strings.Repeat("| h | [i](https://j) |\n", 20), Markdown},
		"questions in comments":            {strings.Repeat("### What\n\n<!-- Say what you did and what you saw. -->\n\n", 4), Markdown},
		"indented code below sentences":    {"# Use\n\n" + sentences + "\n    a = b(c);\n    d(e);\n\n## More\n\n" + sentences + "\n    f { g }\n\n## [End](x)\n\nSee [this](y).\n" + sentences, Markdown},
		"a fence and a table of bars":      {"```ini\nA=1\nB=2\n```\n\n Method | Mean |\n------ |----- |\n" + strings.Repeat(" A.b(c) | 1.2 ns |\n", 9), Markdown},
		"a fence and nothing else":         {"```go\npackage a\n\nfunc b() {\n\treturn\n}\n```\n", Mixed},
		"a tag of a template first":        {"---\ntitle: a\n---\n\n{{< new-in 1 />}}\n\n## Example\n\n```text\nx\n```\n", Markdown},
		"changes that are keys and values": {"# a\n\n" + strings.Repeat("## 1.0\n\n### Changes\n\n- fix: b ([#1](https://c.example/1))\n\n- docs: d ([#2](https://c.example/2))\n\n", 9), Markdown},
		"keys with stars and sentences":    {"# a\n\n## 1.0\n\n" + strings.Repeat("* deps: b@1.0\n* deps: c@2.0\n* "+sentences, 4), Markdown},
		"names below comments":             {"# first\nalpha\n# second\nbeta\n# third\ngamma\n# fourth\ndelta\n", Unknown},
		"a list below comments in YAML":    {"# first\n- alpha\n- beta\n# second\n- gamma\n", YAML},
		"a script with comments":           {"# Set up\n\nset -e\nfoo --bar \"$x\"\n\n## Build\n\ncd /a && make b > c\nrm -f \"$d\"\n\n## Test\n\nfoo \"$y\" | grep z\n", Unknown},
		"a comparison of two texts":        {"200,201c200\n< local a\n< local b\n---\n> a=`b`\n209c207\n<   c=\"$(d)\"\n---\n>   c=`d`\n", Unknown},
		"JSON as a value in YAML":          {"a: 1\nlist:\n  - text: b\n    value:\n      {\n        \"c\": [1, 2, 3],\n        \"d\": \"" + strings.Repeat("e", 300) + "\"\n      }\n  - text: f\n", YAML},
	} {
		got := Detect([]byte(c.text), options).Type
		if got != c.want && (c.want != Unknown || got == Markdown || got == Mixed || got == YAML) {
			t.Errorf("%s: %s, want %s", rule, got, c.want)
		}
	}
}

// A text that is called Markdown is text without headings, unless it is code or markup.
func TestMarkdownWithoutHeadings(t *testing.T) {
	for rule, c := range map[string]struct {
		text string
		want Type
	}{
		"changes only":           {strings.Repeat("* Add support for `a` on resource `b.C`, `b.D` and `b.E` of the second service\n* Add `f`\n", 20), Prose},
		"short lines":            {"**Release**\n\nThe server writes each request to the log of its region.\n\n" + strings.Repeat("- a name\n", 12), Prose},
		"a page without heading": {strings.Repeat("<table><tr><td>a</td></tr></table>\n", 20), HTML},
		"code":                   {strings.Repeat("int a = b(c);\nif (d) {\n  e();\n}\n", 20), Code},
	} {
		o := options
		o.Hint = "a.md"
		if got := Detect([]byte(c.text), o).Type; got != c.want && (c.want != Code || got == Prose) {
			t.Errorf("%s: %s, want %s", rule, got, c.want)
		}
	}
}
