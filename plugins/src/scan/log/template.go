package log

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

const (
	maxTemplates = 2048 // that are distinguished
	templateSize = 64   // bytes of a message that belong to its template
)

// templates counts messages that are the same but for numbers and words with digits.
type templates struct {
	slots []uint16 // position in list + 1, by hash; 0 is free
	list  []template
	all   int
}

type template struct {
	hash       uint32
	count      int32
	start, end int32 // of the first message
}

// add adds the message b[from:to].
func (t *templates) add(b []byte, from, to int) {
	from = messageStart(b, from, to)
	to = min(to, from+templateSize)
	t.all++
	if t.slots == nil {
		t.slots = make([]uint16, 4*maxTemplates)
	}
	h := hashTemplate(b[from:to])
	const mask = 4*maxTemplates - 1
	slot := h & mask
	for ; t.slots[slot] != 0; slot = (slot + 1) & mask {
		if known := &t.list[t.slots[slot]-1]; known.hash == h {
			known.count++
			return
		}
	}
	if len(t.list) < maxTemplates {
		t.list = append(t.list, template{h, 1, int32(from), int32(to)})
		t.slots[slot] = uint16(len(t.list))
	}
}

// messageStart returns the offset of a message after punctuation and the name of a
// thread or logger in brackets.
func messageStart(b []byte, from, to int) int {
	for from < to && !isLetter(b[from]) && b[from] != '"' {
		if b[from] == '[' {
			if i := bytes.IndexByte(b[from:min(to, from+templateSize)], ']'); i > 0 {
				from += i
			}
		}
		from++
	}
	return from
}

// hashTemplate returns a hash of the letters and punctuation of a message. All words
// with digits count as the same word.
func hashTemplate(b []byte) uint32 {
	const prime = 16777619
	h, word, digits := uint32(2166136261), uint32(0), false
	for _, c := range b {
		if isLetter(c) {
			word = (word ^ uint32(c)) * prime
			continue
		}
		if c-'0' <= 9 {
			digits = true
			continue
		}
		if !digits {
			h = (h ^ word) * prime
		}
		if c != '-' && c != '.' && c != '_' {
			h, digits = (h^uint32(c))*prime, false
		}
		word = 0
	}
	return h
}

// frequent returns up to three templates that at least one record in twenty has, with
// their counts.
func (t *templates) frequent(b []byte) string {
	const maxFrequent = 3
	list := slices.Clone(t.list)
	slices.SortStableFunc(list, func(x, y template) int { return cmp.Compare(y.count, x.count) })
	out := ""
	for _, m := range list[:min(maxFrequent, len(list))] {
		if m.count < 3 || int(m.count)*20 < t.all || m.start == m.end {
			break
		}
		if out != "" {
			out += " | "
		}
		out += strconv.Itoa(int(m.count)) + " x " + caption.Of(maskNumbers(b[m.start:m.end]), templateSize)
	}
	return out
}

// maskNumbers returns a message with # for each number and each word with digits.
func maskNumbers(b []byte) []byte {
	out := make([]byte, 0, len(b))
	word, digits := 0, false
	for _, c := range b {
		switch {
		case isLetter(c) || c == '-' || c == '.' || c == '_':
		case c-'0' <= 9:
			digits = true
		default:
			if digits {
				out = append(out[:word], '#')
			}
			out, digits = append(out, c), false
			word = len(out)
			continue
		}
		out = append(out, c)
	}
	if digits {
		out = append(out[:word], '#')
	}
	return out
}
