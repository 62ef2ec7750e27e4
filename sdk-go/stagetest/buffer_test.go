package stagetest_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestReading(t *testing.T) {
	text := strings.Repeat("0123456789", 2000)
	pass(t, stagetest.Call{Input: text}, func(c *stage.Ctx) {
		want(t, "length", c.Input.Len(), len(text))
		want(t, "bytes", string(c.Input.Bytes()), text)
		want(t, "bytes are read once", &c.Input.Bytes()[0], &c.Input.Bytes()[0])
		all, err := io.ReadAll(io.NewSectionReader(c.Input, 5, 12000))
		want(t, "section reader", string(all), text[5:12005])
		want(t, "section reader error", err, nil)
		p := make([]byte, 8)
		n, err := c.Input.ReadAt(p, int64(len(text)-3))
		want(t, "read over the end", string(p[:n]), "789")
		want(t, "read over the end error", err, io.EOF)
		for _, off := range []int64{-1, int64(len(text)) + 1, 1 << 40} {
			if _, err := c.Input.ReadAt(p, off); !errors.Is(err, stage.BadArg) {
				t.Errorf("read at %d: %v, want bad arg", off, err)
			}
		}
	})
}

func TestFind(t *testing.T) {
	pass(t, stagetest.Call{Input: "abcabc"}, func(c *stage.Ctx) {
		want(t, "first", c.Input.Find("bc"), 1)
		want(t, "from its own place", c.Input.FindFrom(1, "bc"), 1)
		want(t, "next", c.Input.FindFrom(2, "bc"), 4)
		want(t, "none", c.Input.Find("x"), -1)
		want(t, "from the end", c.Input.FindFrom(6, "a"), -1)
	})
}

// The lines concatenate to the text, for any length relative to the page of the SDK.
func TestLinesConcatenateToTheText(t *testing.T) {
	texts := map[string]string{
		"empty": "", "no newline": "a", "ends in newline": "a\n", "blank lines": "\n\n\n", "CRLF": "a\r\nb",
		"one page": strings.Repeat("x\n", 1024), "one more": strings.Repeat("x\n", 1025), "three pages": strings.Repeat("ab\n", 3*1024) + "end",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			pass(t, stagetest.Call{Input: text}, func(c *stage.Ctx) {
				var joined strings.Builder
				count := 0
				for s := range c.Input.Lines(0) {
					line := text[s.Start:s.End]
					if strings.Count(line, "\n") > 1 || line == "" {
						t.Errorf("line %q", line)
					}
					joined.WriteString(line)
					count++
				}
				want(t, "joined", joined.String(), text)
				want(t, "count", count, len(slices.Collect(strings.Lines(text))))
			})
		})
	}
}

func TestLinesCanBeLeftAndNest(t *testing.T) {
	text := strings.Repeat("line\n", 3000)
	pass(t, stagetest.Call{Input: text}, func(c *stage.Ctx) {
		pairs := 0
		for a := range c.Input.Lines(10) {
			for b := range c.Input.Lines(a.Start) {
				if b.Start < a.Start {
					t.Fatalf("inner line at %d, outer at %d", b.Start, a.Start)
				}
				if pairs++; pairs%3 == 0 {
					break
				}
			}
			if a.Start > 200 {
				break
			}
		}
		want(t, "pairs", pairs, 3*40)
	})
}

func TestGrep(t *testing.T) {
	text := "Alpha\nbeta 12\nGAMMA 345\n"
	tests := []struct {
		name    string
		off     int
		pattern string
		flags   stage.GrepFlags
		want    []string
	}{
		{"digits", 0, `[0-9]+`, 0, []string{"12", "345"}},
		{"from an offset", 12, `[0-9]+`, 0, []string{"2", "345"}},
		{"ignore case", 0, `gamma`, stage.IgnoreCase, []string{"GAMMA"}},
		{"by line", 0, `^\w+`, stage.ByLine, []string{"Alpha", "beta", "GAMMA"}},
		{"dot all", 0, `a.b`, stage.DotAll, []string{"a\nb"}},
		{"literal", 0, `[0-9]`, stage.Literal, nil},
		{"none", 0, `zzz`, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pass(t, stagetest.Call{Input: text}, func(c *stage.Ctx) {
				spans, err := c.Input.Grep(tt.off, tt.pattern, tt.flags)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, s := range spans {
					got = append(got, text[s.Start:s.End])
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("%q, want %q", got, tt.want)
				}
			})
		})
	}
}

