package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"text/tabwriter"
)

// row has the results of a stage in a language.
type row struct {
	stage, language string
	bytes           int
	compiled, call  micros
	ratio, bar      float64 // to the native function; a bar of 0 means none
}

// row returns the row of a guest. The ratio excludes the fixed cost of a call, which is
// the same in each language.
func (s stage) row(l language, g *guest, native, idle micros) row {
	return row{stage: s.title, language: l.name, bytes: g.bytes, compiled: g.compiled, call: g.call, ratio: (g.call - idle).over(native), bar: s.bars[l.id]}
}

func (r row) name() string { return r.stage + ", " + r.language }

func (r row) missed() bool { return r.bar > 0 && r.ratio > r.bar }

// verdict returns whether the bar holds, for the report.
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

// size formats a number of bytes.
func size(n int) string {
	if n < 100_000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.2f MB", float64(n)/1e6)
}

// markdown returns the row for a README.
func (r row) markdown() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %.2fx |", r.name(), size(r.bytes), r.compiled, r.call, r.ratio)
}

// rowOf returns a pattern for a row with a first cell.
func rowOf(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \|.*\|$`)
}

// updateReadme replaces the rows of the table in a file. It is an error if the table
// lacks a row.
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
