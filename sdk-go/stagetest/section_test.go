package stagetest_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// Added Sections have their kinds, ids and spans.
func TestSections(t *testing.T) {
	input := "# One\naaa\n# Two\nbbb\n"
	got := pass(t, stagetest.Call{Input: input}, func(c *stage.Ctx) {
		one, _ := c.Sections.Add(stage.Top, c.Input, 0, 10, "One")
		two, _ := c.Sections.Add(stage.Top, c.Original, 10, 20, "Two")
		body, _ := c.Input.View(16, 4)
		c.Sections.Add(two, body, 0, 3, "")
		group, _ := c.Sections.Group(one, "All of it")
		c.Sections.Add(group, c.Input, 6, 9, "Letters!")
		c.Sections.Derived(group, "three letters", "Note")
		c.Sections.SetID(group, "grouped")
		c.Sections.SetSummaryText(one, "letters")
		c.Sections.SetTitleSpan(two, c.Input, 10, 5)
	})
	wanted := []stagetest.Section{
		{Parent: -1, Kind: stage.Exact, Start: 0, End: 10, ID: "one", Title: "One", Summary: "letters", Text: "# One\naaa\n"},
		{Parent: -1, Kind: stage.Exact, Start: 10, End: 20, ID: "two", Title: "# Two", Text: "# Two\nbbb\n"},
		{Parent: 1, Kind: stage.Exact, Start: 16, End: 19, ID: "0", Text: "bbb"},
		{Parent: 0, Kind: stage.Group, ID: "@grouped", Title: "All of it"},
		{Parent: 3, Kind: stage.Exact, Start: 6, End: 9, ID: "letters", Title: "Letters!", Text: "aaa"},
		{Parent: 3, Kind: stage.Derived, Start: 0, End: 13, ID: "note", Title: "Note", Text: "three letters"},
	}
	same(t, got.Sections, wanted)
}

func same(t *testing.T, got, wanted []stagetest.Section) {
	t.Helper()
	for i := range max(len(got), len(wanted)) {
		switch {
		case i >= len(got):
			t.Errorf("section %d is missing, want %+v", i, wanted[i])
		case i >= len(wanted):
			t.Errorf("section %d is %+v, want none", i, got[i])
		case got[i] != wanted[i]:
			t.Errorf("section %d is %+v, want %+v", i, got[i], wanted[i])
		}
	}
}

func TestSectionsThatCannotBeAdded(t *testing.T) {
	type add struct {
		parent     int
		start, end int
	}
	tests := []struct {
		name   string
		before []add
		bad    add
		code   stage.Code
		text   string
	}{
		{"empty span", nil, add{-1, 3, 3}, stage.BadArg, "is empty"},
		{"end before start", nil, add{-1, 5, 3}, stage.BadArg, "span 5"},
		{"beyond the end", nil, add{-1, 3, 99}, stage.BadArg, "of a buffer of"},
		{"negative start", nil, add{-1, -3, 2}, stage.BadArg, "span -3"},
		{"start in a code point", nil, add{-1, 1, 4}, stage.BadArg, "cuts a code point"},
		{"end in a code point", nil, add{-1, 0, 1}, stage.BadArg, "cuts a code point"},
		{"no such parent", nil, add{0, 0, 2}, stage.BadArg, "no parent 0"},
		{"parent below the top", nil, add{-2, 0, 2}, stage.BadArg, "no parent -2"},
		{"before its sibling ended", []add{{-1, 2, 6}}, add{-1, 5, 8}, stage.BadArg, "before its sibling ends at 6"},
		{"before an earlier sibling", []add{{-1, 4, 6}}, add{-1, 2, 3}, stage.BadArg, "before its sibling"},
		{"outside its parent", []add{{-1, 2, 6}}, add{0, 2, 7}, stage.BadArg, "leaves its nearest exact ancestor"},
		{"outside its grandparent", []add{{-1, 2, 8}, {0, 3, 6}}, add{1, 2, 4}, stage.BadArg, "leaves its nearest exact ancestor"},
		{"sibling under an exact parent", []add{{-1, 0, 8}, {0, 2, 4}}, add{0, 3, 6}, stage.BadArg, "before its sibling"},
		{"a number that is no offset", nil, add{-1, 0, 1 << 40}, stage.BadArg, "span"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := pass(t, stagetest.Call{Input: "é23456789"}, func(c *stage.Ctx) {
				for _, a := range tt.before {
					if _, err := c.Sections.Add(a.parent, c.Input, a.start, a.end, ""); err != nil {
						t.Fatal(err)
					}
				}
				i, err := c.Sections.Add(tt.bad.parent, c.Input, tt.bad.start, tt.bad.end, "")
				if !errors.Is(err, tt.code) || !strings.Contains(err.Error(), tt.text) || i != -1 {
					t.Errorf("position %d, error %v, want -1 and %v with %q", i, err, tt.code, tt.text)
				}
			})
			want(t, "sections", len(got.Sections), len(tt.before))
		})
	}
}

