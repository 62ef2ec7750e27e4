package wasm

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// claim is a span that a Section takes of what lies around it: its key is what
// that is in the upper half, and where the span starts in the lower. Spans of one
// thing that overlap stand next to each other once claims are in order, and that
// order is one comparison of a word.
type claim struct {
	key     uint64
	section int32
}

// ofString marks what lies around as a decoded string, by the start of its literal;
// else it is a Section by its position plus 1, 0 the original itself.
const ofString = 1 << 31

func claimed(around uint32, start, section int) claim {
	return claim{uint64(around)<<32 | uint64(uint32(start)), int32(section)}
}

// claims are those of all Sections that have bytes of the original or of a string
// in it, in order.
func (t *treeBuilder) claims() []claim {
	claims := make([]claim, 0, len(t.sections))
	for i := range t.sections {
		switch s := &t.sections[i]; s.Kind {
		case abi.SectionExact:
			around := int32(-1)
			if s.Parent >= 0 {
				around = t.places[s.Parent].exact
			}
			claims = append(claims, claimed(uint32(around+1), s.Start, i))
		case abi.SectionDecoded:
			around := uint32(s.Literal[0]) | ofString
			if h := t.holder(s.Parent); t.sections[h].Kind == abi.SectionDecoded {
				around = uint32(h + 1)
			}
			claims = append(claims, claimed(around, s.Start, i))
		}
	}
	byKey := func(a, b claim) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(claims, byKey) {
		slices.SortFunc(claims, byKey)
	}
	return claims
}

func (t *treeBuilder) overlap(named []abi.Section) error {
	claims := t.claims()
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
