package stagetest

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

func (h *host) SectionsAdd(buf int32, records, texts string) int32 {
	if h.call.Context.Filter {
		return h.Refuse(raw.CodeUnsupported, "sections in a filter")
	}
	if buf != raw.BufNone {
		if _, _, code := h.Span(buf, 0, 0); code < 0 {
			return code
		}
	}
	added, bad := parseAdditions(records, len(texts))
	if bad != "" {
		return h.Bad(bad)
	}
	texts = strings.Clone(texts) // the guest reuses the memory
	first := len(h.tree.sections)
	for n, s := range added {
		from := buf
		if s.start == 0 && s.end == 0 {
			from = raw.BufNone
		}
		if code := h.addSection(s.parent, from, s.start, s.end, texts[:s.id], texts[s.id:s.texts()]); code < 0 {
			h.tree.truncate(first)
			return h.Refuse(code, fmt.Sprintf("record %d: %s", n, h.Why()))
		}
		texts = texts[s.texts():]
	}
	return int32(first)
}

// addition is a record of sections_add.
type addition struct {
	parent, start, end int32
	id, title          uint32 // sizes of its texts in bytes
}

func (s addition) texts() int { return int(s.id) + int(s.title) }

// parseAdditions parses records whose texts have a size in bytes, or returns the reason why
// they are invalid.
func parseAdditions(records string, texts int) (added []addition, bad string) {
	b := []byte(records)
	if len(b)%raw.AdditionRecordSize != 0 {
		return nil, fmt.Sprintf("%d bytes of records, of %d each", len(b), raw.AdditionRecordSize)
	}
	want := 0
	for ; len(b) > 0; b = b[raw.AdditionRecordSize:] {
		field := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
		added = append(added, addition{int32(field(0)), int32(field(4)), int32(field(8)), field(12), field(16)})
		want += added[len(added)-1].texts()
	}
	if want != texts {
		return nil, fmt.Sprintf("%d bytes of texts, records say %d", texts, want)
	}
	return added, ""
}
