package auth

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// listRun lists the bindings that give the caller rights.
func listRun(ctx context.Context, opts *Options) error {
	query := url.Values{}
	if opts.Query.Project != "" {
		query.Set("project", opts.Query.Project)
	}
	rules := []api.Rule{}
	if err := opts.F.CallTeam(ctx, http.MethodGet, "/auth/rules", query, nil, &rules); err != nil {
		return err
	}
	l := printer.Listing{Value: rules, Table: func(bool) *iostreams.Table { return table(rules) }}
	for _, r := range rules {
		l.Names = append(l.Names, "rbacbinding/"+r.Binding)
	}
	return printer.Print(opts.F.IO, opts.Output, l)
}

func table(rules []api.Rule) *iostreams.Table {
	t := iostreams.NewTable("BINDING", "VERBS", "KINDS", "NAMES", "PROJECTS")
	for _, r := range rules {
		t.Row(r.Binding, strings.Join(r.Verbs, ","), allOr(r.Kinds), allOr(r.Names), allOr(r.Projects))
	}
	return t
}

// allOr joins a list, which matches everything if it is empty.
func allOr(list []string) string {
	if len(list) == 0 {
		return "*"
	}
	return strings.Join(list, ",")
}
