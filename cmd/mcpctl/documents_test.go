//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/internal/docstest"
)

// contributing runs the mcpctl commands in the first block of CONTRIBUTING.md, in a
// directory that contains the examples.
func contributing(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := os.Getwd() // of the package: scripts have a dir of their own
	ts.Check(err)
	root := filepath.Join(dir, "..", "..")
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	ts.Check(err)
	ts.Check(os.CopyFS(ts.MkAbs("examples"), os.DirFS(filepath.Join(root, "examples"))))
	_, block, _ := strings.Cut(string(text), "```\n")
	block, _, _ = strings.Cut(block, "```")
	ran := 0
	for line := range strings.Lines(block) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "mcpctl" {
			continue
		}
		ts.Check(ts.Exec(words[0], words[1:]...))
		ran++
	}
	if ran < 3 {
		ts.Fatalf("%d commands in CONTRIBUTING.md, want more: does the test still find them?", ran)
	}
}

// follow PAGE [LANGUAGE] runs the steps of a page of docs in order, in one language. Package
// docstest defines the steps.
func follow(ts *testscript.TestScript, _ bool, args []string) {
	text, err := os.ReadFile(filepath.Join(docs(ts), args[0]))
	ts.Check(err)
	language := "Go"
	if len(args) > 1 {
		language = args[1]
	}
	ran, written := take(ts, docstest.Steps(string(text), language))
	if ran < 3 || written < 2 {
		ts.Fatalf("%d commands and %d files in %s, want more: does the test still find them?", ran, written, args[0])
	}
}

// TestFirstStageIsTheTemplate verifies that the first source of each language in
// docs/authoring.md equals the example that mcpctl create stage copies.
func TestFirstStageIsTheTemplate(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "authoring.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"Go", "Rust", "AssemblyScript"} {
		steps := docstest.Steps(string(page), language)
		i := slices.IndexFunc(steps, func(s docstest.Step) bool { return s.File != "" })
		dir := filepath.Join("..", "..", "examples", "stages", "lead-"+strings.ToLower(language))
		template, err := os.ReadFile(filepath.Join(dir, strings.TrimPrefix(steps[i].File, "lead/")))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(template), steps[i].Text) {
			t.Errorf("%s: %s differs between the page and %s", language, steps[i].File, dir)
		}
	}
}

// words PAGE KIND runs the Go calls in the table of a page in a stage or a controller.
func words(ts *testscript.TestScript, _ bool, args []string) {
	text, err := os.ReadFile(filepath.Join(docs(ts), args[0]))
	ts.Check(err)
	steps, err := docstest.Words(string(text), args[1], "Go")
	ts.Check(err)
	take(ts, steps)
}

// take runs steps and returns the number of commands and of files.
func take(ts *testscript.TestScript, steps []docstest.Step) (ran, written int) {
	for _, step := range steps {
		dir := ts.MkAbs(step.Dir)
		if step.File != "" {
			ts.Check(step.Write(dir))
			written++
			continue
		}
		if err := ts.Exec("sh", "-c", "cd '"+dir+"' && "+step.Command); (err != nil) != step.Fails() {
			ts.Fatalf("line %d: %s: %v", step.Line, step.Command, err)
		}
		ts.Check(step.Shown(ts.ReadFile("stdout") + "\n" + ts.ReadFile("stderr")))
		ran++
	}
	return ran, written
}

// docs returns the directory of the pages.
func docs(ts *testscript.TestScript) string {
	dir, err := os.Getwd() // of the package: scripts have a dir of their own
	ts.Check(err)
	return filepath.Join(dir, "..", "..", "docs")
}

// readme runs the mcpctl commands in README.md in order, in a directory with the files that
// they use. Prompts are answered with yes.
func readme(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := os.Getwd()
	ts.Check(err)
	text, err := os.ReadFile(filepath.Join(dir, "..", "..", "README.md"))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("README.md"), text, 0o600))
	code, ran := false, 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if !code || !strings.HasPrefix(line, "mcpctl ") {
			continue
		}
		line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
		if word := strings.Fields(line)[1]; word == "import" || word == "connect" {
			line += " --yes"
		}
		ts.Check(ts.Exec("sh", "-c", line))
		if strings.HasPrefix(line, "mcpctl use ") && strings.Contains(ts.ReadFile("stdout"), " unchanged") {
			ts.Fatalf("%s: changes nothing: %s", line, ts.ReadFile("stdout"))
		}
		ran++
	}
	if ran < 8 {
		ts.Fatalf("%d commands in README.md, want more: does the test still find them?", ran)
	}
}

