package model

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/host/flow"
)

func index(lines ...string) flow.Answer {
	return flow.Answer{Text: []byte("markdown, 3 headings\n" + strings.Join(lines, "\n") + "\n"), Meta: flow.AnswerMeta{Kind: flow.AnswerIndex}}
}

func TestOfferedLines(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		want       offer
		ok         bool
	}{
		{"id, title, size", "[a/b] a title (20K)", offer{"a/b", "a title", "20K"}, true},
		{"no title", "[a] (3B)", offer{"a", "", "3B"}, true},
		{"a title with brackets of both kinds", "[a] f(x) [y] (3B)", offer{"a", "f(x) [y]", "3B"}, true},
		{"the last line of an index", `read_section(ref="x", section="<id>")`, offer{}, false},
		{"an id without end", "[a title (3B)", offer{}, false},
		{"a bracket line of a text", "[x] done", offer{}, false},
	} {
		if got, ok := parseOffer(tc.line); got != tc.want || ok != tc.ok {
			t.Errorf("%s: %+v, %v", tc.name, got, ok)
		}
	}
	leaf := index("[a] looks like an index (3B)")
	leaf.Meta.Kind = flow.AnswerLeaf
	if got := offers(leaf); got != nil {
		t.Errorf("a leaf that looks like an index offers %v", got)
	}
}

// fanOut answers any section by n parts below it, until depth is reached.
func fanOut(n, depth int, read *[]string) func(string) (flow.Answer, error) {
	return func(section string) (flow.Answer, error) {
		*read = append(*read, section)
		if strings.Count(section, "/") >= depth {
			return flow.Answer{Text: []byte("[not] an index (1B)"), Meta: flow.AnswerMeta{Kind: flow.AnswerLeaf}}, nil
		}
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf("[%s/%d] part (1B)", section, i))
		}
		return index(lines...), nil
	}
}

func size(list []*node) int {
	n := len(list)
	for _, c := range list {
		n += size(c.parts)
	}
	return n
}

func TestATreeIsBoundedFromTheTop(t *testing.T) {
	first := index("[a] part (1B)", "[b] part (1B)", "[c] part (1B)")
	for _, tc := range []struct {
		name                string
		depth, lines        int
		want, closed, reads int
	}{
		{"one level reads nothing", 1, 100, 3, 0, 0},
		{"all that is there", 9, 100, 3 + 9 + 27, 0, 3 + 9 + 27},
		{"as deep as asked", 2, 100, 3 + 9, 0, 3},
		{"lines run out on the second level", 9, 10, 3 + 6, 1 + 6, 3 + 6},
		{"and on the third", 9, 15, 3 + 9 + 3, 8, 3 + 9 + 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var read []string
			tree, err := grow(first, tc.depth, tc.lines, fanOut(3, 2, &read))
			if err != nil || size(tree) != tc.want || closedIn(tree) != tc.closed || len(read) != tc.reads {
				t.Errorf("%d lines, %d closed, %d reads, %v; want %d, %d, %d", size(tree), closedIn(tree), len(read), err, tc.want, tc.closed, tc.reads)
			}
		})
	}
	broken := errors.New("disk")
	if _, err := grow(first, 2, 10, func(string) (flow.Answer, error) { return flow.Answer{}, broken }); !errors.Is(err, broken) {
		t.Errorf("an error of the disk is %v", err)
	}
}

func TestATreeIsDrawn(t *testing.T) {
	streams, _, _, _ := iostreams.Test()
	streams.OutWidth = 40
	tree := []*node{
		{offer: offer{"setup", "Setup of the whole thing, told at length", "20K"}, parts: []*node{
			{offer: offer{"setup/größe", "Größe\x1b[31m", "1.2K"}},
			{offer: offer{"setup,type=x", "", "3B"}, closed: true},
		}},
		{offer: offer{"setup-2", "Setup", "3B"}},
	}
	want := `├─ setup  Setup of the whole thing,… 20K
│  ├─ …/größe  Größe\x1b[31m        1.2K
│  └─ …,type=x                      + 3B
└─ setup-2  Setup                     3B
`
	if got := treeText(streams, tree); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	streams.OutColor = true
	painted := treeText(streams, tree)
	if got := bare(painted); got != want || painted == want {
		t.Errorf("colours change the text:\n%s", got)
	}
	for line := range strings.Lines(want) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n != 40 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9]*m")

func bare(text string) string { return escapes.ReplaceAllString(text, "") }
