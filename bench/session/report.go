package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// report has the figures of both sessions.
type report struct {
	Repository string `json:"repository"`
	Steps      int    `json:"steps"`
	Rows       []row  `json:"rows"` // one for each kind
	Total      row    `json:"total"`

	// Growth are the tokens in the context of each request to the model.
	Growth struct {
		Without []int `json:"without"`
		With    []int `json:"with"`
	} `json:"growth"`

	// Unchanged are the results of the client's tools that mcpctl left unchanged.
	Unchanged struct {
		Results int `json:"results"`
		Tokens  int `json:"tokens"`
	} `json:"unchanged"`

	Failures struct {
		Without []string `json:"without"`
		With    []string `json:"with"`
	} `json:"failures"`
}

// row has the figures of a kind.
type row struct {
	Kind    string `json:"kind"`
	Without side   `json:"without"`
	With    side   `json:"with"`
}

// side is the cost of one kind of step in one session.
type side struct {
	Calls int `json:"calls"`
	cost
}

func (s *side) add(t side) {
	s.Calls += t.Calls
	s.Tokens += t.Tokens
	s.Processed += t.Processed
}

func newReport(steps int, without, with *ledger) (r report) {
	r.Repository, r.Steps = repository, steps
	r.Total.Kind = "total"
	for _, kind := range kinds {
		line := row{kind, side{without.byKind[kind], without.cost(kind)}, side{with.byKind[kind], with.cost(kind)}}
		r.Rows = append(r.Rows, line)
		r.Total.Without.add(line.Without)
		r.Total.With.add(line.With)
	}
	r.Growth.Without, r.Growth.With = without.growth(), with.growth()
	r.Unchanged.Results, r.Unchanged.Tokens = with.unchanged, with.unchangedTokens
	r.Failures.Without, r.Failures.With = append([]string{}, without.failures...), append([]string{}, with.failures...)
	return r
}

func (r report) print(w io.Writer) {
	fmt.Fprintf(w, "o200k_base tokens of a session of %d steps on %s\n\n", r.Steps, r.Repository)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "calls\twithout\tcalls\twith mcpctl\tratio\twithout, re-read\twith, re-read\tratio\t\t")
	for _, l := range append(r.Rows, r.Total) {
		fmt.Fprintf(t, "%d\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t  %s\t\n", l.Without.Calls, thousands(l.Without.Tokens), l.With.Calls, thousands(l.With.Tokens),
			ratio(l.Without.Tokens, l.With.Tokens), thousands(l.Without.Processed), thousands(l.With.Processed), ratio(l.Without.Processed, l.With.Processed), l.Kind)
	}
	t.Flush()
	fmt.Fprintf(w, "\nre-read: each request to the model reads the whole context, which is the price without a prompt cache\n")
	fmt.Fprintf(w, "mcpctl left %d results of the client's tools unchanged, %s tokens\n", r.Unchanged.Results, thousands(r.Unchanged.Tokens))
	r.printFailures(w, "without", r.Failures.Without)
	r.printFailures(w, "with", r.Failures.With)
}

func (r report) printFailures(w io.Writer, side string, list []string) {
	fmt.Fprintf(w, "failures %s mcpctl: %d of %d steps\n", side, len(list), r.Steps)
	for _, f := range list {
		fmt.Fprintln(w, " ", f)
	}
}

// ratio returns the part of the tokens that is left, with two digits; "-" without a first figure.
func ratio(without, with int) string {
	if without == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(with)/float64(without))
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