// page PAGE runs a page of docs in order: it writes the files, whose names are in their first
// line or after the language, runs the commands, and requires the lines after each command in
// its output. A line matches by its first words.
func page(ts *testscript.TestScript, _ bool, args []string) {
	dir, err := os.Getwd()
	ts.Check(err)
	text, err := os.ReadFile(filepath.Join(dir, "..", "..", "docs", args[0]))
	ts.Check(err)
	ran, seen := 0, 0
	for i, block := range strings.Split(string(text), "```") {
		if i%2 == 0 {
			continue
		}
		language, block, _ := strings.Cut(block, "\n")
		if language != "" {
			_, name, isNamed := strings.Cut(language, " ")
			body := block
			if !isNamed {
				name, body, _ = strings.Cut(block, "\n")
			}
			ts.Check(os.WriteFile(ts.MkAbs(strings.Trim(name, "#<>!- ")), []byte(body), 0o600))
			continue
		}
		var rest []string // remaining output of the last command
		for line := range strings.Lines(block) {
			if strings.HasPrefix(line, "mcpctl ") || strings.Contains(line, "| mcpctl ") {
				ts.Check(ts.Exec("sh", "-c", line))
				rest = strings.Split(ts.ReadFile("stdout"), "\n")
				ran++
				continue
			}
			at := slices.IndexFunc(rest, func(got string) bool { return startsWith(got, line) })
			if at < 0 {
				ts.Fatalf("%s shows %q, which is not printed", args[0], strings.TrimSpace(line))
			}
			rest = rest[at+1:]
			seen++
		}
	}
	if ran < 8 || seen < 8 {
		ts.Fatalf("%d commands and %d lines of output in %s, want more: does the test still find them?", ran, seen, args[0])
	}
}

// startsWith reports whether line starts with the words of start.
func startsWith(line, start string) bool {
	words, want := strings.Fields(line), strings.Fields(start)
	return len(words) >= len(want) && slices.Equal(words[:len(want)], want)
}

// yaml FILE writes the objects in README.md into a file.
func yaml(ts *testscript.TestScript, _ bool, args []string) {
	dir, err := os.Getwd()
	ts.Check(err)
	text, err := os.ReadFile(filepath.Join(dir, "..", "..", "README.md"))
	ts.Check(err)
	_, block, ok := strings.Cut(string(text), "```yaml\n")
	if !ok {
		ts.Fatalf("no YAML in README.md: does the test still find them?")
	}
	block, _, _ = strings.Cut(block, "```")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(block), 0o600))
}

// figures compares the table of the demo in README.md with the output of the demo with
// -o json. Refs differ between homes, which changes the figures by up to two tokens.
func figures(ts *testscript.TestScript, _ bool, args []string) {
	var demo struct {
		Rows []struct {
			ProxyModel, Tool        string
			Original, First, Target struct{ Tokens float64 }
			Calls                   float64
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &demo))
	dir, err := os.Getwd()
	ts.Check(err)
	text, err := os.ReadFile(filepath.Join(dir, "..", "..", "README.md"))
	ts.Check(err)
	number := regexp.MustCompile(`[\d,]+`)
	ran := 0
	for _, row := range demo.Rows {
		_, line, ok := strings.Cut(string(text), "\n| `"+row.ProxyModel+"`")
		if row.Tool != "get_flows" || !ok {
			continue
		}
		line, _, _ = strings.Cut(line, "\n")
		figures := number.FindAllString(line, -1)
		for i, want := range []float64{row.Original.Tokens, row.First.Tokens, row.Target.Tokens, row.Calls} {
			got, err := strconv.ParseFloat(strings.ReplaceAll(figures[i], ",", ""), 64)
			if ts.Check(err); got < want*0.98 || got > want*1.02 {
				ts.Fatalf("README.md has %s for %s, want %v", figures[i], row.ProxyModel, want)
			}
			ran++
		}
	}
	if ran != 8 {
		ts.Fatalf("%d figures of the demo in README.md, want 8: does the test still find them?", ran)
	}
}
