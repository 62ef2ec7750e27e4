package abi_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// Letters and digits of any script are kept in lower case; ASCII is handled without a
// table.
func TestSlugOfEachCharacter(t *testing.T) {
	for r := rune(0); r <= 0x3000; r++ {
		want := "x"
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			want += string(unicode.ToLower(r))
		}
		if got := abi.Slug("x" + string(r)); got != want {
			t.Errorf("Slug of x and %U = %q, want %q", r, got, want)
		}
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Proxy Settings":        "proxy-settings",
		"  2. Install & run!  ": "2-install-run",
		"Über uns":              "über-uns",
		"設定 ガイド":                "設定-ガイド",
		"---":                   "",
		"":                      "",
	} {
		if got := abi.Slug(title); got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestSegment(t *testing.T) {
	for rule, c := range map[string]struct{ name, want string }{
		"plain text stays":            {"Server.Serve", "Server.Serve"},
		"non-ASCII stays readable":    {"größe", "größe"},
		"a slash is no border":        {"a/b", "a%2Fb"},
		"the reader's signs":          {"why?!", "why%3F%21"},
		"brackets":                    {"a[0]", "a%5B0%5D"},
		"percent itself":              {"50%", "50%25"},
		"blanks and line breaks":      {"a b\n\u2028", "a%20b%0A%E2%80%A8"},
		"leading tilde is the host's": {"~1~", "%7E1~"},
		"leading at is the host's":    {"@a@b", "%40a@b"},
		"bidi override":               {"a\u202eb", "a%E2%80%AEb"},
		"escape sequence":             {"\x1b[31m", "%1B%5B31m"},
		"not UTF-8":                   {"a\xff", "a%FF"},
	} {
		if got := abi.Segment(c.name); got != c.want {
			t.Errorf("%s: Segment(%q) = %q, want %q", rule, c.name, got, c.want)
		}
	}
}

func TestLongSegmentsAreCutAndStayApart(t *testing.T) {
	a, b := abi.Segment(strings.Repeat("k", 5000)+"a"), abi.Segment(strings.Repeat("k", 5000)+"b")
	if len(a) != 60 || a == b {
		t.Errorf("got %q and %q, want two ids of 60 bytes", a, b)
	}
	if got := abi.Segment(strings.Repeat("k", 60)); len(got) != 60 || strings.Contains(got, "-") {
		t.Errorf("60 bytes were cut to %q", got)
	}
	for pad := range 4 {
		got := abi.Segment(strings.Repeat("k", pad) + strings.Repeat("日", 30) + "/")
		if !utf8.ValidString(got) || len(got) > 60 {
			t.Errorf("cut inside a character: %q", got)
		}
		got = abi.Segment(strings.Repeat("k", pad) + strings.Repeat("/", 30))
		cut := got[:strings.LastIndexByte(got, '-')]
		if len(strings.TrimRight(cut, "%2F")) != pad || (len(cut)-pad)%3 != 0 {
			t.Errorf("cut inside an escape: %q", got)
		}
	}
}

func FuzzSegmentIsSafe(f *testing.F) {
	f.Add("a/b ~@[x]")
	f.Add(strings.Repeat("/", 100))
	f.Fuzz(func(t *testing.T, name string) {
		got := abi.Segment(name)
		if len(got) > 60 || strings.ContainsAny(got, "/?![] \n") || !utf8.ValidString(got) {
			t.Fatalf("Segment(%q) = %q", name, got)
		}
		for _, r := range got {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp) {
				t.Fatalf("Segment(%q) holds %U", name, r)
			}
		}
		if name != "" && (got == "" || got[0] == '~' || got[0] == '@') {
			t.Fatalf("Segment(%q) = %q", name, got)
		}
	})
}

// settle runs Settle and returns the ids as one line.
func settle(sections ...abi.Section) string {
	tree := abi.Tree{Sections: sections}
	tree.Settle(0)
	var ids []string
	for _, s := range tree.Sections {
		ids = append(ids, s.ID)
	}
	return strings.Join(ids, " ")
}

