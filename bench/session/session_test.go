package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/bench/internal/count"
)

// newAgent returns an agent with a workspace that contains the given files.
func newAgent(t *testing.T, files map[string]string) *agent {
	t.Helper()
	counter, err := count.New()
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{root: t.TempDir()}
	for name, text := range files {
		file := filepath.Join(w.repo(), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return &agent{client: client{w, counter}, ledger: &ledger{count: counter}}
}

// serve starts an MCP server whose tools return texts, and connects to it.
func serve(t *testing.T, name string, tools map[string]func(args) string) *session {
	t.Helper()
	requests, in, err := os.Pipe() // with a buffer, like the pipes of a process
	if err != nil {
		t.Fatal(err)
	}
	out, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		defer answers.Close()
		defer requests.Close()
		lines := bufio.NewScanner(requests)
		for lines.Scan() {
			var m struct {
				ID     json.RawMessage
				Method string
				Params struct {
					Name      string
					Arguments args
				}
			}
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				done <- err
				return
			}
			var result any
			switch m.Method {
			case "initialize":
				result = map[string]any{"instructions": "Read first."}
			case "tools/list":
				var list []args
				for name := range tools {
					list = append(list, args{"name": name, "description": "a tool", "inputSchema": args{"type": "object"}, "outputSchema": args{"type": "object"}})
				}
				result = map[string]any{"tools": list}
				fmt.Fprintln(answers, `{"jsonrpc":"2.0","id":"s1","method":"roots/list"}`) // is refused
			case "tools/call":
				text := tools[m.Params.Name](m.Params.Arguments)
				if strings.HasPrefix(text, "{") {
					result = map[string]any{"content": []args{{"type": "text", "text": "see structuredContent"}}, "structuredContent": json.RawMessage(text)}
				} else {
					result = map[string]any{"content": []args{{"type": "text", "text": text}}}
				}
			default:
				continue // a notification, or the answer to roots/list
			}
			b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
			if err != nil {
				done <- err
				return
			}
			fmt.Fprintf(answers, "%s\n", b)
		}
		done <- lines.Err()
	}()
	s := &session{name: name, in: in, out: bufio.NewReader(out), wait: func() error { return <-done }}
	t.Cleanup(func() { s.close(); out.Close() })
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	return s
}

