package proxymodel

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
)

// Roles are the available roles: built-in ones and those of local modules.
// Implementations are safe for concurrent use and do not change while a Plan is created.
type Roles interface {
	Role(name string) (abi.Role, bool)
	Names() []string
}

// Absences is implemented by Roles that know why a role is missing.
type Absences interface {
	// Absent returns the reason why the module of that name cannot be used, or "".
	Absent(name string) string
}

// Step is one controller, filter or stage with the settings for a run. It is immutable.
type Step struct {
	Type       string // the role's name
	Kind       abi.RoleKind
	Config     []byte // canonical JSON with defaults
	OnFailure  string // object.OnFailurePass, ...Block or ...Placeholder; never empty
	Limits     object.Limits
	Transforms bool   // may change content
	Arguments  bool   // reads the arguments of the call
	LLM        string // abi.LLMNone, LLMOptional or LLMRequired

	// Of a controller, as in abi.Role.
	Hooks     []abi.Hook
	GatedOnly bool
}

// GuestLimits returns the limits that a guest of the step runs with.
func (s Step) GuestLimits() abi.GuestLimits {
	return abi.GuestLimits{
		OutputBytes: int(s.Limits.Output), Sections: s.Limits.Sections, MemoryBytes: int(s.Limits.Memory),
		LLMMillis: int(s.Limits.LLMTime.Milliseconds()), LLMRequests: s.Limits.LLMRequests,
		TimeMillis: int(s.Limits.Time.Milliseconds()),
	}
}

// Model is a compiled ProxyModel. It is immutable and safe for concurrent use.
type Model struct {
	Name        string
	BuiltIn     bool
	Controllers []Step // in list order
	Steps       []Step // filters first, then stages; empty if it does not apply
	Cacheable   bool
	Applies     bool // false if the type of the content is not in appliesTo

	appliesTo []abi.ContentType
	idle      *Model // the Model without steps, for content that it does not apply to
}

// finish sets the derived fields of a Model and returns it.
func (m *Model) finish() *Model {
	idle := *m
	idle.Steps, idle.Applies = nil, false
	m.Applies, m.idle = true, &idle
	return m
}

// For returns the Model for content of a type: m, or a Model without steps if m does not
// apply.
func (m *Model) For(t abi.ContentType) *Model {
	if slices.Contains(m.appliesTo, t) {
		return m
	}
	return m.idle
}

// Transforms reports whether any step may change content. The outputSchema of a tool is
// hidden only then.
func (m *Model) Transforms() bool {
	return slices.ContainsFunc(m.Steps, func(s Step) bool { return s.Transforms })
}

// Filters reports whether any step is a filter.
func (m *Model) Filters() bool {
	return slices.ContainsFunc(m.Steps, func(s Step) bool { return s.Kind == abi.KindFilter })
}

// CanSection reports whether any stage may add sections, so that read_section is needed.
// Filters add none, and stages that do not transform are not counted: a proxy without
// effect shows no tool of its own.
func (m *Model) CanSection() bool {
	return slices.ContainsFunc(m.Steps, func(s Step) bool { return s.Kind == abi.KindStage && s.Transforms })
}

// ReadsArguments reports whether any stage reads the arguments of the call.
func (m *Model) ReadsArguments() bool {
	return slices.ContainsFunc(m.Steps, func(s Step) bool { return s.Arguments })
}

// RequiresLLM returns the strongest requirement of any step or controller: abi.LLMNone,
// LLMOptional or LLMRequired.
func (m *Model) RequiresLLM() string {
	need := abi.LLMNone
	for _, s := range slices.Concat(m.Controllers, m.Steps) {
		if s.LLM == abi.LLMRequired || s.LLM == abi.LLMOptional && need == abi.LLMNone {
			need = s.LLM
		}
	}
	return need
}
