package stagetest

import (
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
		{"LLM says nothing", "-- input --\nask\n-- llm --\nempty\n-- want --\n", ""},
		{"LLM lies", "-- input --\nask\n-- llm --\nlies\n-- want --\n" + lie + "\n", ""},
		{"LLM is slow", "-- input --\nask\n-- llm --\nslow\n-- fail --\nrequest 1 has no answer yet\n", ""},
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
	if got := different(a, a); got != nil {
		t.Errorf("a run differs from itself: %v", got)
	}
	for name, b := range map[string]Result{
		"output":   {Outcome: Done, Output: "b"},
		"marks":    {Outcome: Done, Output: "a", Marks: []Mark{{}}},
		"sections": {Outcome: Done, Output: "a", Sections: []Section{{Parent: -1, ID: "x"}}},
	} {
		if got := different(a, b); len(got) != 1 {
			t.Errorf("another %s: %v, want one problem", name, got)
		}
	}
}
