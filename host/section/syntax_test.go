package section

import "testing"

func TestPureStructure(t *testing.T) {
	for _, c := range []struct {
		rule   string
		syntax syntax
		gap    string
		want   bool
	}{
		{"blanks", syntaxText, " \n\t", true},
		{"a byte order mark", syntaxText, "\ufeff\n", true},
		{"punctuation is text in a text", syntaxText, ",\n", false},

		{"JSON punctuation", syntaxJSON, " , [ {", true},
		{"a key with its colon", syntaxJSON, `, "a \" b" : `, true},
		{"a string that is a value", syntaxJSON, `, "a", `, false},
		{"half a key", syntaxJSON, `"a`, false},
		{"a number", syntaxJSON, `, 1`, false},
		{"a literal", syntaxJSON, `null`, false},

		{"start and end tags", syntaxXML, "</a>\n <b c=\"x>y\" d='>'>", true},
		{"processing instruction and doctype", syntaxXML, `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>`, true},
		{"names of tags", syntaxXML, "<a></_b:c><größe/><!doctype html>", true},
		{"brackets round no name", syntaxXML, "<~>", false},
		{"an instruction without a name", syntaxXML, "<?>", false},
		{"an instruction that does not end as one", syntaxXML, "<?a>", false},
		{"a number", syntaxXML, "<5 or more>", false},
		{"code of a page", syntaxXML, "<% if x %>", false},
		{"a declaration", syntaxXML, "<!ENTITY b 'c'>", false},
		{"a comment is a part", syntaxXML, "<a><!-- x -->", false},
		{"so is CDATA", syntaxXML, "<![CDATA[x]]>", false},
		{"and text", syntaxXML, "<a>x", false},
		{"a tag without an end", syntaxXML, "<a b='", false},
		{"a tag in a tag", syntaxXML, "<a <b>", false},
		{"a bare less-than", syntaxXML, "<", false},

		{"a YAML key", syntaxYAML, "a:\n  b:\n", true},
		{"a blank that YAML does not know", syntaxYAML, "\fa:", false},
		{"a line that ends twice", syntaxYAML, "\ra:\r\n", false},
		{"dashes", syntaxYAML, "- - c:\n-\n", true},
		{"document marks", syntaxYAML, "---\n...\n", true},
		{"a quoted key", syntaxYAML, "\"a: b\":\n'c':\n", false}, // the first holds a value's sign
		{"a plain quoted key", syntaxYAML, "\"a b\":\n'c':\n", true},
		{"a key with a value", syntaxYAML, "a: b\n", false},
		{"a comment", syntaxYAML, "# a:\n", false},
		{"a list item", syntaxYAML, "- a\n", false},
	} {
		if got := c.syntax.pure([]byte(c.gap)); got != c.want {
			t.Errorf("%s: %q is structure: %v, want %v", c.rule, c.gap, got, c.want)
		}
	}
}

func TestSyntaxOfTypes(t *testing.T) {
	for name, want := range map[string]syntax{
		"json-array": syntaxJSON, "ndjson": syntaxJSON, "xml": syntaxXML, "html": syntaxXML, "yaml": syntaxYAML, "markdown": syntaxText, "csv": syntaxText,
	} {
		if got, named := syntaxOf(name); got != want || !named {
			t.Errorf("%s: %d, %v", name, got, named)
		}
	}
	for text, want := range map[string]syntax{"\ufeff [1]": syntaxJSON, "{}": syntaxJSON, "<a>": syntaxXML, "a: b": syntaxText, " ": syntaxText, "": syntaxText} {
		if got := guessSyntax([]byte(text)); got != want {
			t.Errorf("%q is guessed %d, want %d", text, got, want)
		}
	}
}

func TestSyntaxOfTextInAText(t *testing.T) {
	for text, want := range map[string]syntax{
		"a: b\n": syntaxYAML, "# comment\n\na:\n  b: c\n": syntaxYAML, "---\na: b\n": syntaxYAML, "- a\n": syntaxYAML, "'a b': 1\n": syntaxYAML,
		"[1]": syntaxJSON, "<a>": syntaxXML, "Some text.\n": syntaxText, "# Name\n\nSome text.\n": syntaxText, "http://a/b\n": syntaxText, "": syntaxText,
	} {
		if got := decodedSyntax([]byte(text)); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
	if got := decodedSyntax([]byte("[link](to) a\n")); got != syntaxText {
		t.Errorf("a link is %d", got)
	}
}

func TestSizeText(t *testing.T) {
	for n, want := range map[int]string{
		0: "0B", 532: "532B", 999: "999B", 1000: "1K", 1049: "1K", 1050: "1.1K", 3000: "3K", 9949: "9.9K", 9950: "10K", 20_400: "20K",
		999_499: "999K", 999_500: "1M", 1_150_000: "1.2M", 33_554_432: "34M",
	} {
		if got := sizeText(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestNaturalOrder(t *testing.T) {
	for _, ascending := range [][]string{
		{"L1", "L9", "L10", "L100"}, {"apple", "Banana", "cherry"}, {"a", "a-2", "a-10", "b"}, {"1", "02", "3"}, {"0.9", "0.10", "1.0"},
	} {
		for i := 1; i < len(ascending); i++ {
			if !naturalLess(ascending[i-1], ascending[i]) || naturalLess(ascending[i], ascending[i-1]) {
				t.Errorf("%q does not come before %q", ascending[i-1], ascending[i])
			}
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"  a \r\n\t b  ": "a b", "\x1b[1mx": "x", "a\u202eb": "ab", "a\xffb": "ab", "": "", "\u0085x": "x",
		"\x1b[38;5;12mblue\x1b[m": "blue", "\x1b]8;;http://a.b\x1b\\link\x1b]8;;\x1b\\ x": "link x", "\x1b]0;name\a$ make": "$ make",
		"\x1b[2K\x1b[1Gdone": "done", "[1] ]8;;": "[1] ]8;;", "cut \x1b[38;5": "cut [38;5", "\x1bM up": "up",
		"12345678901234567890123": "12345678901234567...", "日本語日本語日本語": "日本語日本...",
	} {
		if got := clean([]byte(in), 20); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}