// Each text is counted once, and once for each request that contains it.
func TestPlayCountsEverythingThatEntersTheContext(t *testing.T) {
	a := newAgent(t, map[string]string{"a.txt": "one\ntwo\n"})
	a.sessions = []*session{serve(t, "memory", map[string]func(args) string{"read_graph": func(args) string { return `{"nodes": ["three"]}` }})}
	err := a.play(t.Context(), []step{
		{"q1", "Bash", args{"command": "cat a.txt"}, []need{{`^one$`, ""}}},
		{"q2", "Read", args{"file_path": "a.txt"}, []need{{"two", ""}}},
		{"q3", "memory/read_graph", nil, []need{{"three", ""}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	n := a.count.Tokens
	file := filepath.Join(a.repo(), "a.txt")
	definitions := n(`{"name":"mcp__memory__read_graph","description":"a tool","input_schema":{"type":"object"}}`) + n("## memory\nRead first.")
	bash := n(`{"input":{"command":"cat a.txt"},"name":"Bash"}`) + n("one\ntwo")
	read := n(`{"input":{"file_path":"`+file+`"},"name":"Read"}`) + n("1\tone\n2\ttwo")
	memory := n(`{"input":{},"name":"mcp__memory__read_graph"}`) + n(`{"nodes":["three"]}`)
	for kind, want := range map[string]cost{
		kindDefinitions: {definitions, 4 * definitions},
		kindBash:        {bash, 3 * bash},
		kindRead:        {read, 2 * read},
		kindMemory:      {memory, memory},
		kindFurther:     {},
	} {
		if got := a.ledger.cost(kind); got != want {
			t.Errorf("%s: got %+v, want %+v\n%s", kind, got, want, a.ledger.transcript.String())
		}
	}
	if got, want := a.ledger.growth(), []int{definitions, definitions + bash, definitions + bash + read, definitions + bash + read + memory}; !slices.Equal(got, want) {
		t.Errorf("growth %v, want %v", got, want)
	}
	r := newReport(3, a.ledger, a.ledger)
	processed := 0
	for _, size := range a.ledger.growth() {
		processed += size
	}
	if total := r.Total.Without; total.Calls != 3 || total.Tokens != definitions+bash+read+memory || total.Processed != processed || len(a.ledger.failures) > 0 {
		t.Errorf("total %+v, failures %q", total, a.ledger.failures)
	}
}

const index = "text, 9 parts\n[intro] Introduction (1K)\n[@1..3] 3 parts: alpha, beta (3K)\nread_section(ref=\"abcdefghijklmnop\", section=\"<id>\") opens a part"

// hookOf replaces the standard output of commands with more than 1,000 bytes by an index.
func hookOf(t *testing.T) hookFunc {
	return func(_ context.Context, event []byte) ([]byte, error) {
		var e struct {
			Name     string       `json:"hook_event_name"`
			Tool     string       `json:"tool_name"`
			Input    args         `json:"tool_input"`
			Response bashResponse `json:"tool_response"`
		}
		if err := json.Unmarshal(event, &e); err != nil || e.Name != "PostToolUse" || e.Input == nil {
			t.Errorf("event %.200s: %v", event, err)
		}
		if e.Tool != "Bash" || len(e.Response.Stdout) < 1000 {
			return nil, nil
		}
		return json.Marshal(bashResponse{Stdout: index})
	}
}

// With an index, the model opens a line that contains the name, then searches. Each call counts. A
// need that is not met is a failure, costs the whole result and is printed.
func TestDrillOpensSections(t *testing.T) {
	sections := map[string]string{
		"@1..3": "alpha\nbeta", "?gamma": "2 sections match \"gamma\"\n[x/gamma] gamma (1K)\n[y] other (1K)", "x/gamma": "the third letter", "?delta": "nothing matches", "!": "all of it",
	}
	for _, c := range []struct {
		rule   string
		needs  []need
		calls  string
		failed bool
	}{
		{"in the index", []need{{"Introduction", ""}}, "", false},
		{"a line of the index", []need{{"^alpha$", "Beta"}}, "@1..3", false},
		{"a search and a line of its answer", []need{{"third letter", "gamma"}}, "?gamma x/gamma", false},
		{"two needs in one section", []need{{"^alpha$", "alpha"}, {"^beta$", "beta"}}, "@1..3", false},
		{"all of it", []need{{"all of it", wholeText}}, "!", false},
		{"not met", []need{{"the fourth letter", "delta"}}, "?delta !", true},
	} {
		a := newAgent(t, map[string]string{"a.txt": strings.Repeat("a line\n", 1000)})
		a.hook = hookOf(t)
		var calls []string
		a.sessions = []*session{serve(t, project, map[string]func(args) string{"read_section": func(in args) string {
			if in["ref"] != "abcdefghijklmnop" {
				t.Errorf("%s: ref %v", c.rule, in["ref"])
			}
			section := fmt.Sprint(in["section"])
			calls = append(calls, section)
			return sections[section]
		}})}
		if err := a.play(t.Context(), []step{{"which letter", "Bash", args{"command": "cat a.txt"}, c.needs}}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(calls, " "); got != c.calls || a.ledger.calls != 1+len(calls) || a.ledger.byKind[kindFurther] != len(calls) {
			t.Errorf("%s: sections %q, %d calls, want %q", c.rule, got, a.ledger.calls, c.calls)
		}
		want := 0
		for _, section := range calls {
			want += a.count.Tokens(`{"input":{"ref":"abcdefghijklmnop","section":"`+section+`"},"name":"mcp__home__read_section"}`) + a.count.Tokens(sections[section])
		}
		if got := a.ledger.cost(kindFurther).Tokens; got != want {
			t.Errorf("%s: further calls cost %d tokens, want %d", c.rule, got, want)
		}
		var out strings.Builder
		r := newReport(1, a.ledger, a.ledger)
		r.print(&out)
		if printed := strings.Contains(out.String(), `which letter: Bash: "the fourth letter" was not read`); printed != c.failed || len(r.Failures.With) > 0 != c.failed {
			t.Errorf("%s: failures %q\n%s", c.rule, r.Failures.With, out.String())
		}
		if err := updateReadme(filepath.Join(a.root, "none"), r); c.failed && !strings.Contains(fmt.Sprint(err), "needs were not met") {
			t.Errorf("%s: README: %v", c.rule, err)
		}
	}
}

// Without an index, the model searches the file in which the client keeps a long result. A short
// result that does not contain the need is a failure.
func TestDrillSearchesTheFile(t *testing.T) {
	long := strings.Repeat("a line of text\n", 3000)
	a := newAgent(t, map[string]string{"a.txt": long + "needle\n" + strings.Repeat("hay\n", 50) + "thread\n" + long, "b.txt": "short"})
	err := a.play(t.Context(), []step{
		{"q1", "Bash", args{"command": "cat a.txt"}, []need{{"needle", "needle"}}},
		{"q2", "Bash", args{"command": "cat a.txt"}, []need{{"thread", "needle"}}},
		{"q3", "Bash", args{"command": "cat b.txt"}, []need{{"needle", "needle"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`q3: Bash: "needle" was not read`}
	if !slices.Equal(a.ledger.failures, want) || a.ledger.calls != 3+1+2+1 {
		t.Errorf("failures %q, %d calls, want %q and 7\n%s", a.ledger.failures, a.ledger.calls, want, a.ledger.transcript.String())
	}
}

// A hook that fails makes the bench fail; a result that it leaves is counted.
func TestHookOfAPlay(t *testing.T) {
	a := newAgent(t, map[string]string{"a.txt": "short"})
	a.hook = hookOf(t)
	steps := []step{{"q", "Bash", args{"command": "cat a.txt"}, nil}}
	if err := a.play(t.Context(), steps); err != nil || a.ledger.unchanged != 1 || a.ledger.unchangedTokens != a.count.Tokens("short") {
		t.Errorf("%d results of %d tokens are unchanged: %v", a.ledger.unchanged, a.ledger.unchangedTokens, err)
	}
	tries := 0
	a.hook = func(context.Context, []byte) ([]byte, error) {
		tries++
		return nil, errors.New("more than 2s were needed")
	}
	if err := a.play(t.Context(), steps); err == nil || !strings.Contains(err.Error(), `step 1, "q": more than 2s`) || tries != hookTries {
		t.Errorf("%v after %d tries", err, tries)
	}
}

// The tools return what Claude Code shows.
func TestToolsOfTheClient(t *testing.T) {
	words := strings.Repeat("word ", 20)
	a := newAgent(t, map[string]string{
		"a.go": "package a\n\n// one\n", "sub/b.go": "package b\n// two\n", ".hidden/c.go": "package c\n", "sub/d.txt": "one\ntwo\nthree\nfour\nfive\n",
		"long.txt": strings.Repeat(words+"\n", 2500), "huge.txt": strings.Repeat("x", maxReadFile+1), "many.txt": strings.Repeat("match\n", 300),
	})
	file := func(name string) string { return filepath.Join(a.repo(), name) }
	for _, c := range []struct {
		rule, tool string
		args       args
		want       string // pattern
		isKept     bool   // the model reads the beginning
	}{
		{"both outputs", "Bash", args{"command": "echo out; echo err >&2"}, `^out\nerr$`, false},
		{"no output", "Bash", args{"command": "true"}, `^\(Bash completed with no output\)$`, false},
		{"a failing command", "Bash", args{"command": "echo out; exit 3"}, `^Exit code 3\nout$`, false},
		{"a long output", "Bash", args{"command": "cat long.txt"}, `^<persisted-output>\nOutput too large \(\d+\.\dKB\)\. Full output saved to: \S+\n`, true},
		{"a long output of a failing command", "Bash", args{"command": "cat long.txt; false"}, `^<persisted-output>\n`, true},
		{"a file", "Read", args{"file_path": file("a.go")}, `^1\tpackage a\n2\t\n3\t// one$`, false},
		{"lines of a file", "Read", args{"file_path": file("sub/d.txt"), "offset": 2, "limit": 2}, `^2\ttwo\n3\tthree$`, false},
		{"lines after the end", "Read", args{"file_path": file("sub/d.txt"), "offset": 9, "limit": 2}, `^5\tfive$`, false},
		{"a file of too many tokens", "Read", args{"file_path": file("long.txt")}, `\[Truncated: lines 1 to \d+ of 2500 are shown`, true},
		{"a file of too many bytes", "Read", args{"file_path": file("huge.txt")}, `^File content \(256KB\) exceeds maximum`, true},
		{"names of files", "Grep", args{"pattern": "package"}, `^Found 2 files\na\.go\nsub/b\.go$`, false},
		{"lines", "Grep", args{"pattern": "^// ", "output_mode": "content"}, `^a\.go:3:// one\nsub/b\.go:2:// two$`, false},
		{"lines around", "Grep", args{"pattern": "one|five", "output_mode": "content", "-C": 1, "path": "sub/d.txt"}, `^1:one\n2-two\n--\n4-four\n5:five$`, false},
		{"files of a pattern", "Grep", args{"pattern": "one", "glob": "*.txt"}, `^Found 1 files\nsub/d\.txt$`, false},
		{"too many lines", "Grep", args{"pattern": "match", "output_mode": "content"}, `:250:match\n\n\[Showing results with pagination = limit: 250\]$`, false},
		{"no lines", "Grep", args{"pattern": "absent", "output_mode": "content"}, `^No matches found$`, false},
		{"a pattern of directories", "Glob", args{"pattern": "**/*.go"}, `^a\.go\nsub/b\.go$`, false},
		{"a pattern of one directory", "Glob", args{"pattern": "sub/*"}, `^sub/b\.go\nsub/d\.txt$`, false},
		{"an edit", "Edit", args{"file_path": file("a.go"), "old_string": "one", "new_string": "1"}, `has been updated successfully\.$`, false},
	} {
		r, err := a.callClient(t.Context(), c.tool, c.args)
		if err != nil || !regexp.MustCompile(c.want).MatchString(r.text) || (r.file != "") != c.isKept || a.count.Tokens(r.text) > maxRead+100 {
			t.Errorf("%s: got %.300q, file %q, %v", c.rule, r.text, r.file, err)
		}
	}
	for rule, c := range map[string]step{
		"an unknown tool":          {tool: "Write"},
		"an unknown server":        {tool: "none/read"},
		"a text that is not there": {tool: "Edit", args: args{"file_path": "a.go", "old_string": "absent", "new_string": ""}},
		"no such file":             {tool: "Read", args: args{"file_path": "none.txt"}},
		"no pattern":               {tool: "Grep", args: args{"pattern": "("}},
	} {
		if r, err := a.call(t.Context(), c); err == nil {
			t.Errorf("%s: got %q", rule, r.text)
		}
	}
}

// Long results of MCP tools are kept in a file; the model reads the beginning, or only the name.
func TestResultsOfServers(t *testing.T) {
	a := newAgent(t, nil)
	for _, c := range []struct {
		rule, text, want string
	}{
		{"a short one", "short", `^short$`},
		{"many characters", strings.Repeat("word word ", 6000), `^<persisted-output>\nOutput too large`},
		{"many tokens", strings.Repeat("a b c d e ", 12_000), `^Error: result \(120000 characters\) exceeds maximum allowed tokens\. Output has been saved to \S+\n`},
	} {
		got, err := a.limitMCP(c.text)
		if err != nil || !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%s: got %.200q, %v", c.rule, got, err)
		}
		if file := keptFile(got); file != "" {
			if b, err := os.ReadFile(file); err != nil || string(b) != c.text {
				t.Errorf("%s: %s does not contain the result: %v", c.rule, file, err)
			}
		}
	}
}

func TestScript(t *testing.T) {
	if len(script) < 30 || len(script) > 45 {
		t.Errorf("%d steps", len(script))
	}
	tools := []string{"Bash", "Read", "Edit", "Grep", "Glob"}
	for i, s := range script {
		if server, _, ok := strings.Cut(s.tool, "/"); !slices.Contains(tools, s.tool) && (!ok || server != "memory" && server != "demo") {
			t.Errorf("step %d: unknown tool %q", i+1, s.tool)
		}
		if s.question == "" || len(s.needs) == 0 {
			t.Errorf("step %d has no question or no need", i+1)
		}
		for _, n := range s.needs {
			if pattern, err := regexp.Compile(n.pattern); err != nil || pattern.MatchString("") {
				t.Errorf("step %d: pattern %q matches anything, or nothing: %v", i+1, n.pattern, err)
			}
		}
	}
}

// The graph of the memory server has the documented names of the repository.
func TestWriteGraph(t *testing.T) {
	a := newAgent(t, map[string]string{
		"extension/a.go":      "// Package extension extends.\npackage extension\n\n// F does it.\n//\n// Twice\n// if needed.\nfunc F() {}\n\ntype T struct{}\n\n// M is a method.\nfunc (T) M() {}\n",
		"extension/a_test.go": "package extension\n\nfunc TestF() {}\n", "renderer/html/b.go": "package html\n",
	})
	file := filepath.Join(a.root, "graph.json")
	if err := writeGraph(file, a.repo()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	for _, want := range []string{
		`{"type":"entity","name":"extension","entityType":"package","observations":["Package extension extends."]}`,
		`{"type":"entity","name":"extension.F","entityType":"function","observations":["F does it.","Twice if needed."]}`,
		`{"type":"entity","name":"extension.T.M","entityType":"method","observations":["M is a method."]}`,
		`{"type":"relation","from":"extension.T","to":"extension","relationType":"is declared in"}`,
	} {
		if err != nil || !bytes.Contains(got, []byte(want)) {
			t.Errorf("no %s in %s, %v", want, got, err)
		}
	}
	if bytes.Contains(got, []byte("TestF")) {
		t.Errorf("the graph has tests: %s", got)
	}
}

// example is a report with different figures for each kind.
func example() report {
	r := report{Repository: repository, Steps: 3}
	for i, kind := range kinds {
		l := row{kind, side{1, cost{1000 * (i + 1), 10_000}}, side{1, cost{100 * (i + 1), 2000}}}
		r.Rows = append(r.Rows, l)
		r.Total.Without.add(l.Without)
		r.Total.With.add(l.With)
	}
	r.Growth.Without, r.Growth.With = []int{0, 28_000}, []int{0, 1000, 2800}
	return r
}

func TestFormats(t *testing.T) {
	for format, want := range map[string]string{
		"table": "1,000  ",
		"json": `"kind": "Bash",
      "without": {
        "calls": 1,
        "tokens": 1000,
        "processed": 10000`,
	} {
		write, err := writerOf(format)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := write(&out, example()); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: no %q in\n%s%v", format, want, out.String(), err)
		}
	}
	if _, err := writerOf("xml"); err == nil || err.Error() != `unknown output format "xml", want table or json` {
		t.Errorf("xml: %v", err)
	}
}

func TestPicture(t *testing.T) {
	svg := string(draw(example()))
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("no XML: %v\n%s", err, svg)
		}
	}
	for _, want := range []string{
		"Bash: 1,000 without, 100 with mcpctl; ", "two MCP servers: 9,000 without, 900 with mcpctl", "total: 28,000 without, 2,800 with mcpctl", // for screen readers
		`aria-labelledby="title desc"`, "prefers-color-scheme: dark", ">without mcpctl: 28,000</text>", ">with mcpctl: 2,800</text>",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	if strings.Count(svg, "http") > 1 {
		t.Error("the picture loads something")
	}
}

func TestReadmeTakesTheFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	var before, want strings.Builder
	for _, l := range example().lines() {
		fmt.Fprintf(&before, "| %s | 0 | **1,000** | 0 |\n", l.name)
		fmt.Fprintln(&want, l.markdown())
	}
	if err := os.WriteFile(file, []byte("# x\n\n"+before.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := updateReadme(file, example()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "# x\n\n"+want.String() || !strings.Contains(string(got), "| total | 28,000 | **2,800** | 0.10 |") {
		t.Errorf("got\n%s\nwant\n%s%v", got, want.String(), err)
	}
	if err := os.WriteFile(file, []byte("# x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := updateReadme(file, example()); err == nil || !strings.Contains(err.Error(), `has no row "Bash"`) {
		t.Errorf("a kind without a row: %v", err)
	}
}

// The README has the figures of the picture, and the number of steps.
func TestReadmeHasTheFiguresOfThePicture(t *testing.T) {
	root := filepath.Join("..", "..")
	svg, err := os.ReadFile(filepath.Join(root, "docs", "session.svg"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range example().lines() {
		m := rowOf(l.name).FindSubmatch(readme)
		if m == nil {
			t.Errorf("README has no row %q", l.name)
			continue
		}
		if want := fmt.Sprintf("%s: %s without, %s with mcpctl", l.name, m[1], m[2]); !strings.Contains(string(svg), want) {
			t.Errorf("README contains %q, docs/session.svg does not: make bench-session", want)
		}
	}
	for name, text := range map[string][]byte{"README.md": readme, "docs/session.svg": svg} {
		if want := fmt.Sprintf("%d steps", len(script)); !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s does not contain %q", name, want)
		}
	}
}
