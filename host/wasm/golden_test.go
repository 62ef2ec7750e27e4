package wasm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// TestGoldenModules verifies that modules built once for ABI 1 still behave the same.
func TestGoldenModules(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/abi/v1/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, "no golden modules")
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			role, _, _ := strings.Cut(name, "-")
			file, err := os.ReadFile(filepath.Join(filepath.Dir(path), role+".wasm"))
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { golden(t, role, file, archive) })
		})
	}
}

// golden runs one case.
func golden(t *testing.T, role string, file []byte, archive *txtar.Archive) {
	part := func(name string) string {
		for _, f := range archive.Files {
			if f.Name == name {
				return string(f.Data)
			}
		}
		return ""
	}
	b := newBench(t, func(o *Options) { o.LLM = &hosttest.LLM{Latency: time.Second} })
	g := b.guest(t, role, file)
	c := content(part("input"))
	c.Config = []byte(part("config"))
	out, err := g.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	outcome := "pass\n"
	if !out.Pass {
		outcome = "done\n" + strings.TrimSuffix(string(out.Bytes), "\n") + "\n"
	}
	if outcome != part("want") {
		t.Errorf("got\n%s\nwant\n%s", outcome, part("want"))
	}
	if got := describe(out); got != part("sections") {
		t.Errorf("got\n%s\nwant\n%s", got, part("sections"))
	}
	if part("settled") == "" {
		return
	}
	<-out.Settled
	if out, err = g.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := describe(out); got != part("settled") {
		t.Errorf("settled: got\n%s\nwant\n%s", got, part("settled"))
	}
}

// describe formats the output of a run beside its text.
func describe(out abi.Output) string {
	var b strings.Builder
	depth := make([]int, len(out.Tree.Sections))
	for i, s := range out.Tree.Sections {
		if s.Parent >= 0 {
			depth[i] = depth[s.Parent] + 1
		}
		fmt.Fprintf(&b, "%s%s %s", strings.Repeat("  ", depth[i]), s.ID, s.Kind)
		if s.Kind != abi.SectionGroup {
			fmt.Fprintf(&b, " %d-%d", s.Start, s.End)
		}
		fmt.Fprintf(&b, " %q", s.Title)
		if s.Summary != "" {
			fmt.Fprintf(&b, " summary %q", s.Summary)
		}
		b.WriteByte('\n')
	}
	if out.Tree.Type != "" {
		fmt.Fprintf(&b, "type %s\n", out.Tree.Type)
	}
	if !out.Pass {
		for _, m := range out.Marks {
			fmt.Fprintf(&b, "mark %d section %d\n", m.Offset, m.Section)
		}
	}
	if out.Provisional {
		b.WriteString("provisional\n")
	}
	return b.String()
}
