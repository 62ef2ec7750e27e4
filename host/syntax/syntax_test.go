package syntax

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// syntaxOf returns the syntax of a type as the built-in splitter declares it, or that
// of JSON or plain text.
func syntaxOf(t testing.TB, typeName string) *Syntax {
	t.Helper()
	declaration, err := os.ReadFile("../../plugins/src/section-split/syntax.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := Parse(string(declaration))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.IsFor(typeName) {
			return s
		}
	}
	if typeName == "json" {
		return JSON
	}
	return Plain
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
		if got := syntaxOf(t, c.typeName).IsStructure([]byte(c.gap)); got != c.want {
			t.Errorf("%s: IsStructure(%q) = %v, want %v", c.rule, c.gap, got, c.want)
		}
	}
}

// TestInvalidDeclaration checks that an error names the entry and the key.
func TestInvalidDeclaration(t *testing.T) {
	for declaration, want := range map[string]string{
		`{}`:                          "want a list of objects",
		`["a"]`:                       "entry 0: is a string, want an object",
		`[{`:                          "invalid JSON at byte 2: want a key",
		`[] []`:                       "invalid JSON at byte 3: want the end of the text",
		`[{"seperators": ","}]`:       `entry 0: unknown field "seperators", want types, begins, `,
		`[{"types": "x"}]`:            "entry 0: types is a string, want a list",
		`[{"elements": "<"}]`:         "entry 0: elements is a string, want an object",
		`[{}, {"separators": "("}]`:   "entry 1: separators: error parsing regexp: missing closing ): `(`",
		`[{"begins": "a)|(b"}]`:       "entry 0: begins: error parsing regexp: unexpected ): `a)|(b`",
		`[{"begins": "(x{30}){30}"}]`: "begins: pattern of 2760 steps with its repeats, limit 200",
		`[{"separators": "^a$"}]`:     "separators: pattern with an assertion such as ^, $ or \\b",
		`[{"separators": "(?s)` + strings.Repeat("[ab]*a[ab]{7}", 3) + `"}]`:               "separators: pattern of more than 128 states",
		`[{"separators": "` + strings.Repeat("a", maxPattern+1) + `"}]`:                    "separators: pattern of 1001 bytes, limit 1000",
		`[{"names": [{"before": "a"}]}]`:                                                   "names: entry 0: before and after are required",
		`[{"names": [` + strings.Repeat("{},", 8) + `{}]}]`:                                "names: 9 entries, limit 8",
		`[{"elements": {"open": "<"}}]`:                                                    "elements: close is required",
		`[{"elements": {"open": "<", "close": "<", "end": ">"}}]`:                          "elements: open and close are equal",
		`[{"elements": {"open": "<", "close": "/", "end": ">"}}]`:                          `elements: close "/" does not begin with the same byte as open "<"`,
		`[{"elements": {"open": "<", "close": "</", "end": "12345678901234567"}}]`:         "has 17 bytes, limit 16",
		`[{"elements": {"open": "<", "close": "</", "end": ">", "opaque": [["#", "#"]]}}]`: `elements: opaque, entry 0: want a beginning with the same first byte as open "<"`,
		`[{"blocks": "braces"}]`:                                                           `entry 0: blocks: "braces", want "indentation" or "#"`,
		"[" + strings.Repeat("{},", maxSyntaxes) + "{}]":                                   "9 entries, limit 8",
	} {
		if _, err := Parse(declaration); err == nil || !strings.HasPrefix(err.Error(), "syntax: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", declaration, err, want)
		}
	}
}

// TestPlainText checks that markup is replaced, also where it does not end.
func TestPlainText(t *testing.T) {
	html := syntaxOf(t, "html")
	for text, want := range map[string]string{"a<b>c</b>d": "a c d", "a <b": "a ", "": "", "a > b": "a > b"} {
		if got := string(html.PlainText([]byte(text))); got != want {
			t.Errorf("PlainText(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestPatterns compares patterns with package regexp on all short texts.
func TestPatterns(t *testing.T) {
	texts := []string{""}
	for from := 0; len(texts[from]) < 5; from++ {
		for _, c := range "ab<\n" {
			texts = append(texts, texts[from]+string(c))
		}
	}
	texts = append(texts, "aé", "éé", "\xff", "日本a")
	for _, expr := range []string{"a", "a*", "a|b<?", "(?:a(?:b|<)+|b)*", "[^a]+", "(?i)A[bc]{1,2}", "(?s).*b.", ".", "\\w+\\s?", "<[^>]*a"} {
		p, err := compilePattern(expr)
		if err != nil {
			t.Fatal(err)
		}
		whole, start := regexp.MustCompile(`\A(?:`+expr+`)\z`), regexp.MustCompile(`\A(?:`+expr+`)`)
		for _, text := range texts {
			if got, want := p.matches([]byte(text)), whole.MatchString(text); got != want {
				t.Errorf("%s matches %q: %v, want %v", expr, text, got, want)
			}
			if got, want := p.matchesStart([]byte(text)), start.MatchString(text); got != want {
				t.Errorf("%s matches the start of %q: %v, want %v", expr, text, got, want)
			}
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	declaration, err := os.ReadFile("../../plugins/src/section-split/syntax.json")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := compileAll(string(declaration)); err != nil {
			b.Fatal(err)
		}
	}
}