func TestOverlapFailsTheCall(t *testing.T) {
	input := strings.Repeat("x", 2000)
	tests := []struct {
		name  string
		build func(s stage.Sections, in stage.Buf, group int)
		want  string
	}{
		{"children of a group in any order", func(s stage.Sections, in stage.Buf, group int) {
			s.Add(group, in, 100, 200, "b")
			s.Add(group, in, 0, 100, "a")
		}, ""},
		{"children of a group", func(s stage.Sections, in stage.Buf, group int) {
			s.Add(group, in, 1000, 1300, "lights")
			s.Add(group, in, 1204, 1400, "rooms")
		}, `sections "lights" and "rooms" overlap at byte 1,204`},
		{"child of a group and its aunt", func(s stage.Sections, in stage.Buf, group int) {
			s.Add(group, in, 0, 100, "a")
			s.Add(stage.Top, in, 99, 110, "b")
		}, `sections "a" and "b" overlap at byte 99`},
		{"children of derived sections", func(s stage.Sections, in stage.Buf, group int) {
			d, _ := s.Derived(stage.Top, "text", "d")
			s.Add(d, in, 0, 10, "a")
			s.Add(group, in, 5, 20, "b")
		}, `sections "a" and "b" overlap at byte 5`},
		{"parent and child", func(s stage.Sections, in stage.Buf, group int) {
			a, _ := s.Add(stage.Top, in, 0, 10, "a")
			s.Add(a, in, 0, 10, "b")
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, stagetest.Call{Input: input}, func(c *stage.Ctx) error {
				group, _ := c.Sections.Group(stage.Top, "g")
				tt.build(c.Sections, c.Input, group)
				return stage.Pass
			})
			want(t, "reason", got.Reason, tt.want)
		})
	}
}

// Only spans of the original are exact.
func TestKindFollowsFromTheBuffer(t *testing.T) {
	original := `{"a":"x\ny","b":[1,2]}`
	tests := []struct {
		name string
		buf  func(c *stage.Ctx) (stage.Buf, error)
		want stage.SectionKind
	}{
		{"original", func(c *stage.Ctx) (stage.Buf, error) { return c.Original, nil }, stage.Exact},
		{"view of it", func(c *stage.Ctx) (stage.Buf, error) { return c.Original.View(3, 5) }, stage.Exact},
		{"a value in it", func(c *stage.Ctx) (stage.Buf, error) { return c.Original.JSON().Get("/b") }, stage.Exact},
		{"input once it is changed", func(c *stage.Ctx) (stage.Buf, error) { return c.Input, nil }, stage.Derived},
		{"string in it", func(c *stage.Ctx) (stage.Buf, error) { return c.Original.JSON().Get("/a") }, stage.Decoded},
		{"string in it by span", func(c *stage.Ctx) (stage.Buf, error) {
			s, _, _ := c.Original.JSON().Span("/a")
			return c.Original.JSON().Text(s)
		}, stage.Decoded},
		{"view of such a string", func(c *stage.Ctx) (stage.Buf, error) {
			text, _ := c.Original.JSON().Get("/a")
			return text.View(2, 1)
		}, stage.Decoded},
		{"string of the config", func(c *stage.Ctx) (stage.Buf, error) { return c.Config.JSON().Get("/k") }, stage.Derived},
		{"own text", func(c *stage.Ctx) (stage.Buf, error) { return c.Put("mine") }, stage.Derived},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pass(t, stagetest.Call{Input: "changed", Original: original, Config: `{"k":"v"}`}, func(c *stage.Ctx) {
				outer, _ := c.Sections.Add(stage.Top, c.Original, 0, len(original), "")
				b, err := tt.buf(c)
				want(t, "buffer error", err, nil)
				i, err := c.Sections.Add(outer, b, 0, 1, "")
				want(t, "error", err, nil)
				want(t, "kind", c.Sections.List()[i].Kind, tt.want)
				body, _ := c.Sections.Text(i, stage.TextBody)
				want(t, "body", body.String(), b.String()[:1])
			})
		})
	}
}