func TestSettle(t *testing.T) {
	top := func(id, title string, start int) abi.Section {
		return abi.Section{Parent: -1, ID: id, Title: title, Start: start, End: start + 1}
	}
	group := func(id string) abi.Section {
		return abi.Section{Parent: -1, Kind: abi.SectionGroup, ID: id}
	}
	in := func(parent int, s abi.Section) abi.Section { s.Parent = parent; return s }
	for rule, c := range map[string]struct {
		sections []abi.Section
		want     string
	}{
		"given, else slug, else position":  {[]abi.Section{top("k", "T", 0), top("", "A b", 1), top("", "", 2)}, "k a-b 2"},
		"equal siblings get numbers":       {[]abi.Section{top("x", "", 0), top("x", "", 1), top("x", "", 2)}, "x x-2 x-3"},
		"a number that is taken is passed": {[]abi.Section{top("x", "", 0), top("x-2", "", 1), top("x", "", 2)}, "x x-2 x-3"},
		"a group's id starts with @":       {[]abi.Section{group("z=1"), group("@z=2")}, "@z=1 @z=2"},
		"cousins may share an id":          {[]abi.Section{top("a", "", 0), top("b", "", 1), in(0, top("x", "", 0)), in(1, top("x", "", 1))}, "a b x x"},
		"groups add no segment, so members of two groups may not": {
			[]abi.Section{group("a"), group("b"), in(0, top("x", "", 0)), in(1, top("x", "", 1))}, "@a @b x x-2"},
		"positions follow the bytes, not the groups": {
			[]abi.Section{group("a"), group("b"), in(0, top("", "", 5)), in(0, top("", "", 9)), in(1, top("", "", 7))}, "@a @b 0 2 1"},
	} {
		if got := settle(c.sections...); got != c.want {
			t.Errorf("%s: got %s, want %s", rule, got, c.want)
		}
	}
}

func TestSettleKeepsEarlierIDs(t *testing.T) {
	tree := abi.Tree{Sections: []abi.Section{{Parent: -1, Title: "Setup", Start: 0, End: 5}}}
	tree.Settle(0)
	tree.Sections = append(tree.Sections, abi.Section{Parent: -1, Title: "Setup", Start: 5, End: 9})
	tree.Settle(1)
	if a, b := tree.Sections[0].ID, tree.Sections[1].ID; a != "setup" || b != "setup-2" {
		t.Errorf("got %s and %s, want setup and setup-2", a, b)
	}
}

// namesByMap computes the ids that Settle must assign, using a map.
func namesByMap(sections []abi.Section) (ids []string) {
	type key struct {
		parent int
		id     string
	}
	tried := make(map[key]int)
	for _, s := range sections {
		id := s.ID
		for n := tried[key{s.Parent, id}]; n > 0; {
			n++
			next := s.ID + "-" + strconv.Itoa(n)
			if tried[key{s.Parent, next}] == 0 {
				tried[key{s.Parent, id}] = n
				id = next
				break
			}
		}
		tried[key{s.Parent, id}] = 1
		ids = append(ids, id)
	}
	return ids
}

func TestSettleNumbersEqualSiblings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	words := []string{"a", "a-2", "a-3", "b", "b-2", "a-2-2"}
	for range 300 {
		sections := make([]abi.Section, rnd.IntN(80))
		for i := range sections {
			sections[i] = abi.Section{Parent: rnd.IntN(min(i, 4)+1) - 1, ID: words[rnd.IntN(len(words))], Start: i, End: i + 1}
		}
		want := strings.Join(namesByMap(sections), " ")
		if got := settle(sections...); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

func BenchmarkSettle(b *testing.B) {
	for name, id := range map[string]func(i int) string{
		"unique":    func(i int) string { return "element" + strconv.Itoa(i) },
		"equal":     func(int) string { return "item" },
		"positions": func(int) string { return "" },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				tree := abi.Tree{Sections: make([]abi.Section, 40_000)}
				for i := range tree.Sections {
					tree.Sections[i] = abi.Section{Parent: -1, ID: id(i), Start: i, End: i + 1}
				}
				tree.Settle(0)
			}
		})
	}
}
