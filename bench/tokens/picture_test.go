package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPicture(t *testing.T) {
	svg := string(draw([]bar{{"whole", false, 20053, 96259, 791259}, {"mcpctl", true, 150, 2596, 4381}}, "2 files"))
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("no XML: %v\n%s", err, svg)
		}
	}
	for _, want := range []string{
		"whole: median 20,053, 90th percentile 96,259, worst target 791,259; mcpctl: median 150", // for screen readers
		`aria-labelledby="title desc"`, "prefers-color-scheme: dark", ">1,000,000</text>",
		`<text class="us" x="254"`,
		"tokens, on a logarithmic scale", "dot: median of files",
		`text-anchor="end">20,053</text>`, `text-anchor="start">150</text>`, // a label without space to the left of its dot follows the line
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	if strings.Contains(svg, "http") && strings.Count(svg, "http") > 1 {
		t.Error("the picture loads something")
	}
}

func TestAxisIsLogarithmic(t *testing.T) {
	a := axis{from: 2, to: 6}
	if l, m, r := a.x(100), a.x(10_000), a.x(1_000_000); l != plotLeft || m != (plotLeft+plotRight)/2 || r != plotRight {
		t.Errorf("100, 10,000 and 1,000,000 are at %v, %v, %v", l, m, r)
	}
	if a.x(0) != plotLeft {
		t.Errorf("nothing is at %v", a.x(0))
	}
}

func TestReadmeTakesTheFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	const before = "# x\n\n| a, b | 1 | 2 | 3 |\n| us | **1** | 2 | 3 |\n| other | 4 | 5 | 6 |\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := updateReadme(file, []bar{{"a, b", false, 1000, 20, 30}, {"us", true, 7, 8, 9}}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if want := "# x\n\n| a, b | 1,000 | 20 | 30 |\n| us | **7** | 8 | 9 |\n| other | 4 | 5 | 6 |\n"; err != nil || string(got) != want {
		t.Errorf("got\n%s\nwant\n%s%v", got, want, err)
	}
	if err := updateReadme(file, []bar{{"gone", false, 1, 2, 3}}); err == nil {
		t.Error("a way without a row is no error")
	}
}

// The README contains the figures of the picture.
func TestReadmeHasTheFiguresOfThePicture(t *testing.T) {
	root := filepath.Join("..", "..")
	svg, err := os.ReadFile(filepath.Join(root, "docs", "tokens.svg"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range methods {
		row := rowOf(w.name).Find(readme)
		cells := strings.Split(strings.ReplaceAll(string(row), "*", ""), " | ")
		if len(cells) != 4 {
			t.Errorf("README has no row %q", w.name)
			continue
		}
		want := w.name + ": median " + cells[1] + ", 90th percentile " + cells[2] + ", worst target " + strings.TrimSuffix(cells[3], " |")
		if !strings.Contains(string(svg), want) {
			t.Errorf("README contains %q, docs/tokens.svg does not: make bench-tokens", want)
		}
	}
}
