package stagetest

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	stage.Register("archived", func(c *stage.Ctx) error {
		switch text := c.Input.String(); {
		case strings.HasPrefix(text, "fail"):
			return stage.Fail("as %s", c.String("how", "asked"))
		case strings.HasPrefix(text, "pass"):
			return stage.Pass
		case strings.HasPrefix(text, "ask"):
			answer, err := c.LLM.Complete(stage.Request{})
			if err != nil {
				return err
			}
			return c.Out.Span(answer, 0, -1)
		case strings.HasPrefix(text, "keep"):
			before, _ := c.Cache.Get("k")
			if err := c.Cache.Set("k", []byte(c.String("value", "new"))); err != nil {
				return err
			}
			_, err := c.Out.Write(before)
			return err
		case strings.HasPrefix(text, "mark"):
			outer, _ := c.Sections.Add(stage.Top, c.Input, 0, 5, "outer")
			inner, _ := c.Sections.Add(outer, c.Input, 0, 2, "inner")
			c.Out.WriteString("é\n")
			c.Out.Index(stage.Top, 0, 0)
			return c.Out.Index(inner, 3, 0)
		}
		whole, _ := c.Sections.Add(stage.Top, c.Input, 0, c.Input.Len(), c.Hint())
		group, _ := c.Sections.Group(whole, "g")
		c.Sections.Derived(group, "own", "note")
		c.Sections.SetSummaryText(whole, "all of it")
		c.Meta("type", "text")
		return c.Out.Span(c.Input, 0, 2)
	})
}

const wholeTree = "whole 0-5 \"all of it\"\n  @g 0-0 group\n    note 0-3 derived\n"

func TestArchives(t *testing.T) {
	tests := []struct {
		name, archive, problem string
	}{
		{"all as wanted", "a comment\n-- context --\n{\"hint\":\"whole\"}\n-- input --\ntext\n-- want --\nte\n-- sections --\n" + wholeTree + "-- meta --\ntype: text\n", ""},
		{"another output", "-- input --\ntext\n-- want --\nto\n", "output is\nte\nwant\nto"},
		{"another tree", "-- input --\ntext\n-- want --\nte\n-- sections --\nwhole 0-5\n", "tree is"},
		{"other metadata", "-- input --\ntext\n-- want --\nte\n-- meta --\ntype: yaml\n", "metadata type is\ntext\nwant\nyaml"},
		{"pass is wanted", "-- input --\npass\n", ""},
		{"pass is not wanted", "-- input --\npass\n-- want --\nx\n", "outcome pass"},
		{"done is not wanted", "-- input --\ntext\n", "outcome done"},
		{"failure is wanted", "-- config --\n{\"how\":\"told\"}\n-- input --\nfail\n-- fail --\nas told\n", ""},
		{"another reason", "-- input --\nfail\n-- fail --\nas told\n", "reason is\nas asked\nwant\nas told"},
		{"LLM answers", "-- input --\nask\n-- llm --\nanswer: yes\n-- want --\nyes\n", ""},
		{"LLM fails", "-- input --\nask\n-- llm --\nfails\n-- fail --\nrequest 1: error from upstream\n", ""},
		{"LLM answers nothing", "-- input --\nask\n-- llm --\nempty\n-- want --\n", ""},
		{"LLM lies", "-- input --\nask\n-- llm --\nlies\n-- want --\n" + lie + "\n", ""},
		{"LLM is slow", "-- input --\nask\n-- llm --\nslow\n-- fail --\nrequest 1 has no answer yet\n", ""},
		{"cold cache", "-- input --\nkeep\n-- want --\n-- kept --\nk: new\n", ""},
		{"kept value is not compared", "-- input --\nkeep\n-- want --\n", ""},
		{"warm cache", "-- input --\nkeep\n-- cache --\nk: old: er\n-- want --\nold: er\n-- kept --\nk: new\n", ""},
		{"a value of several lines", "-- input --\nkeep\n-- cache --\n\"k\": \"a\\nb\"\n-- want --\na\nb\n", ""},
		{"a value that is no text", "-- config --\n{\"value\":\"\"}\n-- input --\nkeep\n-- cache --\nk: hex 6162\n-- want --\nab\n-- kept --\nk: \"\"\n", ""},
		{"full cache", "-- input --\nkeep\n-- cache --\nfull\nk: old\n-- fail --\nlimit reached: cache values of the module are over 67108864 bytes (set limits.cache)\n-- kept --\n", ""},
		{"no cache", "-- input --\nkeep\n-- cache --\noff\n-- fail --\nno cache configured\n-- kept --\n", ""},
		{"another value is kept", "-- input --\nkeep\n-- want --\n-- kept --\nk: old\n", "kept in the cache is\nk: new\n\nwant\nk: old"},
		{"nothing should be kept", "-- input --\nkeep\n-- want --\n-- kept --\n", "kept in the cache is\nk: new"},
		{"places of an index", "-- input --\nmark\n-- want --\né\n-- index --\n3 /\n3 /outer/inner 3 0\n", ""},
		{"another place of an index", "-- input --\nmark\n-- want --\né\n-- index --\n2 /\n", "index is\n3 /\n3 /outer/inner 3 0\n\nwant\n2 /"},
		{"no index", "-- input --\ntext\n-- want --\nte\n-- index --\n0 /\n", "index is\n\nwant\n0 /"},
		{"no LLM", "-- input --\nask\n-- fail --\nno LLM provider configured\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := parseArchive(tt.archive, "")
			if err != nil {
				t.Fatal(err)
			}
			problems := strings.Join(a.compare(Run("archived", a.call())), "\n")
			if tt.problem == "" && problems != "" || !strings.Contains(problems, tt.problem) {
				t.Errorf("problems %q, want %q", problems, tt.problem)
			}
		})
	}
}

