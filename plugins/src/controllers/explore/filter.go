package explore

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/fieldpath"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// filter selects fields, or all fields except some.
type filter struct {
	paths   fieldpath.Set
	exclude bool
}

func readFilter(args *argument.Reader) asker {
	fields, without := args.Texts("fields"), args.Texts("exclude")
	mode := args.Word("mode", "", "include", "exclude")
	if mode == "" {
		if mode = "include"; len(without) > 0 {
			mode = "exclude"
		}
	}
	chosen, name := fields, "fields"
	if mode == "exclude" && len(without) > 0 {
		chosen, name = without, "exclude"
	}
	switch {
	case len(chosen) == 0:
		args.Fail("fields and exclude are both missing: want paths; proxy_explore tells which there are")
	case len(fields) > 0 && len(without) > 0:
		args.Fail("fields and exclude are both there, want one")
	}
	set, err := fieldpath.Compile(chosen)
	if err != nil {
		args.Fail(name + ": " + err.Error())
	}
	return filter{set, mode == "exclude"}
}

func (f filter) ask(a *answer, c content) (problem string) {
	list, lines, ok := readValues(c.Buf)
	if !ok {
		return "the result is no JSON: use proxy_search"
	}
	p := &projection{answer: a, b: c.Buf, room: a.room}
	found, seen := false, 0
	list(func(v value) bool {
		mark := p.save()
		if f.project(p, v, f.paths, 0) {
			found = true
			if lines {
				p.addText("\n")
			}
		} else {
			p.restore(mark)
		}
		if seen++; lines && seen == maxLines {
			a.addNote("looked at the first " + strconv.Itoa(seen) + " lines")
			return false
		}
		return !p.full
	})
	switch {
	case !found && len(a.notes) > 0:
		return strings.Join(a.notes, "; ")
	case !found && !p.full:
		return "nothing in the result is at these paths; proxy_explore tells which there are"
	}
	p.write()
	return ""
}

// maxLines is the number of lines of JSON that are read; each line is a document.
const maxLines = 20_000

// maxDepth is the nesting limit for projecting a value; a deeper value is selected
// whole or not at all.
const maxDepth = 100

// project writes the selected parts of a value and reports whether there are any.
func (f filter) project(p *projection, v value, set fieldpath.Set, depth int) bool {
	switch {
	case f.exclude && set.Whole():
		return false
	case set.Whole(), f.exclude && (len(set) == 0 || !v.isContainer()):
		return p.addValue(v, depth)
	case !v.isContainer() || depth == maxDepth:
		return false
	}
	step := childPaths(v, set)
	found := p.addChildren(v, func(c child) bool {
		next := step(c)
		switch {
		case len(next) == 0 && !f.exclude, next.Whole() && f.exclude:
			return false
		case !f.exclude && !next.Whole() && !v.in.isContainer(c.at):
			return false
		}
		return p.addMember(c, func() bool { return f.project(p, v.child(c), next, depth+1) })
	})
	return found || f.exclude
}

// childPaths returns a function that applies the paths of a container to a child.
func childPaths(v value, set fieldpath.Set) func(child) fieldpath.Set {
	switch {
	case v.kind() == stage.KindObject:
		return func(c child) fieldpath.Set { return set.Key(c.key) }
	case set.Uniform():
		all := set.Element(0)
		return func(child) fieldpath.Set { return all }
	}
	return func(c child) fieldpath.Set { return set.Element(c.i) }
}
