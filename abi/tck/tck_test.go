package tck

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the guest in Go gives into the archives, to be read before it is believed")

// covers ABI 13, D-007: every guest of the kit passes every case on our host.
func TestGuests(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	guests, err := filepath.Glob("dist/*.wasm")
	if err != nil || len(guests) == 0 {
		t.Fatal("no guests", err)
	}
	for _, path := range guests {
		language := strings.TrimSuffix(filepath.Base(path), ".wasm")
		t.Run(language, func(t *testing.T) {
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
					if *update && language == "go" {
						rewrite(t, h, c)
						return
					}
					for _, problem := range h.Run(t.Context(), c) {
						t.Errorf("%s\n%s", c.What(), problem)
					}
				})
			}
		})
	}
}

// rewrite puts what came of a case in the place of what its archive wants.
func rewrite(t *testing.T, h *Host, c Case) {
	got, err := h.render(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	text := c.archive.Comment
	for i, f := range c.archive.Files {
		came, ok := got[f.Name]
		if c.steers() && i > 0 {
			came, ok = got[step(i-1, c.archive.Files[i-1])]
			ok = ok && f.Name == "want"
		}
		if ok {
			f.Text = strings.TrimSuffix(came, "\n") + "\n"
			if came == "" {
				f.Text = ""
			}
		}
		text += "-- " + f.Name + " --\n" + f.Text
	}
	if err := os.WriteFile(filepath.Join("cases", filepath.FromSlash(c.Name)+".txtar"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
