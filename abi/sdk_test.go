package abi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Package stagetest of sdk-go must answer like the host. This test runs a random stage in
// both, with the same calls: as a guest in host/wasm, and natively in stagetest. The
// stage records every result.
func TestStagetestAnswersAsTheHost(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for wasip1")
	}
	readSources(t, filepath.Join("..", "sdk-go"))
	const runs = 600
	var calls []nativeCall
	for seed := 1; seed <= runs; seed++ {
		calls = append(calls, randomCall(seed))
	}
	guest := loadGuest(t)
	natives := runNatively[nativeResult](t, randomStage, calls)
	ended := map[string]int{}
	for i, c := range calls {
		want := natives[i]
		ended[want.Outcome]++
		out, err := guest.Run(t.Context(), c.hostCall())
		if (err != nil) != (want.Outcome == "fail") || err != nil && err.Error() != want.Reason {
			t.Errorf("seed %d: host %v, stagetest %s %s", i+1, err, want.Outcome, want.Reason)
			continue
		}
		if err != nil {
			continue
		}
		if got := resultOf(out); !equal(t, got, want) {
			t.Errorf("seed %d differs\nhost:\n%s\nstagetest:\n%s", i+1, indent(t, got), indent(t, want))
		}
		if t.Failed() && i > 20 {
			break
		}
	}
	if ended["done"] < runs/2 || ended["fail"] < runs/20 {
		t.Errorf("outcomes %v: the dice are loaded", ended)
	}
}

// nativeCall and nativeResult are the JSON forms of Call and Result of stagetest.
type nativeCall struct {
	Input, Original, Config string
	Sections                []nativeSection
	Marks                   []abi.Mark
}

type nativeSection struct {
	Parent, Kind, Start, End int
	Literal                  struct{ Start, End int }
	ID, Title, Summary       string
}

type nativeResult struct {
	Outcome, Reason, Output string
	Sections                []nativeSection
	Marks                   []abi.Mark
	Meta                    map[string]string
	Private                 bool
}

const jsonText = `{"a":[10,"two\nlines",{"x":1}],"b":"é ü \u00e9 \"q\"","s":{"q":null},"o":{"x":[]},"n":-12,"f":1.5e3,` +
	`"t":true,"z":null,"dup":1,"dup":2,"é":"é","~":0,"deep":[[["in"]]]}` + "\n"

const proseText = "# Setup\nplug in é\n\n# Use\npress 12 times\r\n# Setup\nagain"

// randomCall returns a random call: JSON or prose, with or without an input, a tree and
// marks of an earlier stage.
func randomCall(seed int) nativeCall {
	c := nativeCall{Original: jsonText, Config: fmt.Sprintf(`{"a":["x"],"seed":%d,"steps":%d}`, seed, 5+seed%120)}
	if seed%2 == 0 {
		c.Original = proseText
	}
	c.Input = c.Original
	if seed%3 == 0 {
		c.Input = "changed é\n" + jsonText
	}
	if seed%5 == 0 {
		c.Sections = []nativeSection{
			{Parent: -1, Start: 2, End: 30, ID: "first", Title: "First"},
			{Parent: 0, Kind: int(abi.SectionGroup), ID: "@g"},
			{Parent: 1, Start: 4, End: 9, ID: "in", Summary: "s"},
		}
		c.Marks = []abi.Mark{{Offset: 3, Section: -1}, {Offset: len(c.Input), Section: 0, Lines: 2}}
	}
	return c
}

func (c nativeCall) hostCall() abi.Call {
	var tree abi.Tree
	for _, s := range c.Sections {
		tree.Sections = append(tree.Sections, abi.Section{
			Parent: s.Parent, Kind: abi.SectionKind(s.Kind), Start: s.Start, End: s.End, ID: s.ID, Title: s.Title, Summary: s.Summary,
		})
	}
	return abi.Call{
		Role: "random", Config: []byte(c.Config), Input: []byte(c.Input), Original: []byte(c.Original), Tree: tree, Marks: c.Marks,
		Context: abi.Context{
			ABI: abi.Version, Project: "test", ContentType: abi.ToolResult, Source: "server/tool",
			Part: abi.Part{Kind: abi.PartText, Count: 1}, Stage: abi.StagePos{Count: 1},
			Limits: abi.GuestLimits{
				OutputBytes: abi.LimitOutputFactor*len(c.Input) + abi.LimitOutputExtraBytes, Sections: abi.LimitSections,
				MemoryBytes: abi.LimitMemoryBytes, LLMMillis: abi.LimitLLMMillis, LLMRequests: abi.LimitLLMRequests,
			},
		},
	}
}

func resultOf(out abi.Output) nativeResult {
	r := nativeResult{Outcome: "done", Output: string(out.Bytes), Marks: out.Marks, Meta: out.Meta, Private: out.Private}
	if out.Pass {
		r.Outcome = "pass"
	}
	for _, s := range out.Tree.Sections {
		n := nativeSection{Parent: s.Parent, Kind: int(s.Kind), Start: s.Start, End: s.End, ID: s.ID, Title: s.Title, Summary: s.Summary}
		n.Literal.Start, n.Literal.End = s.Literal[0], s.Literal[1]
		r.Sections = append(r.Sections, n)
	}
	return r
}

// equal compares values as JSON, ignoring empty or absent fields and the order of marks
// at different offsets.
func equal(t *testing.T, a, b nativeResult) bool {
	for _, r := range []*nativeResult{&a, &b} {
		slices.SortStableFunc(r.Marks, func(x, y abi.Mark) int { return x.Offset - y.Offset })
		if len(r.Meta) == 0 {
			r.Meta = nil
		}
		if len(r.Marks) == 0 {
			r.Marks = nil
		}
		if len(r.Sections) == 0 {
			r.Sections = nil
		}
	}
	return bytes.Equal(indent(t, a), indent(t, b))
}

func indent(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// readSources reads the files that the result depends on, so that go test does not use a
// cached result after they have changed.
func readSources(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

const randomStage = "./internal/testguest/random"

func loadGuest(t *testing.T) wasm.Guest {
	t.Helper()
	g, err := loadModule(t, randomStage+"/guest", "").Guest("random")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// loadModule builds a guest of sdk-go and loads it, with a manifest if it needs
// one.
func loadModule(t *testing.T, pkg, manifest string) *wasm.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "random.wasm")
	build := sdkCommand("build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", file, pkg)
	build.Env = append(build.Env, "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if manifest != "" {
		if b, err = module.WithManifest(b, []byte(manifest)); err != nil {
			t.Fatal(err)
		}
	}
	compiled, err := hosttest.CompiledCode()
	if err != nil {
		t.Fatal(err)
	}
	rt, err := wasm.Open(t.Context(), wasm.Options{CacheDir: compiled})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rt.Close(context.Background()) })
	m, err := rt.Load(t.Context(), "random", b, true)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// runNatively passes each call to the native side of a package and returns their results.
func runNatively[R, C any](t *testing.T, pkg string, calls []C) []R {
	t.Helper()
	var in, out, problems bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, c := range calls {
		if err := enc.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	cmd := sdkCommand("run", pkg+"/native")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v:\n%s", err, &problems)
	}
	results := make([]R, len(calls))
	dec := json.NewDecoder(&out)
	for i := range results {
		if err := dec.Decode(&results[i]); err != nil {
			t.Fatalf("result %d: %v", i, err)
		}
	}
	return results
}

// sdkCommand returns a go command that runs in sdk-go, which is a separate module.
func sdkCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("..", "sdk-go")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	return cmd
}
