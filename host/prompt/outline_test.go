package prompt

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Without an LLM, summary and chapters are extracted from the text.
func TestPromptSummaryGenerationWithoutLLM(t *testing.T) {
	for _, tc := range []struct {
		name, text, summary string
		chapters            []string
	}{
		{"first sentence and headings", "# Network\n\nAll traffic goes through the VPN. Nothing else does.\n\n## Firewall\ntext\n### Ports ###\n",
			"All traffic goes through the VPN.", []string{"Network", "Firewall", "Ports"}},
		{"sentence on two lines", "Use snake case\nfor all names. Always.", "Use snake case for all names.", nil},
		{"abbreviation does not end a sentence", "Use a tool, e.g. make, for it. Then go.", "Use a tool, e.g. make, for it.", nil},
		{"version number does not end a sentence", "Needs Go 1.24 or later! See below.", "Needs Go 1.24 or later!", nil},
		{"twenty words", strings.Repeat("word ", 30), strings.TrimSuffix(strings.Repeat("word ", 20), " ") + "…", nil},
		{"heading in a code fence", "Text.\n```sh\n# comment\n```\n# Real\n~~~\n# no\n```\n# no\n~~~\n", "Text.", []string{"Real"}},
		{"unclosed code fence", "Text.\n````\n# a\n```\n# b\n", "Text.", nil},
		{"heading needs a blank", "#tag and ####### seven\n\n    # code\n", "#tag and ####### seven", nil},
		{"underlined headings", "Title\n=====\n\nFirst one. Second.\n\nPart\n---\n\na\nb\n---\n", "First one.", []string{"Title", "Part"}},
		{"only headings", "# One\n## Two\n", "One", []string{"One", "Two"}},
		{"list item", "- Never push to main.\n- Never.\n", "Never push to main.", nil},
		{"numbered item in a block quote", "> 1. Ask first. Then act.", "Ask first.", nil},
		{"comment is skipped", "<!-- owner:\nme -->\nThe rule.\n", "The rule.", nil},
		{"thematic break is skipped", "---\n* * *\nText.", "Text.", nil},
		{"control characters", "a\x1b[31mb\tc.", "a [31mb c.", nil},
		{"another script", "規則を守る。次の文。", "規則を守る。", nil},
		{"empty", "", "", nil},
		{"blank", " \n\t\n", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := OutlineOf(tc.text)
			if got.Summary != tc.summary || !slices.Equal(got.Chapters, tc.chapters) {
				t.Errorf("got %q %q\nwant %q %q", got.Summary, got.Chapters, tc.summary, tc.chapters)
			}
		})
	}
}

func checkOutline(t *testing.T, o Outline) {
	t.Helper()
	lines := append([]string{o.Summary}, o.Chapters...)
	for i, l := range lines {
		limit := maxChapterBytes
		if i == 0 {
			limit = maxSummaryBytes
		}
		if len(l) > limit || !utf8.ValidString(l) || strings.ContainsAny(l, "\r\n\t\x1b") {
			t.Errorf("line %d is %d bytes of %q", i, len(l), l)
		}
	}
	if words := len(strings.Fields(o.Summary)); words > maxSummaryWords {
		t.Errorf("summary of %d words: %q", words, o.Summary)
	}
	if len(o.Chapters) > maxChapters {
		t.Errorf("%d chapters", len(o.Chapters))
	}
}

// FuzzOutlineOf checks that outlines of any text are within the limits, valid UTF-8 and
// on one line.
func FuzzOutlineOf(f *testing.F) {
	for _, seed := range []string{"# a\n\nb. c", "```\n# x", "a\n===", strings.Repeat("x", 500), strings.Repeat("# é ", 90), "\xff\xfe# \n-", "<!--", "1. \n2) a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := OutlineOf(text)
		checkOutline(t, o)
		if again := OutlineOf(text); !isSameOutline(o, again) {
			t.Errorf("%q and %q of one text", o, again)
		}
	})
}

func BenchmarkOutlineOf(b *testing.B) {
	text := strings.Repeat("# Part\n\nSome text that says what to do, and why. More of it.\n\n```go\n# no\n```\n", 30)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		OutlineOf(text)
	}
}
