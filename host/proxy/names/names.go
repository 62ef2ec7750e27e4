package names

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Clients show the model "mcp__" + entry + "__" + name, where the entry is the name of
// the project, and allow 64 characters for it.
const (
	maxShownName  = 64
	clientPrefix  = len("mcp__") + len("__")
	hashTail      = len("_") + 8
	shortestNames = hashTail + 7 // with a project name of 48 bytes or more, names exceed the limit
)

// ReadSection is the name of the host's tool that opens sections of stored results.
const ReadSection = "read_section"

// BeginSession is the name of the tool of a gate with which a conversation begins.
const BeginSession = "begin_session"

// Reserved are the names of tools that belong to the host or to a controller. No tool
// of a server gets one of them, so that a server cannot impersonate them.
var Reserved = []string{ReadSection, BeginSession, "read_prompts", "propose_prompt"}

// Target is the tool or prompt of a server that a wire name refers to. A Target
// without a Server is a virtual tool, which a controller owns.
type Target struct {
	Server string
	Name   string // as the server calls it
}

// Label returns the name that people and configuration use: "server/tool".
func (t Target) Label() string {
	if t.IsVirtual() {
		return t.Name
	}
	return t.Server + "/" + t.Name
}

// IsVirtual reports whether t is a tool of a controller.
func (t Target) IsVirtual() bool { return t.Server == "" && t.Name != "" }

// Naming holds the rules for names in one project.
type Naming struct {
	Project  string
	Bare     bool     // names stay unchanged, because the project has one server
	Reserved []string // names that servers do not get
}

// Table maps wire names to targets and back. It is built once for a list and then
// only read. No wire name is ever parsed: a target is found by lookup only.
type Table struct {
	Naming
	budget  int
	targets map[string]Target
	wireOf  map[Target]string
	cleaned map[string]bool // wire names as clients show them

	// The maps of the previous table.
	oldTargets map[string]Target
	oldWireOf  map[Target]string
}

// NewTable returns an empty table. A target keeps the name that it has in the
// previous table, which may be nil: a call that the client is about to make then
// still reaches the same tool after a list has changed.
func NewTable(n Naming, previous *Table) *Table {
	t := &Table{
		Naming:  n,
		budget:  max(maxShownName-clientPrefix-len(n.Project), shortestNames),
		targets: make(map[string]Target),
		wireOf:  make(map[Target]string),
		cleaned: make(map[string]bool),
	}
	if previous != nil && previous.Bare == n.Bare {
		t.oldTargets, t.oldWireOf = previous.targets, previous.wireOf
	}
	return t
}

// Add returns the wire name of t and records it. A name that is too long, or that a
// client would show like an existing one, ends in a hash of the label. Adding a target
// twice returns the same name.
func (n *Table) Add(t Target) string {
	if wire, ok := n.wireOf[t]; ok {
		return wire
	}
	wire := n.preferred(t)
	if n.belongsToOther(wire, t) || len(wire) > n.budget {
		wire = n.hashed(wire, t)
	}
	n.targets[wire], n.wireOf[t] = t, wire
	n.cleaned[Clean(wire)] = true
	return wire
}

// preferred returns the name that t gets if it is free and short enough.
func (n *Table) preferred(t Target) string {
	if wire, ok := n.oldWireOf[t]; ok && !n.isReserved(wire) {
		return wire
	}
	if n.Bare && !n.isReserved(t.Name) {
		return t.Name
	}
	return Clean(t.Server + "__" + t.Name)
}

// belongsToOther reports whether wire is reserved, or the name of another target in
// this table or in the previous one.
func (n *Table) belongsToOther(wire string, t Target) bool {
	old, ok := n.oldTargets[wire]
	return ok && old != t || n.IsTaken(wire) || n.isReserved(wire)
}

// isReserved reports whether clients show wire like a reserved name.
func (n *Table) isReserved(wire string) bool { return slices.Contains(n.Reserved, Clean(wire)) }

// hashed returns wire, cut to make room for a hash of the label, with that hash. If
// the result is in use too, the hash is hashed again.
func (n *Table) hashed(wire string, t Target) string {
	sum := sha256.Sum256([]byte(t.Label()))
	head := Clean(wire)
	head = head[:min(len(head), n.budget-hashTail)]
	for {
		name := head + "_" + hex.EncodeToString(sum[:4])
		if !n.cleaned[name] && !n.isReserved(name) {
			return name
		}
		sum = sha256.Sum256(sum[:])
	}
}

// IsTaken reports whether a target has a name that clients show like wire.
func (n *Table) IsTaken(wire string) bool { return n.cleaned[Clean(wire)] }

// Find returns the target of a wire name.
func (n *Table) Find(wire string) (Target, bool) {
	t, ok := n.targets[wire]
	return t, ok
}

// Wire returns the wire name of a target, or "" if the table does not contain it.
func (n *Table) Wire(t Target) string { return n.wireOf[t] }

// Clean returns a name as clients show it to a model: each character outside
// [A-Za-z0-9_-] is replaced by an underscore.
func Clean(name string) string {
	for i, r := range name {
		if !isNameRune(r) {
			b := []byte(name[:i])
			for _, r := range name[i:] {
				if !isNameRune(r) {
					r = '_'
				}
				b = append(b, byte(r))
			}
			return string(b)
		}
	}
	return name
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}
