package get

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

func stageTable(list []api.Stage, wide bool) *iostreams.Table {
	header := []string{"NAME", "SOURCE", "STATUS", "REQUIRES-LLM"}
	if wide {
		header = append(header, "KIND", "ABI", "LANG", "HASH", "PLUGIN-DIRECTORY")
	}
	t := iostreams.NewTable(header...)
	for _, st := range list {
		row := []string{st.Name, st.Source, status(st), st.RequiresLLM}
		if wide {
			row = append(row, string(st.Kind), st.ABI, st.Language, short(st.Hash), formatPluginDir(st.Plugin))
		}
		t.Row(row...)
	}
	return t
}

func controllerTable(list []api.Stage, wide bool) *iostreams.Table {
	header := []string{"NAME", "SOURCE", "STATUS", "HOOKS", "GATED-ONLY"}
	if wide {
		header = append(header, "REQUIRES-LLM", "ABI", "LANG", "HASH", "PLUGIN-DIRECTORY")
	}
	t := iostreams.NewTable(header...)
	for _, st := range list {
		names, gated := "all", "no"
		if st.Role != nil {
			gated = yesNo(st.Role.GatedOnly)
			if len(st.Role.Hooks) > 0 {
				names = hookNames(st.Role.Hooks)
			}
		}
		row := []string{st.Name, st.Source, status(st), names, gated}
		if wide {
			row = append(row, st.RequiresLLM, st.ABI, st.Language, short(st.Hash), formatPluginDir(st.Plugin))
		}
		t.Row(row...)
	}
	return t
}

// hookNames returns the names of hooks without their common prefix.
func hookNames(hooks []abi.Hook) string {
	names := make([]string, len(hooks))
	for i, h := range hooks {
		names[i] = strings.TrimPrefix(string(h), "on_")
	}
	return strings.Join(names, ",")
}

func formatPluginDir(p *api.PluginDir) string {
	switch {
	case p == nil:
		return ""
	case p.Problem != "":
		return strings.TrimPrefix(p.Path+": "+p.Problem, ": ")
	}
	return p.Path
}

func short(hash string) string { return hash[:min(12, len(hash))] }

func objectTable(kind string, list []api.Object, wide bool) *iostreams.Table {
	columns, ok := tables[kind]
	if !ok {
		columns = plain
	}
	header := columns.header
	if wide {
		header = append(append(slices.Clone(header), columns.more...), "FILE")
	}
	t := iostreams.NewTable(header...)
	for _, o := range list {
		row := columns.row(o)
		if wide {
			if columns.rest != nil {
				row = append(row, columns.rest(o)...)
			}
			row = append(row, o.File)
		}
		t.Row(row...)
	}
	return t
}

// columns describes the table for the objects of one kind.
type columns struct {
	header []string
	row    func(api.Object) []string
	more   []string // additional columns of the wide format
	rest   func(api.Object) []string
}

func sourceColumn(o api.Object) []string { return []string{o.Source} }

var plain = columns{header: []string{"NAME"}, row: func(o api.Object) []string { return []string{o.Name} }}

var tables = map[string]columns{
	"server": {header: []string{"NAME", "TRANSPORT", "STATE", "TOOLS"}, row: func(o api.Object) []string {
		d := details[api.ServerDetails](o)
		return []string{o.Name, d.Transport, state(d.State.State, shortenUnset(o.Problem)), count(d.State.Tools)}
	}, more: []string{"SOURCE"}, rest: sourceColumn},
	"project": {header: []string{"NAME", "MODE", "PROXYMODEL", "SERVERS"}, row: func(o api.Object) []string {
		d := details[api.ProjectDetails](o)
		return []string{o.Name, d.ProxyMode, d.ProxyModel, state(strings.Join(d.Servers, ","), o.Problem)}
	}, more: []string{"SOURCE"}, rest: sourceColumn},
	"proxymodel": {header: []string{"NAME", "SOURCE", "STAGES", "REQUIRES-LLM", "CACHEABLE"}, row: func(o api.Object) []string {
		d := details[api.ModelDetails](o)
		names := make([]string, len(d.Stages))
		for i, st := range d.Stages {
			names[i] = st.Type
		}
		return []string{o.Name, o.Source, state(strings.Join(names, ","), o.Problem), d.RequiresLLM, yesNo(d.Cacheable)}
	}},
	"prompt":        promptColumns,
	"promptrequest": requestColumns,
	"user": {header: []string{"NAME", "EMAIL", "DISABLED"}, row: func(o api.Object) []string {
		s := specOf[struct {
			Email    string
			Disabled bool
		}](o)
		return []string{o.Name, s.Email, yesNo(s.Disabled)}
	}},
	"group": {header: []string{"NAME", "MEMBERS"}, row: func(o api.Object) []string {
		return []string{o.Name, strings.Join(specOf[struct{ Members []string }](o).Members, ",")}
	}},
	"serviceaccount": {header: []string{"NAME", "DESCRIPTION"}, row: func(o api.Object) []string {
		return []string{o.Name, specOf[struct{ Description string }](o).Description}
	}},
	"rbacbinding": {header: []string{"NAME", "SUBJECTS", "VERBS", "KINDS", "NAMES", "PROJECTS"}, row: func(o api.Object) []string {
		s := specOf[struct {
			Subjects                      []map[string]string
			Verbs, Kinds, Names, Projects []string
		}](o)
		var subjects []string
		for _, one := range s.Subjects {
			for kind, name := range one {
				subjects = append(subjects, strings.ToLower(kind)+"/"+name)
			}
		}
		return []string{o.Name, strings.Join(subjects, ","), strings.Join(s.Verbs, ","), all(s.Kinds), all(s.Names), all(s.Projects)}
	}},
}

// all joins the items of a list that means everything if it is empty.
func all(list []string) string {
	if len(list) == 0 {
		return "all"
	}
	return strings.Join(list, ",")
}

// specOf decodes the spec of a manifest, which was checked before.
func specOf[T any](o api.Object) T {
	var m struct{ Spec T }
	_ = json.Unmarshal(o.Manifest, &m)
	return m.Spec
}

// status returns the status of a stage. It removes the stage's name before the reason.
func status(st api.Stage) string {
	return strings.Replace(st.Status, "failed: module \""+st.Name+"\": ", "failed: ", 1)
}

// details decodes Object.Details. An object that could not be loaded has no details.
func details[T any](o api.Object) (d T) {
	_ = json.Unmarshal(o.Details, &d)
	return d
}

func state(s, problem string) string {
	if problem != "" {
		s = "failed: " + problem
	}
	return s
}

// unset matches the part of a problem that lists variables without a value.
var unset = regexp.MustCompile(`\bneeds (?:\S+, )+not set\b`)

// shortenUnset reduces a problem about variables without a value to their names. The status and
// doctor
// commands show the commands that set them.
func shortenUnset(problem string) string {
	if found := unset.FindAllString(problem, -1); found != nil {
		return strings.Join(found, "; ")
	}
	return problem
}

// count formats a number; 0 means unknown.
func count(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