func TestDecodedSections(t *testing.T) {
	input := `{"a":"one\ntwo","b":"other"}`
	got := pass(t, stagetest.Call{Input: input}, func(c *stage.Ctx) {
		j := c.Input.JSON()
		a, _, _ := j.Span("/a")
		b, _, _ := j.Span("/b")
		inA, _ := c.Sections.Add(stage.Top, c.Input, a.Start, a.End, "a")
		inB, _ := c.Sections.Add(stage.Top, c.Input, b.Start, b.End, "b")
		text, _ := j.Text(a)
		line, err := c.Sections.Add(inA, text, 0, 4, "first line")
		want(t, "error", err, nil)
		refused := []struct {
			name       string
			parent     int
			start, end int
		}{
			{"at the top", stage.Top, 4, 7},
			{"below another literal", inB, 4, 7},
			{"outside its decoded parent", line, 2, 5},
		}
		for _, r := range refused {
			if _, err := c.Sections.Add(r.parent, text, r.start, r.end, ""); !errors.Is(err, stage.BadArg) {
				t.Errorf("%s: %v, want bad arg", r.name, err)
			}
		}
		_, err = c.Sections.Add(line, text, 0, 3, "word")
		want(t, "inside its decoded parent", err, nil)
	})
	want(t, "text", got.Sections[2].Text, "one\n")
	want(t, "literal", got.Sections[2].Literal, stage.Span{Start: 5, End: 15})
}

func TestGroupsStandInDecodedText(t *testing.T) {
	input := `{"a":"one\ntwo","b":"other"}`
	add := func(spans ...[2]int) stagetest.Result {
		return run(t, stagetest.Call{Input: input}, func(c *stage.Ctx) error {
			a, _, _ := c.Input.JSON().Span("/a")
			text, _ := c.Input.JSON().Text(a)
			holder, _ := c.Sections.Add(stage.Top, c.Input, a.Start, a.End, "a")
			group, _ := c.Sections.Group(holder, "lines")
			for _, s := range spans {
				if _, err := c.Sections.Add(group, text, s[0], s[1], ""); err != nil {
					t.Error(err)
				}
			}
			top, _ := c.Sections.Group(stage.Top, "elsewhere")
			if _, err := c.Sections.Add(top, text, 0, 4, ""); !errors.Is(err, stage.BadArg) {
				t.Errorf("in a group outside the string: %v, want bad arg", err)
			}
			return stage.Pass
		})
	}
	got := add([2]int{4, 7}, [2]int{0, 4})
	want(t, "outcome", got.Outcome, stagetest.Pass)
	want(t, "text", got.Sections[2].Text+got.Sections[3].Text, "twoone\n")
	want(t, "outcome of parts that overlap", add([2]int{0, 5}, [2]int{4, 7}).Outcome, stagetest.Fail)
}

