package pipeline

import (
	"cmp"

	"github.com/mcpctl/mcpctl/abi"
)

// hookStage is the value of "hook" for stages and filters: their export mcpctl_stage
// without "mcpctl_".
const hookStage = "stage"

// narrowed returns the smaller of each limit in l and host, except TimeMillis, which
// the runtime narrows. A field of l that is 0 or negative means the host's limit.
func narrowed(l, host abi.GuestLimits) abi.GuestLimits {
	narrow := func(v *int, most int) {
		if *v <= 0 || *v > most {
			*v = most
		}
	}
	narrow(&l.OutputBytes, host.OutputBytes)
	narrow(&l.Sections, host.Sections)
	narrow(&l.MemoryBytes, host.MemoryBytes)
	narrow(&l.LLMMillis, host.LLMMillis)
	narrow(&l.LLMRequests, host.LLMRequests)
	return l
}

// orDefaults fills the zero fields of l from the ABI, except TimeMillis: 0 means the
// limit of the runtime.
func orDefaults(l abi.GuestLimits) abi.GuestLimits {
	return abi.GuestLimits{
		OutputBytes: cmp.Or(l.OutputBytes, abi.LimitOutputBytes),
		Sections:    cmp.Or(l.Sections, abi.LimitSections),
		MemoryBytes: cmp.Or(l.MemoryBytes, abi.LimitMemoryBytes),
		LLMMillis:   cmp.Or(l.LLMMillis, abi.LimitLLMMillis),
		LLMRequests: cmp.Or(l.LLMRequests, abi.LimitLLMRequests),
		TimeMillis:  l.TimeMillis,
	}
}

// contextOf returns the context of step i, buffer 3 of the ABI, for an input of
// inputBytes.
func (p *Pipeline) contextOf(r *Request, i, inputBytes int) abi.Context {
	s, c := &r.Steps[i], &r.Content
	limits := narrowed(s.Limits, p.limits)
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
