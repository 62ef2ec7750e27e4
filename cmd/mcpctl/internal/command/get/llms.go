package get

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

func llmProviders(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	all, err := s.LLMProviders(ctx)
	if err != nil {
		return printer.Listing{}, err
	}
	list, err := pick(all, opts, func(p api.LLMProvider) string { return p.Name })
	if err != nil {
		return printer.Listing{}, err
	}
	l := printer.Listing{Value: list, Table: func(wide bool) *iostreams.Table { return llmTable(list, wide) }}
	for _, p := range list {
		l.Names = append(l.Names, "llmprovider/"+p.Name)
	}
	return l, nil
}

func llmTable(list []api.LLMProvider, wide bool) *iostreams.Table {
	header := []string{"NAME", "TYPE", "MODEL", "TIERS", "STATE", "REQUESTS", "ERRORS", "TOKENS", "BUDGET"}
	if wide {
		header = append(header, "SECONDS", "LAST")
	}
	t := iostreams.NewTable(header...)
	for _, p := range list {
		row := []string{p.Name, p.Type, p.Model, strings.Join(p.Tiers, ","), p.State,
			strconv.FormatInt(p.Requests, 10), strconv.FormatInt(p.Errors, 10), strconv.FormatInt(p.TokensIn+p.TokensOut, 10), budget(p)}
		if wide {
			row = append(row, strconv.FormatFloat(p.Seconds, 'f', 1, 64), cmp.Or(p.LastError, p.LastLine))
		}
		t.Row(row...)
	}
	return t
}

// budget formats the largest use of today's token budget by one module in one project, and the
// limit.
func budget(p api.LLMProvider) string {
	used, limit := 0, "no limit"
	if len(p.Spent) > 0 {
		used = p.Spent[0].Tokens
	}
	if p.DailyTokens > 0 {
		limit = printer.Short(p.DailyTokens)
	}
	return printer.Short(used) + "/" + limit
}
