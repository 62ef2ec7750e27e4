package pipeline

import "github.com/mcpctl/mcpctl/abi"

// hookStage is what stages and filters read as "hook": the name of their export
// without its prefix.
const hookStage = "stage"

var defaultLimits = abi.GuestLimits{
	OutputBytes: abi.LimitOutputBytes,
	Sections:    abi.LimitSections,
	MemoryBytes: abi.LimitMemoryBytes,
	LLMMillis:   abi.LimitLLMMillis,
	LLMRequests: abi.LimitLLMRequests,
}

// withDefaults fills the zero fields of l from d.
func withDefaults(l, d abi.GuestLimits) abi.GuestLimits {
	fill := func(v *int, fallback int) {
		if *v <= 0 {
			*v = fallback
		}
	}
	fill(&l.OutputBytes, d.OutputBytes)
	fill(&l.Sections, d.Sections)
	fill(&l.MemoryBytes, d.MemoryBytes)
	fill(&l.LLMMillis, d.LLMMillis)
	fill(&l.LLMRequests, d.LLMRequests)
	return l
}

// contextOf is buffer 3 of step i over an input of so many bytes.
func (p *Pipeline) contextOf(r *Request, i, inputBytes int) abi.Context {
	s, c := &r.Steps[i], &r.Content
	limits := withDefaults(s.Limits, p.limits)
	limits.OutputBytes = min(abi.LimitOutputFactor*inputBytes+abi.LimitOutputExtraBytes, limits.OutputBytes)
	return abi.Context{
		ABI:         abi.Version,
		Role:        s.Role.Name,
		RoleIndex:   s.RoleIndex,
		Kind:        s.Role.Kind,
		Hook:        hookStage,
		Project:     r.Scope.Project,
		ContentType: c.Type,
		Source:      c.Source,
		MIME:        c.MIME,
		Hint:        c.Hint,
		Part:        c.Part,
		Stage:       abi.StagePos{Index: i, Count: len(r.Steps)},
		Limits:      limits,
	}
}
