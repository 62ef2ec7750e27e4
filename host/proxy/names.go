package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// The longest name a client may show to its model, and what a client puts
// before ours: "mcp__" + entry + "__", where the entry is the project's name.
const (
	maxShownName  = 64
	clientPrefix  = len("mcp__") + len("__")
	hashTail      = len("_") + 8
	shortestNames = hashTail + 7 // a project name of 48 bytes and more leaves no room; then names outgrow it
)

// Names of tools that belong to the host or a controller. No tool of an
// Upstream gets one of them, so text of a server can never pose as ours. Those of
// the controllers of a session are reserved in it as well.
const (
	toolReadSection   = "read_section"
	toolBeginSession  = "begin_session"
	toolReadPrompts   = "read_prompts"
	toolProposePrompt = "propose_prompt"
)

var reservedNames = []string{toolReadSection, toolBeginSession, toolReadPrompts, toolProposePrompt}

// target is what a wire name stands for: a tool or prompt of one server.
type target struct {
	server string
	name   string // as the server calls it
}

// label is how people and configuration call a target. One without a server is a
// virtual tool.
func (t target) label() string {
	if t.virtual() {
		return t.name
	}
	return t.server + "/" + t.name
}

func (t target) virtual() bool { return t.server == "" && t.name != "" }

// naming says how names are given in one project.
type naming struct {
	project  string
	bare     bool // names stay as they are: the project has one server
	reserved []string
}

// nameTable maps wire names to targets and back. It is built once for a list
// and then only read. Nothing is ever found out by cutting a wire name apart.
type nameTable struct {
	naming
	budget  int
	byWire  map[string]target
	byName  map[target]string
	byShown map[string]bool // wire names as a client shows them

	// The table of the list before.
	wireBefore map[string]target
	nameBefore map[target]string
}

// newNameTable starts a table. A target that had a name in the table before
// (nil for none) keeps it, so that a call the client is about to make still
// means the same tool after a list has changed.
func newNameTable(n naming, before *nameTable) *nameTable {
	t := &nameTable{
		naming:  n,
		budget:  max(maxShownName-clientPrefix-len(n.project), shortestNames),
		byWire:  make(map[string]target),
		byName:  make(map[target]string),
		byShown: make(map[string]bool),
	}
	if before != nil && before.bare == n.bare {
		t.wireBefore, t.nameBefore = before.byWire, before.byName
	}
	return t
}

// add gives t its wire name. A name that is too long, or that a client would
// show like one already taken, ends in a hash of the label.
func (n *nameTable) add(t target) string {
	if wire, ok := n.byName[t]; ok {
		return wire // listed twice by its server: one tool
	}
	wire := n.wanted(t)
	if n.taken(wire, t) || len(wire) > n.budget {
		wire = n.hashed(wire, t)
	}
	n.byWire[wire], n.byName[t] = t, wire
	n.byShown[shown(wire)] = true
	return wire
}

// wanted is the name t gets if nothing stands against it.
func (n *nameTable) wanted(t target) string {
	if wire, ok := n.nameBefore[t]; ok && !n.isReserved(wire) {
		return wire
	}
	if n.bare && !n.isReserved(t.name) {
		return t.name
	}
	return shown(t.server + "__" + t.name)
}

// taken reports whether wire is another target's, now or in the list before.
func (n *nameTable) taken(wire string, t target) bool {
	was, ok := n.wireBefore[wire]
	return ok && was != t || n.byShown[shown(wire)] || n.isReserved(wire)
}

// isReserved reports whether a client would show wire like a name that is not for
// servers.
func (n *nameTable) isReserved(wire string) bool { return slices.Contains(n.reserved, shown(wire)) }

// hashed cuts wire to make room for the hash. Should even that be taken, more
// rounds of hashing find a free one.
func (n *nameTable) hashed(wire string, t target) string {
	sum := sha256.Sum256([]byte(t.label()))
	head := shown(wire)
	head = head[:min(len(head), n.budget-hashTail)]
	for {
		name := head + "_" + hex.EncodeToString(sum[:4])
		if !n.byShown[name] && !n.isReserved(name) {
			return name
		}
		sum = sha256.Sum256(sum[:])
	}
}

// takes reports whether a target has a name that clients show like this one.
func (n *nameTable) takes(wire string) bool { return n.byShown[shown(wire)] }

// find returns the target of a wire name.
func (n *nameTable) find(wire string) (target, bool) {
	t, ok := n.byWire[wire]
	return t, ok
}

// shown maps a name as clients do before a model sees it: every character
// outside [A-Za-z0-9_-] becomes an underscore.
func shown(name string) string {
	clean := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	for i, r := range name {
		if !clean(r) {
			b := []byte(name[:i])
			for _, r := range name[i:] {
				if !clean(r) {
					r = '_'
				}
				b = append(b, byte(r))
			}
			return string(b)
		}
	}
	return name
}
