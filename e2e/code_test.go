//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/plugins"
)

// TestCodeAgainstTreeSitter verifies that most functions and types of at least three lines
// in the sources of the installed npm packages are sections with their name, in whole lines.
// Sections are found without a grammar, so unusual code may be missed.
func TestCodeAgainstTreeSitter(t *testing.T) {
	t.Parallel()
	needNPM(t)
	script := cache("definitions.mjs")
	for _, c := range []struct {
		grammar string
		is      func(path string) bool
		least   float64 // share of definitions
	}{
		{"typescript", func(p string) bool { return strings.HasSuffix(p, ".ts") && !strings.HasSuffix(p, ".d.ts") }, 0.97},
		{"javascript", func(p string) bool { return strings.HasSuffix(p, ".js") && !strings.HasSuffix(p, ".min.js") }, 0.97},
		{"cpp", func(p string) bool { return strings.HasSuffix(p, ".h") && strings.Contains(filepath.Base(p), "v8") }, 0.97},
	} {
		t.Run(c.grammar, func(t *testing.T) {
			files := sources(t, c.is)
			out, err := run(t, 3*time.Minute, os.Environ(), cache(), node(), append([]string{script, c.grammar}, files...)...)
			if err != nil {
				t.Fatal(err)
			}
			g := splitter(t)
			all, found := 0, 0
			lines := bufio.NewScanner(strings.NewReader(out))
			lines.Buffer(nil, 1<<24)
			for lines.Scan() {
				var f struct {
					File        string
					Definitions [][3]any
				}
				if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
					t.Fatalf("%.200q: %v", lines.Text(), err)
				}
				n, missing := look(t, g, f.File, f.Definitions)
				all, found = all+n, found+n-len(missing)
				if len(missing) > 0 {
					t.Logf("%s: no section %q", strings.TrimPrefix(f.File, cache()), missing)
				}
			}
			t.Logf("%d files, %d definitions, %d found", len(files), all, found)
			if all < 100 || float64(found) < c.least*float64(all) {
				t.Errorf("%d of %d definitions are sections, want %.0f %%", found, all, c.least*100)
			}
		})
	}
}

// sources returns files of the installed packages, at most 300.
func sources(t *testing.T, is func(path string) bool) (files []string) {
	t.Helper()
	const most = 300
	err := filepath.WalkDir(module(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !is(path) {
			return err
		}
		if info, err := e.Info(); err == nil && info.Size() > 8<<10 && info.Size() < 300<<10 {
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	step := (len(files) + most - 1) / most
	for i := range files {
		if i*step >= len(files) {
			return files[:i]
		}
		files[i] = files[i*step]
	}
	return files
}

func splitter(t *testing.T) wasm.Guest {
	t.Helper()
	r, err := wasm.Open(t.Context(), wasm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(t.Context()) })
	m, err := r.Load(t.Context(), "builtin", plugins.Builtin, true)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("section-split")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// look splits a file and returns the number of its definitions with at least three lines,
// and those of them that are not sections.
func look(t *testing.T, g wasm.Guest, file string, definitions [][3]any) (n int, missing []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, err := g.Run(t.Context(), abi.Call{
		Role: "section-split", Config: []byte(`{"leafSize":100,"type":"auto"}`), Input: text, Original: text,
		Context: abi.Context{ContentType: abi.ToolResult, Source: "files/read", Hint: file, Stage: abi.StagePos{Count: 1}},
	})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	line := func(at int) int { return bytes.Count(text[:at], []byte("\n")) + 1 }
	for _, d := range definitions {
		name, first, last := d[0].(string), int(d[1].(float64)), int(d[2].(float64))
		if last-first < 2 {
			continue
		}
		n++
		// The section includes the comments above and the rest of the last line.
		if !slices.ContainsFunc(out.Tree.Sections, func(s abi.Section) bool {
			return strings.Contains(s.ID, name) && line(s.Start) <= first && last <= line(s.End) && line(s.End) <= last+3
		}) {
			missing = append(missing, name)
		}
	}
	return n, missing
}
