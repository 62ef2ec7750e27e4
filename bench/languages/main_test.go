package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Every module has the result of the Go function; otherwise its time means nothing.
func TestModulesHaveEqualResults(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	var out strings.Builder
	rows, err := run(t.Context(), &out, "dist", 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(stages) * len(languages); len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	for _, want := range []string{"heading split of 128 KB", "upper-case 128 KB", "C", "Go"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestNoModules(t *testing.T) {
	if err := bench(t.Context(), t.TempDir(), 1, nil); err == nil {
		t.Error("no error without modules")
	}
}

func TestVerdictOfRow(t *testing.T) {
	for _, c := range []struct {
		ratio, bar float64
		missed     bool
		verdict    string
	}{
		{1.25, 1.25, false, "holds"},
		{1.26, 1.25, true, "MISSED"},
		{9, 0, false, ""},
	} {
		r := row{ratio: c.ratio, bar: c.bar}
		if r.missed() != c.missed || !strings.HasSuffix(r.verdict(), c.verdict) {
			t.Errorf("%.2f at a bar of %.2f: missed %v, %q", c.ratio, c.bar, r.missed(), r.verdict())
		}
	}
}

func TestUpdateReadmeWritesOnlyRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	before := "text\n| upper-case, C | ? |\n| upper-case, Rust | 1 B |\nmore\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	r := row{stage: "upper-case", language: "C", bytes: 12, compiled: micros(2 * time.Millisecond), call: micros(3 * time.Microsecond), ratio: 0.5}
	if err := updateReadme(file, []row{r}); err != nil {
		t.Fatal(err)
	}
	want := "text\n| upper-case, C | 12 B | 2.0 ms | 3.0 us | 0.50x |\n| upper-case, Rust | 1 B |\nmore\n"
	if got, _ := os.ReadFile(file); string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := updateReadme(file, []row{{stage: "gone", language: "C"}}); err == nil {
		t.Error("no error for a stage without a row")
	}
}

// The READMEs of the SDKs have the table that make bench-languages writes.
func TestReadmesHaveTheRows(t *testing.T) {
	for _, sdk := range []string{"sdk-rust", "sdk-assemblyscript"} {
		text, err := os.ReadFile(filepath.Join("..", "..", sdk, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range stages {
			for _, l := range languages {
				name := row{stage: s.title, language: l.name}.name()
				if cells := strings.Split(string(rowOf(name).Find(text)), " | "); len(cells) != 5 {
					t.Errorf("%s has no row %q with four figures", sdk, name)
				}
			}
		}
	}
}
