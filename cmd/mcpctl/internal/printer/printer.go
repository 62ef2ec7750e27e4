// Package printer writes a listing in the formats every listing has: table,
// wide, json, yaml, name.
package printer

import (
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

// Formats are the values of -o.
var Formats = []string{"table", "wide", "json", "yaml", "name"}

// AddFlag adds -o; MCPCTL_OUTPUT presets it.
func AddFlag(cmd *cobra.Command, env func(string) string, into *string) {
	preset := env("MCPCTL_OUTPUT")
	if preset == "" {
		preset = "table"
	}
	cmd.Flags().StringVarP(into, "output", "o", preset, "format: "+strings.Join(Formats, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(Formats, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
}

// Listing is something that can be printed in every format.
//
// Table fills a table for people (wide asks for more columns); Value is what
// json and yaml print, a contract; Names are the lines of -o name, "kind/name".
type Listing struct {
	Table func(wide bool) *iostreams.Table
	Value any
	Names []string
	Keys  []string // what tells the items apart; nil: their names do
}

// Print writes l in a format. Where the output has a width, table cuts cells and wide
// wraps them; a pipe has none unless COLUMNS is set.
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
			if _, err := fmt.Fprintln(w, n); err != nil {
				return err
			}
		}
		return nil
	}
	return Unknown(format)
}

// Check is the error for a format that does not exist, before any work is done.
func Check(format string) error {
	if slices.Contains(Formats, format) {
		return nil
	}
	return Unknown(format)
}

// Unknown is the error for a format that does not exist.
func Unknown(format string) error {
	p := problem.Usagef("unknown output format %q", format)
	p.Cause = "known are " + strings.Join(Formats, ", ") + "; it comes from -o or MCPCTL_OUTPUT"
	return p.WithHint("-o %s", cmp.Or(suggest.Nearest(format, Formats), "json"))
}

// JSON writes v indented, text as it is (no \u003c).
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
