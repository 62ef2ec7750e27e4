package syntax

import (
	"os"
	"strings"
	"testing"
)

// languageOf returns the language of a type as the built-in splitter declares it.
func languageOf(t testing.TB, typeName string) Language {
	t.Helper()
	declaration, err := os.ReadFile("../../../plugins/src/section-split/syntax.json")
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(typeName, string(declaration))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestIsStructure(t *testing.T) {
	for _, c := range []struct {
		rule     string
		typeName string
		gap      string
		want     bool
	}{
		{"blanks", "csv", " \n\t", true},
		{"byte order mark", "csv", "\ufeff\n", true},
		{"punctuation in plain text", "csv", ",\n", false},

		{"JSON punctuation", "json", " , [ {", true},
		{"key with its colon", "json", `, "a \" b" : `, true},
		{"string value", "json", `, "a", `, false},
		{"incomplete key", "json", `"a`, false},
		{"number", "json", `, 1`, false},
		{"literal", "json", `null`, false},

		{"start and end tags", "xml", "</a>\n <b c=\"x>y\" d='>'>", true},
		{"processing instruction and doctype", "xml", `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>`, true},
		{"tag names", "xml", "<a></_b:c><größe/><!doctype html>", true},
		{"angle brackets without a name", "xml", "<~>", false},
		{"instruction without a name", "xml", "<?>", false},
		{"instruction with the end of a tag", "xml", "<?a>", false},
		{"number", "xml", "<5 or more>", false},
		{"template code", "xml", "<% if x %>", false},
		{"declaration", "xml", "<!ENTITY b 'c'>", false},
		{"comment", "xml", "<a><!-- x -->", false},
		{"CDATA", "xml", "<![CDATA[x]]>", false},
		{"text", "xml", "<a>x", false},
		{"tag without an end", "xml", "<a b='", false},
		{"tag inside a tag", "xml", "<a <b>", false},
		{"less-than sign", "xml", "<", false},

		{"key", "yaml", "a:\n  b:\n", true},
		{"form feed before a key", "yaml", "\fa:", false},
		{"carriage return before a key", "yaml", "\ra:\r\n", false},
		{"dashes", "yaml", "- - c:\n-\n", true},
		{"document markers", "yaml", "---\n...\n", true},
		{"quoted key with a colon", "yaml", "\"a: b\":\n'c':\n", false},
		{"quoted key", "yaml", "\"a b\":\n'c':\n", true},
		{"key with a value", "yaml", "a: b\n", false},
		{"comment", "yaml", "# a:\n", false},
		{"list item", "yaml", "- a\n", false},
	} {
		if got := languageOf(t, c.typeName).Whole(nil).IsStructure([]byte(c.gap)); got != c.want {
			t.Errorf("%s: IsStructure(%q) = %v, want %v", c.rule, c.gap, got, c.want)
		}
	}
}

// TestSyntaxOfTexts checks which syntax a content, a text in it and a decoded string
// have.
func TestSyntaxOfTexts(t *testing.T) {
	const key, tag, comma = "a:\n", "<a>", "," // structure in YAML, XML and JSON
	structureIn := func(s interface{ IsStructure(gap []byte) bool }) string {
		for name, gap := range map[string]string{"yaml": key, "xml": tag, "json": comma} {
			if s.IsStructure([]byte(gap)) {
				return name
			}
		}
		return "plain"
	}
	for _, c := range []struct{ typeName, text, whole, nested, decoded string }{
		{"json-array", "[1]", "json", "json", "json"},
		{"ndjson", "<a>", "json", "json", "xml"},
		{"xml", "text", "xml", "xml", "plain"},
		{"xml", "[1]", "xml", "json", "json"},
		{"html", "<a>", "xml", "xml", "xml"},
		{"yaml", "text", "yaml", "yaml", "plain"},
		{"yaml", "\ufeff {}", "yaml", "json", "json"},
		{"markdown", "# Name\n\nSome text.\n", "plain", "plain", "plain"},
		{"markdown", "# comment\n\na:\n  b: c\n", "plain", "yaml", "yaml"},
		{"csv", "---\na: b\n", "plain", "yaml", "yaml"},
		{"csv", "- a\n", "plain", "yaml", "yaml"},
		{"csv", "'a b': 1\n", "plain", "yaml", "yaml"},
		{"csv", "http://a/b\n", "plain", "plain", "plain"},
		{"csv", "[link](to) a\n", "plain", "plain", "plain"},
		{"csv", "[1](to) a\n", "plain", "json", "json"},
		{"csv", " [ ]", "plain", "json", "json"},
		{"csv", "{\"a\": 1}", "plain", "json", "json"},
		{"csv", "[true, null]", "plain", "json", "json"},
		{"csv", "[header]\n", "plain", "plain", "plain"},
		{"csv", "{a: 1}\n", "plain", "plain", "plain"},
		{"csv", "[", "plain", "json", "plain"},
		{"mixed", "<a>", "xml", "xml", "xml"},
		{"", " ", "plain", "plain", "plain"},
	} {
		l, text := languageOf(t, c.typeName), []byte(c.text)
		if whole, nested, decoded := structureIn(l.Whole(text)), structureIn(l.Nested(text)), structureIn(l.Decoded(text)); whole != c.whole || nested != c.nested || decoded != c.decoded {
			t.Errorf("%q of type %q: %s, nested %s, decoded %s; want %s, %s, %s", c.text, c.typeName, whole, nested, decoded, c.whole, c.nested, c.decoded)
		}
	}
	if l, err := New("xml", ""); err != nil || structureIn(l.Whole([]byte("<a>"))) != "plain" || l.HasElements() || l.HasHeadings() {
		t.Errorf("type without a declaration: %+v, %v", l, err)
	}
}

// TestInvalidDeclaration checks that an error names the entry and the key.
func TestInvalidDeclaration(t *testing.T) {
	for declaration, want := range map[string]string{
		`{}`:                            "the declaration has type object, at byte 1",
		`[{"elements": "<"}]`:           "elements has type string, at byte 17",
		`[{"seperators": ","}]`:         `unknown field "seperators"`,
		`[] []`:                         "text after the list, at byte 3",
		`[{}, {"separators": "("}]`:     "entry 1 (from 0): separators: error parsing regexp: missing closing ): `(`",
		`[{"begins": "a)|(b"}]`:         "entry 0 (from 0): begins: error parsing regexp: unexpected ): `a)|(b`",
		`[{"markup": "(x{30}){30}"}]`:   "markup: pattern of 2760 steps with its repeats, limit 400",
		`[{"elements": {"open": "<"}}]`: "elements: open, close and end are required",
		`[{"elements": {"open": "<", "close": "</", "end": ">", "opaque": [["#", "#"]]}}]`: `elements: "#" must begin with the same byte as "<"`,
		"[" + strings.Repeat("{},", maxSyntaxes) + "{}]":                                   "17 entries, limit 16",
	} {
		if _, err := New("x", declaration); err == nil || !strings.HasPrefix(err.Error(), "syntax: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", declaration, err, want)
		}
	}
}
