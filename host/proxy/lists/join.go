package lists

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// Served is the list of one server of a project.
type Served struct {
	Server   string
	List     *catalog.Listing // nil: unknown
	Stale    bool             // the last known list, because the server did not answer in time
	Starting bool             // the server did not answer because it is starting
	Assumed  bool             // List represents tools that are not known yet; the project's choice does not apply
	Err      error            // the reason, if it is known
}

// state describes why the list of a server is missing or old: in a word, unless the error has
// a text for clients.
func (s Served) state() string {
	client := (*flow.ClientError)(nil)
	switch {
	case errors.As(s.Err, &client):
		return "(" + client.Why + ")"
	case s.Starting:
		return "(starting)"
	case s.Err != nil:
		return "(failed)"
	}
	return "(not answering)"
}

// List is a list as the client gets it.
type List struct {
	Result []byte
	Sum    [sha256.Size]byte // of Result, to detect changes
}

// Join joins the objects of all servers, in the order of the project, followed by own,
// the objects of the host. write returns each object as it is listed, or nil to omit it.
//
// With one server, the other members of its result are kept as well.
func Join(k catalog.Kind, all []Served, write func(s Served, it catalog.Item) []byte, own ...[]byte) List {
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
		if s.List == nil {
			continue
		}
		for _, it := range s.List.Items {
			add(write(s, it))
		}
	}
	for _, raw := range own {
		add(raw)
	}
	return newList(k, all, append(array, ']'))
}

// newList returns the result object around an array.
func newList(k catalog.Kind, all []Served, array []byte) List {
	raw := frame(k, all, array)
	return List{raw, sha256.Sum256(raw)}
}

func frame(k catalog.Kind, all []Served, array []byte) []byte {
	if len(all) != 1 || all[0].List == nil || all[0].List.First == nil {
		return jsonedit.Object(jsonedit.Raw(k.Array(), array))
	}
	p := jsonedit.Patch{Source: all[0].List.First}
	drop := func(key []byte) bool { return jsonspan.KeyIs(key, "nextCursor") }
	var missing []jsonedit.Field
	if spellings := countSpellings(p.Source, k.Array()); spellings == 1 && jsonedit.Has(p.Source, k.Array()) {
		p.Replace(jsonedit.Member(p.Source, k.Array()), array)
	} else {
		missing = []jsonedit.Field{jsonedit.Raw(k.Array(), array)}
		drop = func(key []byte) bool { return jsonspan.KeyIs(key, "nextCursor") || isSpelling(key, k.Array()) }
	}
	if meta := jsonedit.Member(p.Source, "_meta"); meta.End > 0 && result.MayForge(p.Source) {
		result.RemoveForged(&p, meta.Start)
	}
	p.EditObject(jsonspan.SkipBlank(p.Source, 0), drop, missing...)
	return p.Apply()
}

// countSpellings counts the members that a client could read as the array: clients differ in
// whether they distinguish cases, and in which of several members they use.
func countSpellings(object []byte, array string) (n int) {
	jsonedit.Members(object, func(key []byte, _ jsonspan.Member) bool {
		if isSpelling(key, array) {
			n++
		}
		return true
	})
	return n
}

// isSpelling reports whether a key, a JSON string, is a name apart from case.
func isSpelling(key []byte, name string) bool {
	var text string
	return json.Unmarshal(key, &text) == nil && strings.EqualFold(text, name)
}

// Entry returns a listed object under its wire name, without the host's keys in its
// _meta and, if hideOutput is set, without its outputSchema.
func Entry(it catalog.Item, wire string, hideOutput bool) []byte {
	p := jsonedit.Patch{Source: it.Raw}
	if wire != it.Name {
		p.Replace(jsonedit.Member(it.Raw, "name"), jsonedit.Quote(wire))
	}
	if hideOutput {
		p.EditObject(jsonspan.SkipBlank(it.Raw, 0), func(key []byte) bool { return jsonspan.KeyIs(key, "outputSchema") })
	}
	if result.MayForge(it.Raw) {
		if meta := jsonedit.Member(it.Raw, "_meta"); meta.End > 0 {
			result.RemoveForged(&p, meta.Start)
		}
	}
	return p.Apply()
}

// Prompts assigns wire names to the prompts of all servers and writes the list.
// previous is the table of the previous list, or nil.
func Prompts(n names.Naming, all []Served, previous *names.Table) (*names.Table, List) {
	table := names.NewTable(n, previous)
	list := Join(catalog.Prompts, all, func(s Served, it catalog.Item) []byte {
		return Entry(it, table.Add(names.Target{Server: s.Server, Name: it.Name}), false)
	})
	return table, list
}