// The tree of an earlier stage can be extended, but not renumbered.
func TestEarlierSections(t *testing.T) {
	call := stagetest.Call{Input: "changed", Original: "aaabbb", Sections: []stagetest.Section{
		{Parent: -1, Kind: stage.Exact, Start: 0, End: 3, ID: "first", Title: "First"},
	}}
	got := pass(t, call, func(c *stage.Ctx) {
		want(t, "length", c.Sections.Len(), 1)
		i, err := c.Sections.Add(0, c.Original, 1, 3, "First")
		want(t, "position", i, 1)
		want(t, "error", err, nil)
		c.Sections.Add(0, c.Original, 3, 4, "outside")
		c.Sections.SetTitle(0, "Renamed")
		c.Sections.SetSummary(0, c.Input, 0, 6)
		if err := c.Sections.SetID(0, "new"); !errors.Is(err, stage.BadArg) {
			t.Errorf("id of an earlier section: %v, want bad arg", err)
		}
		list := c.Sections.List()
		want(t, "record", list[0], stage.Section{Parent: -1, Kind: stage.Exact, Start: 0, End: 3, Children: 1, HasSummary: true})
		want(t, "record of the child", list[1], stage.Section{Parent: 0, Kind: stage.Exact, Start: 1, End: 3, Depth: 1})
		for what, wanted := range map[stage.SectionText]string{stage.TextID: "first", stage.TextTitle: "Renamed", stage.TextSummary: "change", stage.TextBody: "aaa"} {
			text, _ := c.Sections.Text(0, what)
			want(t, "text "+strconv.Itoa(int(what)), text.String(), wanted)
		}
		if _, err := c.Sections.Text(2, stage.TextID); !errors.Is(err, stage.NotFound) {
			t.Errorf("text of no section: %v, want not found", err)
		}
	})
	same(t, got.Sections, []stagetest.Section{
		{Parent: -1, Kind: stage.Exact, Start: 0, End: 3, ID: "first", Title: "Renamed", Summary: "change", Text: "aaa"},
		{Parent: 0, Kind: stage.Exact, Start: 1, End: 3, ID: "first", Title: "First", Text: "aa"},
	})
}

func TestIDs(t *testing.T) {
	long := strings.Repeat("é", 40)
	tests := []struct{ name, id, title, want string }{
		{"slug of the title", "", "Hello,  World!", "hello-world"},
		{"other scripts", "", "Füße & 北京", "füße-北京"},
		{"nothing left of the title", "", "***", "0"},
		{"given", "Keep Case", "x", "Keep%20Case"},
		{"path characters", "a/b?c!d[e]f%", "", "a%2Fb%3Fc%21d%5Be%5Df%25"},
		{"leading at sign", "@x@", "", "%40x@"},
		{"leading tilde", "~1", "", "%7E1"},
		{"bidi override", "a\u202eb", "", "a%E2%80%AEb"},
		{"zero width", "a\u200bb", "", "a%E2%80%8Bb"},
		{"long, cut before an escape", "k" + strings.Repeat("/", 30), "", "k%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F-8222697a"},
		{"long, cut between escapes", "kk" + strings.Repeat("/", 30), "", "kk%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F-3ae2cadc"},
		{"long", "", long, strings.Repeat("é", 25) + "-84fe2e03"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := pass(t, stagetest.Call{Input: "a"}, func(c *stage.Ctx) {
				i, _ := c.Sections.Add(stage.Top, c.Input, 0, 1, tt.title)
				if tt.id != "" {
					want(t, "error", c.Sections.SetID(i, tt.id), nil)
				}
			})
			want(t, "id", got.Sections[0].ID, tt.want)
		})
	}
}