func TestGrepFindsMoreThanAPageHolds(t *testing.T) {
	pass(t, stagetest.Call{Input: strings.Repeat("ab", 5000)}, func(c *stage.Ctx) {
		spans, err := c.Input.Grep(0, "a", 0)
		want(t, "error", err, nil)
		want(t, "matches", len(spans), 5000)
		want(t, "the last one", spans[4999], stage.Span{Start: 9998, End: 9999})
		_, err = c.Input.Grep(0, "(", 0)
		if !errors.Is(err, stage.BadArg) || !strings.Contains(err.Error(), "missing closing )") {
			t.Errorf("bad pattern: %v", err)
		}
	})
}

func TestGrepNFindsTheFirst(t *testing.T) {
	pass(t, stagetest.Call{Input: strings.Repeat("ab", 5000)}, func(c *stage.Ctx) {
		spans, err := c.Input.GrepN(1, 3, "a", 0)
		want(t, "error", err, nil)
		want(t, "matches", len(spans), 3)
		want(t, "the first one", spans[0], stage.Span{Start: 2, End: 3})
		spans, _ = c.Input.GrepN(9990, 1000, "a", 0)
		want(t, "fewer than asked for", len(spans), 5)
		if _, err = c.Input.GrepN(0, 3, "(", 0); !errors.Is(err, stage.BadArg) {
			t.Errorf("bad pattern: %v", err)
		}
	})
}

func TestHashAndTokens(t *testing.T) {
	pass(t, stagetest.Call{Input: "hello world"}, func(c *stage.Ctx) {
		want(t, "hash of a span", c.Input.Hash(6, -1), sha256.Sum256([]byte("world")))
		want(t, "tokens of two words", c.Input.Tokens(0, -1), 1)
		want(t, "tokens of nothing", c.Input.Tokens(3, 0), 0)
	})
	pass(t, stagetest.Call{Input: `{"temperature": 21.5, "unit": "celsius"}` + "\n"}, func(c *stage.Ctx) {
		want(t, "tokens of JSON", c.Input.Tokens(0, -1), 17)
	})
}

func TestHandles(t *testing.T) {
	pass(t, stagetest.Call{Input: "0123456789"}, func(c *stage.Ctx) {
		view, err := c.Input.View(2, 6)
		want(t, "view error", err, nil)
		inner, _ := view.View(1, 3)
		want(t, "view of a view", inner.String(), "345")
		_, err = c.Input.View(5, 6)
		if !errors.Is(err, stage.BadArg) {
			t.Errorf("view over the end: %v, want bad arg", err)
		}
		own, _ := c.Put("own")
		want(t, "put", own.String(), "own")
		view.Free()
		if _, err := view.View(0, 1); !errors.Is(err, stage.BadArg) {
			t.Errorf("view of what was freed: %v, want bad arg", err)
		}
		c.Input.Free()
		want(t, "input cannot be freed", c.Input.Len(), 10)
	})
}

func TestHandlesAreLimited(t *testing.T) {
	pass(t, stagetest.Call{Input: "a"}, func(c *stage.Ctx) {
		var first stage.Buf
		for i := range 1024 {
			b, err := c.Input.View(0, 1)
			if err != nil {
				t.Fatalf("handle %d: %v", i, err)
			}
			if i == 0 {
				first = b
			}
		}
		if _, err := c.Input.View(0, 1); !errors.Is(err, stage.Limit) {
			t.Errorf("handle 1025: %v, want limit", err)
		}
		first.Free()
		if _, err := c.Input.View(0, 1); err != nil {
			t.Errorf("after Free: %v", err)
		}
	})
}

