// Package printer writes listings in the formats that every listing supports: table, wide, json,
// yaml,
// name.
package printer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Formats lists the values of -o.
var Formats = []string{"table", "wide", "json", "yaml", "name"}

// AddFlag adds -o. Its default is MCPCTL_OUTPUT, if set.
func AddFlag(cmd *cobra.Command, env func(string) string, into *string) {
	preset := env("MCPCTL_OUTPUT")
	if preset == "" {
		preset = "table"
	}
	cmd.Flags().StringVarP(into, "output", "o", preset, "format: "+strings.Join(Formats, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(Formats, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
}

// Listing is a list that can be printed in every format.
//
// Table builds the table, with more columns if wide is set. Value is the output of json and yaml
// and
// must stay compatible. Names contains the lines of -o name, "kind/name".
type Listing struct {
	Table func(wide bool) *iostreams.Table
	Value any
	Names []string
	Keys  []string // unique keys of the items; nil means Names
}

// Print writes l in a format. If the output has a width, table truncates cells and wide wraps them.
// A
// pipe has no width unless COLUMNS is set.
func Print(to *iostreams.Streams, format string, l Listing) error {
	w := to.Out
	switch format {
	case "table":
		return l.Table(false).Fit(to.OutWidth).Fprint(w)
	case "wide":
		return l.Table(true).Wrap(to.OutWidth).Fprint(w)
	case "json":
		return JSON(w, l.Value)
	case "yaml":
		return YAML(w, l.Value)
	case "name":
		for _, n := range l.Names {
			if _, err := fmt.Fprintln(w, iostreams.Line(n)); err != nil {
				return err
			}
		}
		return nil
	}
	return Unknown(format)
}

// Check returns an error if a format does not exist.
func Check(format string) error {
	if slices.Contains(Formats, format) {
		return nil
	}
	return Unknown(format)
}

// Unknown returns the error for a format that does not exist.
func Unknown(format string) error {
	p := problem.Usagef("unknown output format %q", format)
	p.Cause = "known are " + strings.Join(Formats, ", ") + "; it comes from -o or MCPCTL_OUTPUT"
	return p.WithHint("-o %s", cmp.Or(suggest.Nearest(format, Formats), "json"))
}

// JSON writes v indented, without HTML escapes (no \u003c). Control characters that a
// terminal obeys are escaped; values do not change.
func JSON(w io.Writer, v any) error { return writeJSON(w, v, "  ") }

// JSONLine is JSON on one line.
func JSONLine(w io.Writer, v any) error { return writeJSON(w, v, "") }

func writeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, iostreams.CleanJSON(b.String()))
	return err
}
