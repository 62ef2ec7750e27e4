// Command faults runs the tests that cause faults, and prints one line for each fault. It fails
// if a test fails, is skipped or does not exist.
//
//	make build && go run ./bench/faults
package main

//go:generate go run . -docs ../../docs/faults.md

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

func main() {
	docs := flag.String("docs", "", "write the table to a file, run nothing")
	flag.Parse()
	var err error
	if *docs != "" {
		err = os.WriteFile(*docs, page(), 0o644)
	} else {
		err = run(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// result is the end of one test.
type result struct {
	action  string // pass, fail or skip; empty: it did not run
	seconds float64
	output  strings.Builder
}

// results are kept by package and name.
type results map[string]*result

func (r results) of(pkg, name string) *result {
	key := pkg + "." + name
	if r[key] == nil {
		r[key] = &result{}
	}
	return r[key]
}

// run runs the tests of all faults, package by package.
func run(out io.Writer) error {
	begin := time.Now()
	names := make(map[string][]string)
	faults := slices.Concat(table, teamTable)
	for _, f := range faults {
		for _, t := range f.Tests {
			names[t.Package] = append(names[t.Package], t.Names...)
		}
	}
	all := make(results)
	for _, pkg := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[pkg])
		if err := all.runPackage(pkg, slices.Compact(names[pkg])); err != nil {
			return err
		}
	}
	failed := 0
	for _, f := range faults {
		if !all.report(out, f) {
			failed++
		}
	}
	fmt.Fprintf(out, "%d faults, %d of them not as described, %.0f s\n", len(faults), failed, time.Since(begin).Seconds())
	if failed > 0 {
		return fmt.Errorf("%d faults are not as described", failed)
	}
	return nil
}

// runPackage runs tests of one package. Tests that can run shorter do.
func (r results) runPackage(pkg string, names []string) error {
	pattern := "^(" + strings.Join(names, "|") + ")$"
	args := []string{"test", "-json", "-count=1", "-timeout=5m", "-run"}
	if pkg == scripts {
		args = append(args, "^TestScripts$/"+pattern)
	} else {
		args = append(args, pattern)
	}
	cmd := exec.Command("go", append(args, "./"+pkg)...)
	cmd.Env = append(os.Environ(), "MCPD_TEST_POSTGRES=1")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if len(text) == 0 {
		return fmt.Errorf("%s: %w", pkg, err)
	}
	for lines := bufio.NewReader(bytes.NewReader(text)); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil // a failure is in the results
		}
		var e struct {
			Action, Test, Output string
			Elapsed              float64
		}
		if json.Unmarshal(line, &e) != nil || e.Test == "" {
			continue
		}
		name, part, _ := strings.Cut(e.Test, "/")
		if pkg == scripts {
			name, part = part, ""
		}
		t := r.of(pkg, name)
		switch {
		case e.Action == "output":
			t.output.WriteString(e.Output)
		case part == "" && slices.Contains([]string{"pass", "fail", "skip"}, e.Action):
			t.action, t.seconds = e.Action, e.Elapsed
		}
	}
}

// report prints the line of a fault, and the output of its tests that did not pass.
func (r results) report(out io.Writer, f fault) (ok bool) {
	seconds, detail := 0.0, ""
	ok = true
	for _, t := range f.Tests {
		for _, name := range t.Names {
			res := r.of(t.Package, name)
			seconds += res.seconds
			switch res.action {
			case "pass":
				continue
			case "":
				detail += fmt.Sprintf("\n      %s: %s did not run", t.Package, name)
			default:
				detail += fmt.Sprintf("\n      %s: %s: %s\n%s", t.Package, name, res.action, res.output.String())
			}
			ok = false
		}
	}
	word := "ok  "
	if !ok {
		word = "FAIL"
	}
	fmt.Fprintf(out, "%s  %5.1f s  %s%s\n", word, seconds, f.What, detail)
	return ok
}

// page returns the tables as a page of docs.
func page() []byte {
	var b bytes.Buffer
	b.WriteString("# When something fails\n\nGenerated from `bench/faults`. `make faults` causes each of these faults and checks what happens.\n\n")
	write := func(faults []fault) {
		b.WriteString("| what fails | what happens |\n|---|---|\n")
		for _, f := range faults {
			fmt.Fprintf(&b, "| %s | %s |\n", f.What, f.Seen)
		}
	}
	write(table)
	b.WriteString("\n## The team server\n\n")
	write(teamTable)
	return b.Bytes()
}