// The getters of the SDK free their handles.
func TestGettersFreeTheirHandles(t *testing.T) {
	call := stagetest.Call{Config: `{"s":"a","l":["x","y"]}`, Cache: map[string]string{"k": "v"}}
	pass(t, call, func(c *stage.Ctx) {
		for range 1500 {
			c.String("s", "")
			c.Strings("l")
			c.Project()
			c.Limits()
			c.Cache.Get("k")
			c.Sections.SetTitle(7, "title")
			c.Config.JSON().String("/s")
			c.Original.View(9, 9)
		}
		b, err := c.Put("still room")
		want(t, "error", err, nil)
		want(t, "text", b.String(), "still room")
	})
}

func TestOutIsAWriter(t *testing.T) {
	got := run(t, stagetest.Call{Input: "0123456789"}, func(c *stage.Ctx) error {
		if _, err := io.Copy(c.Out, bytes.NewReader([]byte("head "))); err != nil {
			return err
		}
		if err := c.Out.Span(c.Input, 8, -1); err != nil {
			return err
		}
		_, err := io.WriteString(c.Out, " tail")
		return err
	})
	want(t, "output", got.Output, "head 89 tail")
}

func TestMarks(t *testing.T) {
	call := stagetest.Call{
		Input: "abc|def", Original: "other",
		Marks:    []stagetest.Mark{{Offset: 3, Section: -1, Lines: 5}, {Offset: 6, Section: 0}},
		Sections: []stagetest.Section{{Parent: -1, Kind: stage.Exact, Start: 0, End: 5, ID: "a"}},
	}
	got := run(t, call, func(c *stage.Ctx) error {
		c.Out.WriteString("> ")
		c.Out.Index(0, 0, 100)
		return c.Out.Span(c.Input, 2, 3)
	})
	wanted := []stagetest.Mark{{Offset: 2, Section: 0, Bytes: 100}, {Offset: 3, Section: -1, Lines: 5}}
	if !slices.Equal(got.Marks, wanted) {
		t.Errorf("marks %v, want %v", got.Marks, wanted)
	}
	got = pass(t, call, func(c *stage.Ctx) { c.Out.Index(0, 0, 0) })
	if !slices.Equal(got.Marks, call.Marks) {
		t.Errorf("marks after pass %v, want those of the call", got.Marks)
	}
	run(t, call, func(c *stage.Ctx) error {
		if err := c.Out.Index(1, 0, 0); !errors.Is(err, stage.NotFound) {
			t.Errorf("index of no section: %v, want not found", err)
		}
		return stage.Pass
	})
}

// The zero Buf that is returned with an error can be read.
func TestZeroBufReadsAsEmpty(t *testing.T) {
	got := pass(t, stagetest.Call{Input: "a"}, func(c *stage.Ctx) {
		b, err := c.Input.View(0, 9)
		want(t, "refused", errors.Is(err, stage.BadArg), true)
		want(t, "length", b.Len(), 0)
		want(t, "text", b.String(), "")
		want(t, "find", b.Find("a"), -1)
		for range b.Lines(0) {
			t.Error("a line of nothing")
		}
		for range b.JSON().Each("") {
			t.Error("a child of nothing")
		}
		want(t, "hash", b.Hash(0, -1), [32]byte{})
		b.Free()
		_, view := b.View(0, 0)
		_, add := c.Sections.Add(stage.Top, b, 0, 0, "no group")
		for name, err := range map[string]error{"view": view, "add": add, "span": c.Out.Span(b, 0, -1), "kind": second(b.JSON().Kind(""))} {
			if !errors.Is(err, stage.BadArg) {
				t.Errorf("%s: %v, want bad arg", name, err)
			}
		}
	})
	want(t, "sections", len(got.Sections), 0)
}

func TestArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		"": "|", `{"query":"boat"}`: `{"query":"boat"}|`,
		`{"_question":"which one?"}`: `{"_question":"which one?"}|which one?`,
	} {
		got := run(t, stagetest.Call{Arguments: arguments}, func(c *stage.Ctx) error {
			_, err := c.Out.WriteString(c.Arguments().String() + "|" + c.Question())
			return err
		})
		if got.Output != want {
			t.Errorf("%s: %q, want %q", arguments, got.Output, want)
		}
	}
}
