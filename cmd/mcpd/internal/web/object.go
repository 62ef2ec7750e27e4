package web

import (
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
)

// objectOf returns an object as clients see it.
func objectOf(r store.Record) api.Object {
	o := api.Object{
		Kind: strings.ToLower(string(r.Key.Kind)), Name: string(r.Key.Name), Project: string(r.Key.Project),
		Source: api.SourceTeam, Revision: r.Revision(), Manifest: r.Manifest,
	}
	if r.Version == 0 {
		o.Source, o.Revision = api.SourceBuiltIn, ""
	}
	return o
}