func TestBrokenArchives(t *testing.T) {
	for archive, want := range map[string]string{
		"-- want --\nx\n":                            "no input",
		"-- input --\n-- llm --\nyes\n":              `llm: want "answer: TEXT"`,
		"-- input --\n-- input --\n":                 "there twice",
		"-- input --\n-- output --\n":                "file output unknown",
		"-- input --\n-- config-file --\nx\n":        "file config-file unknown",
		"-- input --\n-- cache --\nempty\n":          `cache: "empty" is not KEY: VALUE, full or off`,
		"-- input --\n-- cache --\noff\nk: v\n":      "off holds nothing",
		"-- input --\n-- cache --\n\"k: v\n":         "is not KEY: VALUE",
		"-- input --\n-- cache --\n\"k\"x: v\n":      "is not KEY: VALUE",
		"-- input --\n-- cache --\nk: \"v\n":         "is not KEY: VALUE",
		"-- input --\n-- cache --\nk: hex 0\n":       "is not KEY: VALUE",
		"-- input --\n-- kept --\nfull\n":            `kept: "full" is not KEY: VALUE`,
		"-- input-file --\nnone.txt\n":               "none.txt",
		"-- input --\n-- context --\n{\"hint\":1}\n": "context:",
	} {
		if _, err := parseArchive(archive, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", archive, err, want)
		}
	}
}

func TestFilesBesideAnArchive(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.txt"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := parseArchive("-- input-file --\nin.txt\n-- want --\nte\n", dir)
	if err != nil {
		t.Fatal(err)
	}
	if a["input"] != "text" {
		t.Errorf("input %q, want the file's", a["input"])
	}
}

func TestDifferenceOfTwoRuns(t *testing.T) {
	a := Result{Outcome: Done, Output: "a"}
	if got := diffRuns(a, a); got != nil {
		t.Errorf("a run differs from itself: %v", got)
	}
	for name, b := range map[string]Result{
		"output":   {Outcome: Done, Output: "b"},
		"marks":    {Outcome: Done, Output: "a", Marks: []Mark{{}}},
		"kept":     {Outcome: Done, Output: "a", Kept: map[string]string{"k": "v"}},
		"sections": {Outcome: Done, Output: "a", Sections: []Section{{Parent: -1, ID: "x"}}},
	} {
		if got := diffRuns(a, b); len(got) != 1 {
			t.Errorf("another %s: %v, want one problem", name, got)
		}
	}
}

// Every value can be written and read again.
func TestCacheText(t *testing.T) {
	held := map[string]string{
		"k": "v", "": "", "two words": "a: b", "a: b": "x", "\"quoted\"": "\"v\"", " blank ": " v ", "lines\n": "a\nb\n",
		"-- k": "v --", "hex": "hex 00", "binary": "\x00\xff", "full": "off", "é<&>": "é<&>\u2028",
	}
	text := cacheText(held)
	way, got, err := parseCache(text)
	if way != CacheWorks || !maps.Equal(got, held) || err != nil {
		t.Errorf("%s is read as %q %q, %v", text, way, got, err)
	}
	for line := range strings.Lines(text) {
		if _, ok := fileName(line); ok {
			t.Errorf("%q looks like the name of a file", line)
		}
	}
}
