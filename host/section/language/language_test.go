package language

import (
	"os"
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
		{"toml", "[[a]]\nb = 1\n", "plain", "plain", "plain"},
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
