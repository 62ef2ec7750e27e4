package syntax

import "testing"

func TestIsStructure(t *testing.T) {
	for _, c := range []struct {
		rule   string
		syntax syntax
		gap    string
		want   bool
	}{
		{"blanks", plainText, " \n\t", true},
		{"byte order mark", plainText, "\ufeff\n", true},
		{"punctuation in plain text", plainText, ",\n", false},

		{"JSON punctuation", jsonText, " , [ {", true},
		{"key with its colon", jsonText, `, "a \" b" : `, true},
		{"string value", jsonText, `, "a", `, false},
		{"incomplete key", jsonText, `"a`, false},
		{"number", jsonText, `, 1`, false},
		{"literal", jsonText, `null`, false},

		{"start and end tags", xmlText, "</a>\n <b c=\"x>y\" d='>'>", true},
		{"processing instruction and doctype", xmlText, `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>`, true},
		{"tag names", xmlText, "<a></_b:c><größe/><!doctype html>", true},
		{"angle brackets without a name", xmlText, "<~>", false},
		{"instruction without a name", xmlText, "<?>", false},
		{"instruction with the end of a tag", xmlText, "<?a>", false},
		{"number", xmlText, "<5 or more>", false},
		{"template code", xmlText, "<% if x %>", false},
		{"declaration", xmlText, "<!ENTITY b 'c'>", false},
		{"comment", xmlText, "<a><!-- x -->", false},
		{"CDATA", xmlText, "<![CDATA[x]]>", false},
		{"text", xmlText, "<a>x", false},
		{"tag without an end", xmlText, "<a b='", false},
		{"tag inside a tag", xmlText, "<a <b>", false},
		{"less-than sign", xmlText, "<", false},

		{"key", yamlText, "a:\n  b:\n", true},
		{"form feed before a key", yamlText, "\fa:", false},
		{"carriage return before a key", yamlText, "\ra:\r\n", false},
		{"dashes", yamlText, "- - c:\n-\n", true},
		{"document markers", yamlText, "---\n...\n", true},
		{"quoted key with a colon", yamlText, "\"a: b\":\n'c':\n", false},
		{"quoted key", yamlText, "\"a b\":\n'c':\n", true},
		{"key with a value", yamlText, "a: b\n", false},
		{"comment", yamlText, "# a:\n", false},
		{"list item", yamlText, "- a\n", false},
	} {
		if got := c.syntax.IsStructure([]byte(c.gap)); got != c.want {
			t.Errorf("%s: IsStructure(%q) = %v, want %v", c.rule, c.gap, got, c.want)
		}
	}
}

func TestSyntaxOfTypes(t *testing.T) {
	for name, want := range map[string]syntax{
		"json-array": jsonText, "ndjson": jsonText, "xml": xmlText, "html": xmlText, "yaml": yamlText, "markdown": plainText, "csv": plainText,
	} {
		if l := Of(name); l.base != want || !l.IsDeclared() {
			t.Errorf("type %s has syntax %d (declared: %v), want %d", name, l.base, l.IsDeclared(), want)
		}
	}
	for text, want := range map[string]syntax{"\ufeff [1]": jsonText, "{}": jsonText, "<a>": xmlText, "a: b": plainText, " ": plainText, "": plainText} {
		if got := guess([]byte(text)); got != want {
			t.Errorf("guess(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestSyntaxOfDecodedText(t *testing.T) {
	for text, want := range map[string]syntax{
		"a: b\n": yamlText, "# comment\n\na:\n  b: c\n": yamlText, "---\na: b\n": yamlText, "- a\n": yamlText, "'a b': 1\n": yamlText,
		"[1]": jsonText, "<a>": xmlText, "Some text.\n": plainText, "# Name\n\nSome text.\n": plainText, "http://a/b\n": plainText, "": plainText,
	} {
		if got := guessDecoded([]byte(text)); got != want {
			t.Errorf("guessDecoded(%q) = %d, want %d", text, got, want)
		}
	}
	if got := guessDecoded([]byte("[link](to) a\n")); got != plainText {
		t.Errorf("a Markdown link has syntax %d, want plain text", got)
	}
}
