package tree

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// Check returns why a section cannot be added, or "". size is the length of the bytes
// that its span refers to.
func (b *Builder) Check(s *abi.Section, size int) string {
	if s.Kind == abi.SectionGroup {
		return ""
	}
	switch {
	case s.Start >= s.End:
		return fmt.Sprintf("span %d to %d has no bytes", s.Start, s.End)
	case s.Start < 0 || s.End > size:
		return fmt.Sprintf("span %d to %d is outside of %d bytes", s.Start, s.End, size)
	}
	switch s.Kind {
	case abi.SectionExact:
		return b.checkExact(s)
	case abi.SectionDecoded:
		return b.checkDecoded(s)
	}
	return ""
}

func (b *Builder) checkExact(s *abi.Section) string {
	around := int32(-1)
	if s.Parent >= 0 {
		around = b.places[s.Parent].exact
	}
	if around >= 0 {
		if a := &b.sections[around]; s.Start < a.Start || s.End > a.End {
			return fmt.Sprintf("span %d to %d leaves section %d, %d to %d", s.Start, s.End, around, a.Start, a.End)
		}
	}
	if s.Parent >= 0 && b.sections[s.Parent].Kind != abi.SectionExact {
		return "" // in any order; checkOverlap checks it when the call returns
	}
	if end := *b.childEnd(s.Parent); s.Start < end {
		return fmt.Sprintf("starts at byte %d, before its sibling ends at %d", s.Start, end)
	}
	return ""
}

func (b *Builder) checkDecoded(s *abi.Section) string {
	if s.Parent < 0 {
		return "a decoded section needs the section that holds its string as parent"
	}
	holder := b.holder(s.Parent)
	if holder < 0 {
		return "a group at the top holds no string"
	}
	switch p := &b.sections[holder]; p.Kind {
	case abi.SectionExact:
		if s.Literal[0] < p.Start || s.Literal[1] > p.End {
			return fmt.Sprintf("string at bytes %d to %d is not inside section %d", s.Literal[0], s.Literal[1], holder)
		}
		return ""
	case abi.SectionDecoded:
		if p.Literal != s.Literal {
			return fmt.Sprintf("section %d is of another string", holder)
		}
		if s.Start < p.Start || s.End > p.End {
			return fmt.Sprintf("span %d to %d leaves section %d, %d to %d", s.Start, s.End, holder, p.Start, p.End)
		}
		return ""
	default:
		return fmt.Sprintf("section %d is neither exact nor decoded", holder)
	}
}

// holder returns section i or its nearest ancestor that is not a group; -1 if there is
// none.
func (b *Builder) holder(i int) int {
	for i >= 0 && b.sections[i].Kind == abi.SectionGroup {
		i = b.sections[i].Parent
	}
	return i
}

// claim is the span of a section within the bytes that it is part of. Its key has the
// identity of those bytes in the upper half and the start of the span in the lower, so
// that sorting by one word puts spans of the same bytes next to each other.
type claim struct {
	key     uint64
	section int32
}

// inString marks the identity of a decoded string, which is the start of its literal.
// Other identities are the position of a section plus 1, and 0 for the original.
const inString = 1 << 31

func newClaim(identity uint32, start, section int) claim {
	return claim{uint64(identity)<<32 | uint64(uint32(start)), int32(section)}
}

// claims returns the sorted claims of all sections that have bytes of the original or
// of a string in it.
func (b *Builder) claims() []claim {
	claims := make([]claim, 0, len(b.sections))
	for i := range b.sections {
		switch s := &b.sections[i]; s.Kind {
		case abi.SectionExact:
			around := int32(-1)
			if s.Parent >= 0 {
				around = b.places[s.Parent].exact
			}
			claims = append(claims, newClaim(uint32(around+1), s.Start, i))
		case abi.SectionDecoded:
			identity := uint32(s.Literal[0]) | inString
			if h := b.holder(s.Parent); b.sections[h].Kind == abi.SectionDecoded {
				identity = uint32(h + 1)
			}
			claims = append(claims, newClaim(identity, s.Start, i))
		}
	}
	byKey := func(a, b claim) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(claims, byKey) {
		slices.SortFunc(claims, byKey)
	}
	return claims
}

// checkOverlap returns an error if sections of the same bytes overlap. named are the
// sections with settled ids.
func (b *Builder) checkOverlap(named []abi.Section) error {
	claims := b.claims()
	for i := 1; i < len(claims); i++ {
		a, b := claims[i-1], claims[i]
		if a.key>>32 != b.key>>32 {
			continue
		}
		if first, second := &named[a.section], &named[b.section]; second.Start < first.End {
			return fault.New(abi.ErrGuest, "sections %q and %q overlap at byte %s", first.ID, second.ID, fault.Group(second.Start))
		}
	}
	return nil
}
