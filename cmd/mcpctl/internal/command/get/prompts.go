package get

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
)

var promptColumns = columns{
	header: []string{"PROJECT", "NAME", "PRIORITY", "LINK", "STATUS"},
	row: func(o api.Object) []string {
		d := details[api.Prompt](o)
		status := d.LinkStatus // describe shows the reason for a dead link
		if status == "" {
			status = state("", o.Problem)
		}
		return []string{o.Project, o.Name, strconv.Itoa(d.Priority), d.LinkTarget, status}
	},
	more: []string{"SOURCE", "SUMMARY"},
	rest: func(o api.Object) []string { return []string{o.Source, details[api.Prompt](o).Summary} },
}

var requestColumns = columns{
	header: []string{"PROJECT", "NAME", "PRIORITY", "BYTES"},
	row: func(o api.Object) []string {
		var m struct {
			Spec struct {
				Priority int
				Content  string
			}
		}
		_ = json.Unmarshal(o.Manifest, &m) // encoded by the same program
		return []string{o.Project, o.Name, strconv.Itoa(m.Spec.Priority), strconv.Itoa(len(m.Spec.Content))}
	},
	more: []string{"SOURCE"}, rest: sourceColumn,
}

// askedFor removes the built-in prompts of mcpctl-system, unless they were selected by name, by
// project
// or with -A.
func askedFor(all []api.Object, opts *Options) []api.Object {
	if opts.Kind != kinds.Prompt || opts.All || opts.Project != "" || len(opts.Names) > 0 {
		return all
	}
	return slices.DeleteFunc(all, func(o api.Object) bool { return o.Source == "built-in" })
}
