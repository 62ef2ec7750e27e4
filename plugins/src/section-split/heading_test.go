package sectionsplit

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/example"
)

// A heading with no text of its own becomes part of the first heading below it.
func TestHeadingWithoutTextJoinsFirstHeadingBelow(t *testing.T) {
	text := "# Guide\n\n## Setup\n\n### Proxy\n" + strings.Repeat(fox, 40) + "### Cache\n" + strings.Repeat(fox, 40) + "## Use\n\nText.\n\n### Call\n" + strings.Repeat(fox, 80)
	r := run1(text, `{}`)
	checkLaws(t, "headings", text, r)
	paths := example.Paths(r.Sections)
	if want := []string{"guide", "guide/setup", "guide/setup/proxy", "guide/setup/cache", "guide/use", "guide/use/intro", "guide/use/call"}; !slices.Equal(paths, want) {
		t.Fatalf("%q", paths)
	}
	for path, want := range map[string]string{"guide/setup/proxy": "# Guide\n\n## Setup\n\n### Proxy\nThe", "guide/setup/cache": "### Cache\n", "guide/use/intro": "## Use\n\nText."} {
		if s := r.Sections[slices.Index(paths, path)]; !strings.HasPrefix(s.Text, want) {
			t.Errorf("%s begins %.30q", path, s.Text)
		}
	}
}

func TestPlainTextIsSplitByChapters(t *testing.T) {
	text := "A title page\n\n"
	for _, n := range []string{"1", "2", "3"} {
		text += "CHAPTER " + n + "\n\nThe name of it.\n\n" + strings.Repeat("It was late, and nobody\nhad come.\n\n", 20)
	}
	text += "CHAPTER 4\n\nThe name of it.\n\n```json\n" + tasks + "\n```\n\n" + strings.Repeat("It was late, and nobody\nhad come.\n\n", 90)
	r := run1(text, `{"type":"prose"}`)
	checkLaws(t, "chapters", text, r)
	if want := []string{"[intro] A title page", "[chapter-1-the-name-of-it] CHAPTER 1 The name of it."}; !slices.Equal(top(r)[:2], want) || len(top(r)) != 5 {
		t.Errorf("%q", top(r))
	}
	paths := example.Paths(r.Sections)
	if !slices.Contains(paths, "chapter-4-the-name-of-it/L199/code/0") || slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, "chapter-1-the-name-of-it/") }) {
		t.Errorf("%q", paths[5:10])
	}
}
