package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"text/tabwriter"
)

// row is what was measured of a stage in a language.
type row struct {
	stage, language string
	bytes           int
	compiled, call  micros
	ratio, bar      float64 // to the native function; bar 0: none
}

// row makes one. What a call costs before a stage has begun, the same in each language,
// is not the stage's: the ratio is without it.
func (s stage) row(l language, g *guest, native, idle micros) row {
	r := row{stage: s.title, language: l.name, bytes: g.bytes, compiled: g.compiled, call: g.call, ratio: (g.call - idle).over(native)}
	if l.bare {
		r.bar = s.bar
	}
	return r
}

func (r row) name() string { return r.stage + ", " + r.language }

func (r row) missed() bool { return r.bar > 0 && r.ratio > r.bar }

// verdict says how the row stands to its bar.
func (r row) verdict() string {
	switch {
	case r.bar == 0:
		return ""
	case r.missed():
		return fmt.Sprintf("  bar %.2fx MISSED", r.bar)
	}
	return fmt.Sprintf("  bar %.2fx holds", r.bar)
}

// report prints the table of one stage.
func report(w io.Writer, rows []row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tmodule\tfirst compile\tper call\tto native\t")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.2fx\t%s\n", r.language, size(r.bytes), r.compiled, r.call, r.ratio, r.verdict())
	}
	return table.Flush()
}

// size is a number of bytes for people.
func size(n int) string {
	if n < 100_000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.2f MB", float64(n)/1e6)
}

// markdown is the row in a README.
func (r row) markdown() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %.2fx |", r.name(), size(r.bytes), r.compiled, r.call, r.ratio)
}

// rowOf finds the row of a stage in a language by its first cell.
func rowOf(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \|.*\|$`)
}

// updateReadme writes the rows into the table of a file; everything else stays.
//
// Errors: a row that the table does not have, the system's.
func updateReadme(file string, rows []row) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, r := range rows {
		place := rowOf(r.name())
		if !place.Match(text) {
			return fmt.Errorf("%s has no row %q", file, r.name())
		}
		text = place.ReplaceAllLiteral(text, []byte(r.markdown()))
	}
	return os.WriteFile(file, text, 0o644)
}
