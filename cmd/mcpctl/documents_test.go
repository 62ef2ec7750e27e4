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

// contributing runs the mcpctl lines of the first block of CONTRIBUTING.md, as one
// who reads it would: in a folder that has the examples.
func contributing(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := os.Getwd() // of the package: scripts have a folder of their own
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
		ts.Fatalf("%d commands in CONTRIBUTING.md; is the test blind?", ran)
	}
}

// follow PAGE [LANGUAGE] does what a page of docs shows, from top to bottom, as one who
// follows it in that language; see package docstest.
func follow(ts *testscript.TestScript, _ bool, args []string) {
	text, err := os.ReadFile(filepath.Join(docs(ts), args[0]))
	ts.Check(err)
	language := "Go"
	if len(args) > 1 {
		language = args[1]
	}
	ran, written := take(ts, docstest.Steps(string(text), language))
	if ran < 3 || written < 2 {
		ts.Fatalf("%d commands and %d files in %s; is the test blind?", ran, written, args[0])
	}
}

// TestFirstStageIsTheTemplate holds the first source that docs/authoring.md shows in a
// language against the example that mcpctl create stage copies.
func TestFirstStageIsTheTemplate(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "authoring.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"Go", "Rust", "AssemblyScript"} {
		steps := docstest.Steps(string(page), language)
		i := slices.IndexFunc(steps, func(s docstest.Step) bool { return s.File != "" })
		folder := filepath.Join("..", "..", "examples", "stages", "lead-"+strings.ToLower(language))
		template, err := os.ReadFile(filepath.Join(folder, strings.TrimPrefix(steps[i].File, "lead/")))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(template), steps[i].Text) {
			t.Errorf("%s: the page shows another %s than %s has", language, steps[i].File, folder)
		}
	}
}

// words PAGE KIND makes the calls in the table of a page, those of Go, in a stage or a
// controller.
func words(ts *testscript.TestScript, _ bool, args []string) {
	text, err := os.ReadFile(filepath.Join(docs(ts), args[0]))
	ts.Check(err)
	steps, err := docstest.Words(string(text), args[1], "Go")
	ts.Check(err)
	take(ts, steps)
}

// take takes steps, and counts the commands that were run and the files.
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

// docs is the folder of the pages.
func docs(ts *testscript.TestScript) string {
	dir, err := os.Getwd() // of the package: scripts have a folder of their own
	ts.Check(err)
	return filepath.Join(dir, "..", "..", "docs")
}

// readme runs the mcpctl lines of README.md from top to bottom, as one who reads it
// would, in a folder that holds the files it names. What asks is answered yes.
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
		ts.Fatalf("%d commands in README.md; is the test blind?", ran)
	}
}

// page follows a page of docs from top to bottom, as one who reads it would: it writes
// the files, which are named in their first line or beside the language, runs the
// commands, and looks in their output for the lines that stand below them, each as the
// start of a line of words.
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
		var rest []string // of the last command's output
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
		ts.Fatalf("%d commands and %d lines of output in %s; is the test blind?", ran, seen, args[0])
	}
}

// startsWith compares word by word.
func startsWith(line, start string) bool {
	words, want := strings.Fields(line), strings.Fields(start)
	return len(words) >= len(want) && slices.Equal(words[:len(want)], want)
}

// yaml writes the objects that README.md shows into a file.
func yaml(ts *testscript.TestScript, _ bool, args []string) {
	dir, err := os.Getwd()
	ts.Check(err)
	text, err := os.ReadFile(filepath.Join(dir, "..", "..", "README.md"))
	ts.Check(err)
	_, block, ok := strings.Cut(string(text), "```yaml\n")
	if !ok {
		ts.Fatalf("no YAML in README.md; is the test blind?")
	}
	block, _, _ = strings.Cut(block, "```")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(block), 0o600))
}

// figures holds the table of the demo in README.md against what the demo printed
// with -o json. Refs are not the same in every home, and differ by a token or two.
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
		says := number.FindAllString(line, -1)
		for i, want := range []float64{row.Original.Tokens, row.First.Tokens, row.Target.Tokens, row.Calls} {
			got, err := strconv.ParseFloat(strings.ReplaceAll(says[i], ",", ""), 64)
			if ts.Check(err); got < want*0.98 || got > want*1.02 {
				ts.Fatalf("README.md says %s of %s, the demo %v", says[i], row.ProxyModel, want)
			}
			ran++
		}
	}
	if ran != 8 {
		ts.Fatalf("%d figures of the demo in README.md; is the test blind?", ran)
	}
}
