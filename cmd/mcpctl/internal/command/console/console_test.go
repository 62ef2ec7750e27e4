package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/script"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// files writes files below dir.
func files(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFakeIsTheOneProvider(t *testing.T) {
	home := t.TempDir()
	files(t, home, map[string]string{"config.yaml": "maxLines: 12\nllm:\n  providers: [{name: claude, type: anthropic, model: m}]\n  tiers: {fast: [claude]}\nleafSize: 900\n"})
	s, err := script.Parse("s", []byte(`{"llm": [{"match": "a: b", "answer": "line\n\"two\" ${X} é"}], "calls": [{"tool": "x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := fakeLLM(home, s.Answers); err != nil {
		t.Fatal(err)
	}
	llm, _, err := llmconfig.Load(home)
	if err != nil || len(llm.Providers) != 1 || len(llm.Fast) != 1 || len(llm.Heavy) != 1 {
		t.Fatalf("%+v, %v", llm, err)
	}
	want := llmconfig.Answer{Match: "a: b", Answer: "line\n\"two\" ${X} é"}
	if p := llm.Providers[0]; p.Type != llmconfig.Fake || len(p.Answers) != 1 || p.Answers[0] != want {
		t.Errorf("%+v", p)
	}
	text, err := os.ReadFile(filepath.Join(home, "config.yaml"))
	if _, rest := llmconfig.Split(string(text)); err != nil || !strings.Contains(rest, "maxLines: 12") || !strings.Contains(rest, "leafSize: 900") {
		t.Errorf("the other settings: %q, %v", rest, err)
	}
	if err := fakeLLM(t.TempDir(), strictyaml.Value{}); err != nil {
		t.Errorf("without settings and rules: %v", err)
	}
}

func TestProjectOfTheSession(t *testing.T) {
	const base = `{"kind":"Project","metadata":{"name":"home"},"spec":{"proxyMode":"direct","servers":["demo"],"proxyModel":"audit","llmProvider":"none","proxyModelOverrides":{"toolResults":{"a/*":"b"}}}}`
	for _, c := range []struct {
		name  string
		opts  Options
		model string
		spec  string
	}{
		{"as it is, but served", Options{}, "audit", `{"llmProvider":"none","proxyMode":"proxy","proxyModel":"audit","proxyModelOverrides":{"toolResults":{"a/*":"b"}},"servers":["demo"]}`},
		{"by another proxymodel alone", Options{Model: "brief"}, "brief", `{"llmProvider":"none","proxyMode":"proxy","proxyModel":"brief","servers":["demo"]}`},
		{"with the fake, whatever it says", Options{Model: "brief", FakeLLM: true}, "brief", `{"proxyMode":"proxy","proxyModel":"brief","servers":["demo"]}`},
	} {
		text, model, err := manifest(json.RawMessage(base), &c.opts)
		if want := `{"kind":"Project","metadata":{"name":"home"},"spec":` + c.spec + `}`; err != nil || model != c.model || string(text) != want {
			t.Errorf("%s: %s by %s, %v\nwant %s", c.name, text, model, err, want)
		}
	}
}

func TestWhatAScriptExpects(t *testing.T) {
	fine, failed := answer{text: "a text"}, answer{text: "no such id\nmore", IsError: true}
	refused := answer{IsError: true, Error: "unknown tool"}
	noted := answer{text: "no such file2 calls left", IsError: true, Blocks: []demo.Block{{Type: "text", Text: "no such file"}, {Type: "text", Text: "2 calls left"}}}
	for _, c := range []struct {
		name, expect string
		s            step
		want         string
	}{
		{"anything", "", step{answer: fine}, ""},
		{"a text that is there", "text", step{answer: fine}, ""},
		{"a text that is not", "word", step{answer: fine}, `does not contain "word"`},
		{"a text of a section", "word", step{answer: fine, Sections: []reading{{answer: answer{text: "word"}}}}, ""},
		{"no error", "", step{answer: failed}, "the call failed: no such id"},
		{"a text of an error", "id", step{answer: failed}, "the call failed: no such id"},
		{"no refusal", "", step{answer: refused}, "the call failed: unknown tool"},
		{"no error, and a note beside it", "", step{answer: noted}, "the call failed: no such file"},
		{"an error", "error", step{answer: failed}, ""},
		{"a refusal", "error", step{answer: refused}, ""},
		{"an error that does not come", "error", step{answer: answer{text: "an error"}}, "the call succeeded, want an error"},
		{"no section that is an error", "text", step{answer: fine, Sections: []reading{{Section: "x", answer: failed}}}, `section "x": no such id`},
	} {
		got := c.s.fault(c.expect)
		if got != c.want && (c.want == "" || !strings.HasSuffix(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTextsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 300)
	text := long + "\n\x1b[2Jesc\n" + strings.Repeat("line\n", 20)
	s := step{Tool: "a/b", Wire: "a__b", answer: answer{Blocks: []demo.Block{{Type: "text", Text: text}, {Type: "image", Raw: json.RawMessage(`{"type":"image"}`)}}},
		Relisted: &listing{Tools: []string{"new"}}}
	for _, full := range []bool{false, true} {
		io, _, out, _ := iostreams.Test()
		v := view{io: io, full: full, tools: []string{"old"}}
		v.step(1, s)
		got := out.String()
		if strings.Contains(got, long) != full || strings.Contains(got, "... 10 more lines, --full shows them") == full || strings.Count(got, "    line\n") != map[bool]int{false: 10, true: 20}[full] {
			t.Errorf("full %v:\n%s", full, got)
		}
		for _, want := range []string{`    \x1b[2Jesc`, "  image, 16 bytes", "    new\n      new\n    gone\n      old\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("full %v lacks %q:\n%s", full, want, got)
			}
		}
		if strings.Contains(got, "\x1b") {
			t.Error("an escape reached the terminal")
		}
	}
}

func TestSilentViewSaysNothing(t *testing.T) {
	io, _, out, _ := iostreams.Test()
	v := view{io: io, silent: true}
	v.opening(report{LLM: "fake"})
	v.step(1, step{answer: answer{ran: ran{Hooks: []flow.HookReport{{Role: "gate"}}}}})
	if out.Len() > 0 {
		t.Errorf("said %q", out)
	}
}

// stopping is a writer that ends the command at its first write.
type stopping struct {
	bytes.Buffer
	stop context.CancelFunc
}

func (s *stopping) Write(p []byte) (int, error) {
	s.stop()
	return s.Buffer.Write(p)
}

// A session that a signal ends leaves no files.
func TestSignalLeavesNoFiles(t *testing.T) {
	home, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if err := os.Chmod(home, 0o700); err != nil {
		t.Fatal(err)
	}
	files(t, home, map[string]string{
		"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], gated: false}\n",
		"script.yaml":        "calls: [{tool: x, expect: error}]\n",
	})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	io, _, _, _ := iostreams.Test()
	out := &stopping{stop: stop}
	io.Out = out
	f := &factory.Factory{IO: io, Env: func(key string) string { return map[string]string{"MCPCTL_HOME": home}[key] }}
	err := consoleRun(ctx, &Options{F: f, Script: filepath.Join(home, "script.yaml"), Project: "home", Output: "text"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v after\n%s", err, out.String())
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %s, %v", fmt.Sprint(left), err)
	}
}
