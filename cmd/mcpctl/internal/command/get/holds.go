package get

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

func holds(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	all, err := s.Studio().Holds(ctx, opts.Project)
	if err != nil {
		return printer.Listing{}, err
	}
	list, err := pick(all, opts, func(h api.Hold) string { return strconv.FormatUint(h.ID, 10) })
	if err != nil {
		return printer.Listing{}, err
	}
	l := printer.Listing{Value: list, Table: func(wide bool) *iostreams.Table { return holdTable(list, time.Now(), wide) }}
	for _, h := range list {
		l.Names = append(l.Names, fmt.Sprintf("hold/%d", h.ID))
	}
	return l, nil
}

func holdTable(list []api.Hold, now time.Time, wide bool) *iostreams.Table {
	header := []string{"ID", "AGE", "LEFT", "PROJECT", "SOURCE", "OUT"}
	if wide {
		header = append(header, "CLIENT", "SESSION", "MODEL")
	}
	t := iostreams.NewTable(header...)
	for _, h := range list {
		row := []string{strconv.FormatUint(h.ID, 10), printer.Age(now.Sub(h.Since)), printer.Age(h.Deadline.Sub(now)), h.Project, h.Source, count(h.OutTokens)}
		if wide {
			row = append(row, h.Client, h.Session, h.Model)
		}
		t.Row(row...)
	}
	return t
}
