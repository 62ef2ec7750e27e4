package main

import (
	"fmt"
	"os"
	"regexp"
)

// updateReadme writes the figures into the table of a README. The first cell of a row is the
// name of the method.
//
// It returns an error for a method without a row.
func updateReadme(file string, bars []bar) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, b := range bars {
		row := rowOf(b.name)
		if !row.Match(text) {
			return fmt.Errorf("%s has no row %q with three figures", file, b.name)
		}
		text = row.ReplaceAllLiteral(text, []byte(b.markdown()))
	}
	return os.WriteFile(file, text, 0o644)
}

func rowOf(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \| [*\d,]+ \| [\d,]+ \| [\d,]+ \|$`)
}

func (b bar) markdown() string {
	median := thousands(b.median)
	if b.isProduct {
		median = "**" + median + "**"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", b.name, median, thousands(b.p90), thousands(b.max))
}
