package tck

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the results of the guest in Go to the archives; review them before use")

// TestGuests verifies that every guest of the kit passes every case.
func TestGuests(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	run(t, "dist/*.wasm", cases)
}

// TestGoldenGuests verifies that guests which the SDKs once built for ABI 1 still behave
// the same. Neither the modules nor their cases are ever rebuilt.
func TestGoldenGuests(t *testing.T) {
	golden := filepath.Join("..", "..", "testdata", "abi", "v1", "sdk")
	cases, err := CasesIn(os.DirFS(golden))
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	run(t, filepath.Join(golden, "*.wasm"), cases)
}

// run runs all cases with all guests.
func run(t *testing.T, pattern string, cases []Case) {
	guests, err := filepath.Glob(pattern)
	if err != nil || len(guests) == 0 {
		t.Fatal("no guests", err)
	}
	for _, path := range guests {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".wasm"), func(t *testing.T) {
			t.Parallel()
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			h, err := Open(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close(t.Context())
			for _, c := range cases {
				t.Run(c.Name, func(t *testing.T) {
					if *update && path == filepath.Join("dist", "go.wasm") {
						rewrite(t, h, c)
						return
					}
					for _, problem := range h.Run(t.Context(), c) {
						t.Errorf("%s\n%s", c.Summary(), problem)
					}
				})
			}
		})
	}
}

// rewrite replaces the expected result of an archive.
func rewrite(t *testing.T, h *Host, c Case) {
	got, err := h.runCase(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	a := c.archive
	a.Files = slices.Clone(a.Files)
	for i, f := range a.Files {
		text, ok := got[f.Name]
		if c.isController() && i > 0 {
			text, ok = got[hookName(i-1, a.Files[i-1])]
			ok = ok && f.Name == "want"
		}
		if ok {
			a.Files[i].Text = ""
		}
		if ok && text != "" {
			a.Files[i].Text = strings.TrimSuffix(text, "\n") + "\n"
		}
	}
	if err := os.WriteFile(filepath.Join("cases", filepath.FromSlash(c.Name)+".txtar"), []byte(a.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
