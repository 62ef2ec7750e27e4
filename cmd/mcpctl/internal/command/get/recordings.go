package get

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

func recordings(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	all, err := s.Recordings().List(ctx, opts.Project)
	if err != nil {
		return printer.Listing{}, err
	}
	list, err := pick(all, opts, func(r api.Recording) string { return r.Name })
	if err != nil {
		return printer.Listing{}, err
	}
	l := printer.Listing{Value: list, Table: func(wide bool) *iostreams.Table { return recordingTable(list, time.Now(), wide) }}
	for _, r := range list {
		l.Names = append(l.Names, "recording/"+r.Name)
	}
	return l, nil
}

func recordingTable(list []api.Recording, now time.Time, wide bool) *iostreams.Table {
	header := []string{"NAME", "PROJECT", "SIZE", "AGE", "WRITTEN"}
	if wide {
		header = append(header, "FILE")
	}
	t := iostreams.NewTable(header...)
	for _, r := range list {
		row := []string{r.Name, r.Project, printer.Size(r.Bytes), printer.Age(now.Sub(r.Started)), printer.Age(now.Sub(r.Written))}
		if wide {
			row = append(row, r.File)
		}
		t.Row(row...)
	}
	return t
}
