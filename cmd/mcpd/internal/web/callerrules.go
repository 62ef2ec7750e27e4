package web

import (
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// rules returns what bindings allow the caller. The other subjects of a binding are not part of it.
func (c *account) rules() (any, error) {
	project := object.Name(c.query("project"))
	if key := (object.Key{Kind: object.KindProject, Name: project}); project != "" {
		if err := key.Check(); err != nil {
			return nil, problem.Usagef("%s %v", key, err)
		}
	}
	out := []api.Rule{}
	for _, r := range c.Access.Rules(c.caller, project) {
		out = append(out, api.Rule{Binding: r.Binding, Verbs: texts(r.Verbs), Kinds: texts(r.Kinds), Names: r.Names, Projects: r.Projects})
	}
	return out, nil
}

func texts[T ~string](words []T) []string {
	var list []string
	for _, w := range words {
		list = append(list, string(w))
	}
	return list
}
