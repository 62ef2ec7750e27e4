// Command run runs every case of the conformance kit with one guest and prints which
// passed:
//
//	go run ./abi/tck/run GUEST.wasm [CASE ...]
//
// A CASE is a name or the beginning of one: stage, controller/context. The exit status is
// 1 if a case failed, and 2 if the guest cannot be run.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcpctl/mcpctl/abi/tck"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: run GUEST.wasm [CASE ...]")
		os.Exit(2)
	}
	failed, err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2:])
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(2)
	case failed > 0:
		os.Exit(1)
	}
}

// run prints a line for each case, and then the differences of failed cases.
func run(ctx context.Context, w io.Writer, guest string, only []string) (failed int, err error) {
	module, err := os.ReadFile(guest)
	if err != nil {
		return 0, err
	}
	cases, err := tck.Cases()
	if err != nil {
		return 0, err
	}
	h, err := tck.Open(ctx, module)
	if err != nil {
		return 0, err
	}
	defer h.Close(ctx)
	var details strings.Builder
	passed := 0
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range cases {
		if len(only) > 0 && !slices.ContainsFunc(only, func(begin string) bool { return strings.HasPrefix(c.Name, begin) }) {
			continue
		}
		problems := h.Run(ctx, c)
		verdict := "passed"
		if len(problems) > 0 {
			verdict = "FAILED"
			failed++
			fmt.Fprintf(&details, "\n%s: %s\n%s\n", c.Name, c.Summary(), indent(strings.Join(problems, "\n")))
		} else {
			passed++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", verdict, c.Name, c.Summary())
	}
	if err := table.Flush(); err != nil {
		return failed, err
	}
	_, err = fmt.Fprintf(w, "%s\n%d passed, %d failed\n", details.String(), passed, failed)
	return failed, err
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ")
}
