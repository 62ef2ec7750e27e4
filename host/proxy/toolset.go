package proxy

import (
	"crypto/sha256"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// served is what one server of a project has in a list. list is nil if nothing
// is known of it yet.
type served struct {
	server   Server
	list     *listing
	stale    bool  // the last known one, the server did not answer in time
	starting bool  // because it is starting
	err      error // why, if it is known
}

// assembled is a list as the client gets it.
type assembled struct {
	result []byte
	sum    [sha256.Size]byte // of result: has our list changed?
}

// assemble joins the objects of all servers, in the order of the project. write
// gives each the form in which we list it, nil to leave it out. ours are objects
// of the host.
//
// With one server the other members of its answer are kept as well.
func assemble(k listKind, all []served, write func(s Server, it item) []byte, ours ...[]byte) assembled {
	array := []byte{'['}
	add := func(raw []byte) {
		if raw == nil {
			return
		}
		if len(array) > 1 {
			array = append(array, ',')
		}
		array = append(array, raw...)
	}
	for _, s := range all {
		if s.list == nil {
			continue
		}
		for _, it := range s.list.items {
			add(write(s.server, it))
		}
	}
	for _, raw := range ours {
		add(raw)
	}
	result := frameOf(k, all, append(array, ']'))
	return assembled{result, sha256.Sum256(result)}
}

// frameOf makes the result object round the array.
func frameOf(k listKind, all []served, array []byte) []byte {
	if len(all) != 1 || all[0].list == nil || all[0].list.first == nil {
		return jsonedit.Object(jsonedit.Raw(k.array(), array))
	}
	p := jsonedit.Patch{Source: all[0].list.first}
	var missing []jsonedit.Field
	if at := jsonedit.Member(p.Source, k.array()); at.End > 0 {
		p.Replace(at, array)
	} else {
		missing = []jsonedit.Field{jsonedit.Raw(k.array(), array)}
	}
	if meta := jsonedit.Member(p.Source, "_meta"); meta.End > 0 && mayForge(p.Source) {
		p.EditObject(meta.Start, ownKey)
	}
	p.EditObject(jsonspan.SkipBlank(p.Source, 0), func(key []byte) bool { return jsonspan.KeyIs(key, "nextCursor") }, missing...)
	return p.Apply()
}

// listed returns a listed object under its wire name. Beyond the name only keys
// of the host in its _meta go, and outputSchema where hide says so.
func listed(it item, wire string, hide bool) []byte {
	p := jsonedit.Patch{Source: it.raw}
	if wire != it.name {
		p.Replace(jsonedit.Member(it.raw, "name"), jsonspan.AppendQuote(nil, []byte(wire)))
	}
	if hide {
		p.EditObject(jsonspan.SkipBlank(it.raw, 0), func(key []byte) bool { return jsonspan.KeyIs(key, "outputSchema") })
	}
	if mayForge(it.raw) {
		if meta := jsonedit.Member(it.raw, "_meta"); meta.End > 0 {
			p.EditObject(meta.Start, ownKey)
		}
	}
	return p.Apply()
}

// toolset is the tools of a session as last assembled: what a wire name in a
// call means.
type toolset struct {
	project    *Project
	names      *names.Table
	repeatable map[names.Target]bool // tools that say so: running twice does no harm
	missing    []served              // servers that did not answer for their list

	// Of a list that controllers have edited.
	steered bool
	all     []flow.ListedTool // hidden ones included
	byWire  map[string]int    // positions in all
	byLabel map[string]names.Target
}

// newToolset names the tools of all servers and writes the list.
func newToolset(p *Project, all []served, before *toolset) (*toolset, assembled) {
	t := emptyToolset(p, all, before, names.Reserved)
	var ours [][]byte
	if p.Sections {
		ours = [][]byte{readSectionTool}
	}
	list := assemble(tools, all, func(s Server, it item) []byte {
		_, _, raw := t.take(p, s, it)
		return raw
	}, ours...)
	return t, list
}

// emptyToolset is a set that has no tools yet. Names are given in the light of
// the set before, nil for none.
func emptyToolset(p *Project, all []served, before *toolset, reserved []string) *toolset {
	t := &toolset{project: p, repeatable: make(map[names.Target]bool)}
	t.names = names.NewTable(p.naming(reserved), namesOf(before))
	for _, s := range all {
		if s.list == nil || s.stale {
			t.missing = append(t.missing, s)
		}
	}
	return t
}

func namesOf(t *toolset) *names.Table {
	if t == nil {
		return nil
	}
	return t.names
}

// take gives a tool its wire name and returns the form in which it is listed.
func (t *toolset) take(p *Project, s Server, it item) (to names.Target, wire string, raw []byte) {
	to = names.Target{Server: s.Name, Name: it.name}
	if isRepeatable(it.raw) {
		t.repeatable[to] = true
	}
	wire = t.names.Add(to)
	return to, wire, listed(it, wire, p.model(abi.ToolResult, to.Label()).Transforms)
}

// isRepeatable reports whether a tool declares that it only reads, or that a
// second call changes nothing more.
func isRepeatable(tool []byte) (yes bool) {
	at := jsonedit.Member(tool, "annotations")
	jsonedit.Members(tool[at.Start:at.End], func(key []byte, m jsonspan.Member) bool {
		if jsonspan.KeyIs(key, "readOnlyHint") || jsonspan.KeyIs(key, "idempotentHint") {
			yes = yes || tool[at.Start+m.Start] == 't'
		}
		return true
	})
	return yes
}
