package items

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// span returns the span of the first occurrence of a word.
func span(text, word string) Span {
	at := strings.Index(text, word)
	return Span{int32(at), int32(at + len(word))}
}

// build returns a list of two blocks with items, and an item after them.
func build(text string) *List {
	l := New([]byte(text))
	end := func(word string) int { return strings.LastIndex(text, word) + len(word) }
	l.Open(span(text, "one"), end("one {\n"))
	l.Add(span(text, "a"), end("a\n"))
	l.Close(end("x\n"), end("x\n}\n"))
	l.Open(span(text, "two"), l.Rest())
	l.Add(span(text, "two"), end("two\n"))
	l.Add(span(text, "b"), end("b\n"))
	l.Close(l.Rest(), l.Rest())
	l.Add(span(text, "three"), end("three\n"))
	l.Extend(end("more\n"))
	l.Finish()
	return l
}

const blocks = "\ufeff# above\n\none {\n  a\n  # x\n}\n\n  # of two\ntwo\nb\n\nthree\nmore\n\n# end\n"

func TestSpans(t *testing.T) {
	l := build(blocks)
	for i, want := range []string{
		"# above\n\none {\n  a\n  # x\n}\n", "  a\n  # x\n", "  # of two\ntwo\nb\n", "  # of two\ntwo\n", "b\n", "three\nmore\n\n# end\n",
	} {
		if got := string(l.Slice(l.Items[i].Span)); got != want {
			t.Errorf("item %d is %q, want %q", i, got, want)
		}
	}
	var top, inner []int32
	for i := range l.Top {
		top = append(top, i)
	}
	for i := range l.Children(2) {
		inner = append(inner, i)
	}
	if len(top) != 3 || top[2] != 5 || len(inner) != 2 || inner[1] != 4 {
		t.Errorf("top %v, inside item 2 %v", top, inner)
	}
}

// An item that is not closed by a mark extends with its last item.
func TestRestBelongsToTheLastItem(t *testing.T) {
	l := New([]byte("a\nb\n# end\n"))
	l.Open(Span{0, 1}, 0)
	l.Add(Span{0, 1}, 2)
	l.Add(Span{2, 3}, 4)
	l.Close(4, 4)
	l.Finish()
	if l.Items[0].End != 10 || l.Items[2].End != 10 || l.Items[1].End != 2 {
		t.Errorf("%+v", l.Items)
	}
}

func TestUnwrap(t *testing.T) {
	l := build(blocks)
	l.Unwrap(2)
	l.Unwrap(0)
	for i, it := range l.Items {
		if it.Parent != -1 || it.Next != int32(i+1) {
			t.Errorf("item %d: %+v", i, it)
		}
	}
}

func TestGroups(t *testing.T) {
	l := build(blocks)
	d := l.Document([]Group{{ID: "x", Title: "2 items", Groups: []Group{{ID: "y", Title: "1 item", Members: []int32{5}}, {ID: "z", Title: "1 item", Members: []int32{0}}}}}, func(i int, n *part.Name) {
		n.ID = append(n.ID, l.Slice(l.Items[i].Name)...)
		n.Title = append(n.Title, n.ID...)
	})
	want := "x | 2 items\n y | 1 item\n  three | three\n z | 1 item\n  one | one\n   a | a\ntwo | two\n two | two\n b | b"
	if got := strings.Join(parttest.List(d), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.Count = "3 items"
	parttest.Check(t, l.Text, d, func(gap []byte) bool { return strings.Trim(string(gap), "# aboven\n{}") == "" })
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"a\n b \r\nc": "a|b|c", "a\r b\rc\r": "a|b|c", "\ufeffa\r\n\r\nb\rc": "a||b\rc", "": "",
	} {
		l, got := LinesOf([]byte(text)), []string{}
		for at := l.Start(); at < len(text); {
			line, indent, next := l.Trim(at)
			got = append(got, string(line))
			if !strings.HasPrefix(text[at+indent:], string(line)) {
				t.Errorf("%q: indentation of %q is %d", text, line, indent)
			}
			at = next
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
