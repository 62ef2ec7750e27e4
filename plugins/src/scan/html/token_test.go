package html

import (
	"fmt"
	"strings"
	"testing"
)

func TestLexer(t *testing.T) {
	kinds := map[TokenKind]string{TextToken: "text", StartTag: "start", EndTag: "end", RawToken: "raw", CommentToken: "comment", CDATAToken: "cdata", OtherToken: "other", FrontToken: "front"}
	for rule, test := range map[string]struct{ in, want string }{
		"tags and text":                    {"<P>a</p>", "start p|text|end p"},
		"an unknown tag has no name":       {"<x-y>a</x-y>", "start |text|end "},
		"a sign is text":                   {"a < b <3", "text|text|text"},
		"a script is raw":                  {"<script>if (a<b) '<p>'</script>x", "start script|raw script|end script|text"},
		"an empty script":                  {"<script></script>", "start script|end script"},
		"a script without an end":          {"<style>a", "start style|raw style"},
		"comments, CDATA and declarations": {"<!doctype html><!-- <p> --><![CDATA[ a > b ]]><?x?>", "other|comment|cdata|other"},
		"front matter":                     {"---\na: <b>\n---\n<p>", "front|start p"},
		"a byte order mark":                {"\ufeff<p>", "other|start p"},
		"a tag without an end":             {"<a href='x", "start a"},
		"empty":                            {"", ""},
	} {
		var got []string
		for l := NewLexer([]byte(test.in)); l.Next(); {
			got = append(got, strings.TrimSuffix(kinds[l.Kind]+" "+l.Name, map[bool]string{true: " "}[l.Kind != StartTag && l.Kind != EndTag && l.Name == ""]))
		}
		if s := strings.Join(got, "|"); s != test.want {
			t.Errorf("%s: %q has the tokens %s, want %s", rule, test.in, s, test.want)
		}
	}
}

func TestLexerReadsAttributes(t *testing.T) {
	l := NewLexer([]byte(`<A HREF = "x>y" hidden title=''>`))
	l.Next()
	if got := fmt.Sprintf("%q %q %v %v", l.Attribute("href"), l.Attribute("title"), l.Attribute("hidden") != nil, l.Attribute("id") != nil); got != `"x>y" "" true false` {
		t.Errorf("attributes: %s", got)
	}
}

func FuzzLexer(f *testing.F) {
	f.Add("<p class=a>b</p><script>c</script><!-- d -->")
	f.Add("---\n---\n<![CDATA[<")
	f.Fuzz(func(t *testing.T, in string) {
		at := 0
		for l := NewLexer([]byte(in)); l.Next(); at = l.End {
			if l.Attribute("href"); l.Start != at || l.End <= at {
				t.Fatalf("%q: a token at %d to %d, the last ends at %d", in, l.Start, l.End, at)
			}
		}
		if at != len(in) {
			t.Fatalf("%q: the tokens end at %d", in, at)
		}
	})
}
