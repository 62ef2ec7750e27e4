package get

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

func corrections(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	all, err := s.Studio().Corrections(ctx, opts.Project, "")
	if err != nil {
		return printer.Listing{}, err
	}
	list, err := pick(all, opts, func(c api.Correction) string { return c.ID })
	if err != nil {
		return printer.Listing{}, err
	}
	l := printer.Listing{Value: list, Table: func(wide bool) *iostreams.Table { return correctionTable(list, time.Now(), wide) }}
	for _, c := range list {
		l.Names = append(l.Names, "correction/"+c.ID)
	}
	return l, nil
}

func correctionTable(list []api.Correction, now time.Time, wide bool) *iostreams.Table {
	header := []string{"ID", "AGE", "SOURCE", "MODEL", "BYTES", "EDITED"}
	if wide {
		header = append(header, "PROJECT", "SESSION", "STAGES")
	}
	t := iostreams.NewTable(header...)
	for _, c := range list {
		row := []string{c.ID, printer.Age(now.Sub(c.Timestamp)), c.SourceName, c.ActiveModel, fmt.Sprint(len(c.Transformed)), fmt.Sprint(len(c.Edited))}
		if wide {
			var stages []string
			for _, st := range c.Stages {
				stages = append(stages, st.Role)
			}
			row = append(row, c.Project, c.SessionID, strings.Join(stages, ","))
		}
		t.Row(row...)
	}
	return t
}
