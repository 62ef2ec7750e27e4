package stagetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// RunArchives runs a role over each txtar file that matches a pattern, such as
// "testdata/*.txtar", and compares what came out. Each is run twice: a stage must
// give the same for the same.
//
// Shape: comment lines, then files, each after a line "-- NAME --". All but input
// may be absent.
//
//	config    JSON object
//	context   JSON object with contentType, source, mime, hint, project, filter
//	input     the content
//	llm       answer: every answer is the rest of it; or one word: fails, slow
//	want      the new content; absent if the stage passes or fails
//	fail      the reason, if the stage fails
//	sections  the tree, one "ID START-END" a line, children indented by two
//	          blanks; a kind that is not exact stands behind, a summary after it
//	          in quotes
//	meta      metadata, one "KEY: VALUE" a line, those that matter
//
// A file always ends in a newline there. One that must not is a file beside the
// archive, and the archive has its name under input-file or want-file.
func RunArchives(t *testing.T, role, pattern string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archive matches %s: %v", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a, err := parseArchive(string(b), filepath.Dir(path))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			first, second := Run(role, a.call()), Run(role, a.call())
			for _, problem := range append(a.compare(first), different(first, second)...) {
				t.Errorf("%s: %s", path, problem)
			}
		})
	}
}

// archive is one txtar file: contents by name.
type archive map[string]string

var archiveNames = []string{"config", "context", "input", "llm", "want", "fail", "sections", "meta"}

func parseArchive(text, dir string) (archive, error) {
	a := archive{}
	name := ""
	for line := range strings.Lines(text) {
		if s, ok := strings.CutPrefix(line, "-- "); ok {
			if s, ok := strings.CutSuffix(strings.TrimRight(s, "\r\n"), " --"); ok {
				if name = s; a.has(name) {
					return nil, fmt.Errorf("file %s is there twice", name)
				}
				a[name] = ""
				continue
			}
		}
		if name != "" {
			a[name] += line
		}
	}
	for name := range a {
		plain := strings.TrimSuffix(name, "-file")
		if !slices.Contains(archiveNames, plain) || plain != name && plain != "input" && plain != "want" {
			return nil, fmt.Errorf("file %s unknown, want one of %s", name, strings.Join(archiveNames, ", "))
		}
		if plain == name {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, strings.TrimSpace(a[name])))
		if err != nil {
			return nil, err
		}
		a[plain] = string(b)
	}
	if !a.has("input") {
		return nil, fmt.Errorf("no input")
	}
	_, err := a.context()
	return a, err
}

func (a archive) has(name string) bool {
	_, ok := a[name]
	return ok
}

func (a archive) context() (Context, error) {
	var c struct {
		Project, Source, MIME, Hint string
		ContentType                 stage.ContentType
		Filter                      bool
	}
	if a.has("context") {
		if err := json.Unmarshal([]byte(a["context"]), &c); err != nil {
			return Context{}, fmt.Errorf("context: %w", err)
		}
	}
	return Context{Project: c.Project, Source: c.Source, MIME: c.MIME, Hint: c.Hint, ContentType: c.ContentType, Filter: c.Filter}, nil
}

func (a archive) call() Call {
	c := Call{Input: a["input"], Config: strings.TrimSpace(a["config"])}
	c.Context, _ = a.context() // parseArchive has looked
	if a.has("llm") {
		c.LLM = scripted(strings.TrimSpace(a["llm"]))
	}
	return c
}

func scripted(script string) func(Question) Reply {
	return func(Question) Reply {
		switch script {
		case "fails":
			return Reply{Err: stage.Upstream}
		case "slow":
			return Reply{Later: true}
		}
		return Reply{Text: strings.TrimSpace(strings.TrimPrefix(script, "answer:"))}
	}
}

// compare is what differs from what the archive wants.
func (a archive) compare(r Result) []string {
	var problems []string
	outcome := Pass
	switch {
	case a.has("want"):
		outcome = Done
	case a.has("fail"):
		outcome = Fail
	}
	if r.Outcome != outcome {
		problems = append(problems, fmt.Sprintf("outcome %s %s, want %s", r.Outcome, r.Reason, outcome))
	}
	check := func(what, got, want string) {
		if got != want && got != strings.TrimSuffix(want, "\n") {
			problems = append(problems, what+" is\n"+got+"\nwant\n"+want)
		}
	}
	if outcome == Done && r.Outcome == Done && a.has("want-file") && r.Output != a["want"] {
		problems = append(problems, "output is\n"+r.Output+"\nwant that of "+a["want-file"])
	} else if outcome == Done && r.Outcome == Done {
		check("output", r.Output, a["want"])
	}
	if outcome == Fail {
		check("reason", r.Reason, a["fail"])
	}
	if a.has("sections") {
		check("tree", outline(r.Sections), a["sections"])
	}
	for line := range strings.Lines(a["meta"]) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		check("metadata "+key, r.Meta[key], value)
	}
	return problems
}

// outline writes a tree as archives have it.
func outline(sections []Section) string {
	var b strings.Builder
	children := map[int][]int{}
	for i, s := range sections {
		children[s.Parent] = append(children[s.Parent], i)
	}
	var write func(parent int, indent string)
	write = func(parent int, indent string) {
		for _, i := range children[parent] {
			s := sections[i]
			b.WriteString(indent + s.ID + " " + strconv.Itoa(s.Start) + "-" + strconv.Itoa(s.End))
			if s.Kind != stage.Exact {
				b.WriteString([]string{"", " group", " decoded", " derived"}[s.Kind])
			}
			if s.Summary != "" {
				b.WriteString(" " + strconv.Quote(s.Summary))
			}
			b.WriteByte('\n')
			write(i, indent+"  ")
		}
	}
	write(stage.Top, "")
	return b.String()
}

// different is in what two runs over the same differ.
func different(a, b Result) []string {
	var problems []string
	if a.Outcome != b.Outcome || a.Output != b.Output || a.Reason != b.Reason || !slices.Equal(a.Marks, b.Marks) {
		problems = append(problems, "two runs give different results")
	}
	if outline(a.Sections) != outline(b.Sections) {
		problems = append(problems, "two runs give different sections")
	}
	return problems
}