func TestEqualIDsAreNumberedAcrossGroups(t *testing.T) {
	got := pass(t, stagetest.Call{Input: "abcdef"}, func(c *stage.Ctx) {
		c.Sections.Add(stage.Top, c.Input, 0, 1, "setup")
		group, _ := c.Sections.Group(stage.Top, "setup")
		c.Sections.Add(group, c.Input, 1, 2, "setup")
		other, _ := c.Sections.Add(stage.Top, c.Input, 2, 4, "setup-2")
		c.Sections.Add(other, c.Input, 2, 3, "setup")
		c.Sections.Add(group, c.Input, 4, 5, "setup")
	})
	var ids []string
	for _, s := range got.Sections {
		ids = append(ids, s.ID)
	}
	want(t, "ids", strings.Join(ids, " "), "setup @setup setup-2 setup-2-2 setup setup-3")
}

func TestSectionLimits(t *testing.T) {
	call := stagetest.Call{Input: strings.Repeat("x", 100), Context: stagetest.Context{Limits: stage.Limits{Sections: 70}}}
	got := pass(t, call, func(c *stage.Ctx) {
		parent := stage.Top
		for depth := range 64 {
			i, err := c.Sections.Add(parent, c.Input, 0, 100, "")
			if err != nil {
				t.Fatalf("depth %d: %v", depth, err)
			}
			parent = i
		}
		if _, err := c.Sections.Add(parent, c.Input, 0, 1, ""); !errors.Is(err, stage.Limit) {
			t.Errorf("65 levels: %v, want limit", err)
		}
		for range 6 {
			c.Sections.Group(stage.Top, "g")
		}
		if _, err := c.Sections.Group(stage.Top, "g"); !errors.Is(err, stage.Limit) {
			t.Errorf("section 71: %v, want limit", err)
		}
		c.Sections.SetTitle(0, strings.Repeat("é", 200))
		c.Sections.SetSummaryText(0, strings.Repeat("x", 3000))
		if err := c.Sections.SetTitle(0, "\xff"); !errors.Is(err, stage.BadArg) {
			t.Errorf("title that is not UTF-8: %v, want bad arg", err)
		}
	})
	want(t, "sections", len(got.Sections), 70)
	want(t, "title is cut", got.Sections[0].Title, strings.Repeat("é", 128))
	want(t, "summary is cut", len(got.Sections[0].Summary), 2048)
}

func TestSectionTextsAreLimitedInSum(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	pass(t, stagetest.Call{}, func(c *stage.Ctx) {
		if _, err := c.Sections.Derived(stage.Top, big+"x", ""); !errors.Is(err, stage.Limit) {
			t.Errorf("body over 1 MiB: %v, want limit", err)
		}
		for i := range 8 {
			if _, err := c.Sections.Derived(stage.Top, big, ""); err != nil {
				t.Fatalf("body %d: %v", i, err)
			}
		}
		if _, err := c.Sections.Derived(stage.Top, "x", ""); !errors.Is(err, stage.Limit) {
			t.Errorf("more than 8 MiB: %v, want limit", err)
		}
		want(t, "sections", c.Sections.Len(), 8)
	})
}

func TestFilterHasNoSections(t *testing.T) {
	call := stagetest.Call{Input: "a", Context: stagetest.Context{Filter: true}}
	pass(t, call, func(c *stage.Ctx) {
		_, err := c.Sections.Add(stage.Top, c.Input, 0, 1, "")
		for name, err := range map[string]error{"add": err, "index": c.Out.Index(stage.Top, 0, 0), "title": c.Sections.SetTitle(0, "x")} {
			if !errors.Is(err, stage.Unsupported) {
				t.Errorf("%s: %v, want unsupported", name, err)
			}
		}
	})
}

// The SDK allocates nothing per Section, so that a split of 40,000 is cheap in a guest.
// The allocations here are those of the test host.
func TestFortyThousandSections(t *testing.T) {
	input := strings.Repeat("line\n", 40000)
	got := pass(t, stagetest.Call{Input: input}, func(c *stage.Ctx) {
		for s := range c.Input.Lines(0) {
			if _, err := c.Sections.Add(stage.Top, c.Input, s.Start, s.End, ""); err != nil {
				t.Fatal(err)
			}
		}
		want(t, "list", len(c.Sections.List()), 40000)
	})
	want(t, "last id", got.Sections[39999].ID, "39999")
}
