package model

import (
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// cost is the cost of one proxymodel for a script.
type cost struct {
	Model    string        `json:"proxyModel"`
	Calls    int           `json:"calls"`          // sections that were opened included
	Original int           `json:"originalTokens"` // est., as the servers sent it
	Tokens   int           `json:"tokens"`         // est., of all answers
	Bytes    int           `json:"bytes"`
	Missed   []string      `json:"missed,omitempty"` // sections this proxymodel does not have
	Time     time.Duration `json:"timeNs"`
	Again    time.Duration `json:"againNs"` // the tool calls a second time

	TokenRatio float64 `json:"tokenRatio"` // to the first proxymodel, in this run
	TimeRatio  float64 `json:"timeRatio"`
	AgainRatio float64 `json:"againRatio"`
}

func (c *cost) add(text []byte) {
	c.Calls++
	c.Bytes += len(text)
	c.Tokens += abi.EstimateTokens(text)
}

func showCosts(opts *BenchmarkOptions, costs []cost) error {
	l := printer.Listing{}
	for i, c := range costs {
		costs[i] = c.over(costs[0])
		for _, s := range c.Missed {
			fmt.Fprintf(opts.F.IO.ErrOut, "warning: proxymodel %q has no section %q\n", c.Model, iostreams.Line(s))
		}
		l.Names = append(l.Names, "proxymodel/"+c.Model)
	}
	l.Value = costs
	l.Table = func(wide bool) *iostreams.Table { return costTable(costs, wide) }
	return printer.Print(opts.F.IO, opts.Output, l)
}

// over sets the ratios to another cost of the same run.
func (c cost) over(first cost) cost {
	c.TokenRatio = ratio(c.Tokens, first.Tokens)
	c.TimeRatio = ratio(c.Time, first.Time)
	c.AgainRatio = ratio(c.Again, first.Again)
	return c
}

func ratio[T int | time.Duration](a, b T) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func costTable(costs []cost, wide bool) *iostreams.Table {
	header := []string{"PROXYMODEL", "CALLS", "ORIGINAL", "TOKENS", "RATIO", "TIME", "RATIO", "AGAIN", "RATIO"}
	if wide {
		header = append(header, "BYTES")
	}
	t := iostreams.NewTable(header...)
	for _, c := range costs {
		row := []string{c.Model, fmt.Sprint(c.Calls), printer.Count(c.Original), printer.Count(c.Tokens), times(c.TokenRatio),
			millis(c.Time), times(c.TimeRatio), millis(c.Again), times(c.AgainRatio)}
		if wide {
			row = append(row, printer.Count(c.Bytes))
		}
		t.Row(row...)
	}
	return t
}

func times(r float64) string { return fmt.Sprintf("%.2fx", r) }

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
}
