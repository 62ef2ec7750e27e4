package logscan

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

const (
	maxShapes = 2048 // that are told apart
	shapeSize = 64   // bytes of a message that make its shape
	saidShape = 64   // bytes of a shape that a reader is told
)

// shapes counts messages by what they say beside numbers and names with digits.
type shapes struct {
	slots []uint16 // number of the shape + 1 by hash; 0 is free
	seen  []shape
	all   int
}

type shape struct {
	hash       uint32
	count      int32
	start, end int32 // of the first message
}

// note counts the message b[from:to].
func (s *shapes) note(b []byte, from, to int) {
	from = start(b, from, to)
	to = min(to, from+shapeSize)
	s.all++
	if s.slots == nil {
		s.slots = make([]uint16, 4*maxShapes)
	}
	h := hash(b[from:to])
	const mask = 4*maxShapes - 1
	slot := h & mask
	for ; s.slots[slot] != 0; slot = (slot + 1) & mask {
		if known := &s.seen[s.slots[slot]-1]; known.hash == h {
			known.count++
			return
		}
	}
	if len(s.seen) < maxShapes {
		s.seen = append(s.seen, shape{h, 1, int32(from), int32(to)})
		s.slots[slot] = uint16(len(s.seen))
	}
}

// start is where a message begins behind signs and the name of a thread or logger
// in brackets.
func start(b []byte, from, to int) int {
	for from < to && !isLetter(b[from]) && b[from] != '"' {
		if b[from] == '[' {
			if i := bytes.IndexByte(b[from:min(to, from+shapeSize)], ']'); i > 0 {
				from += i
			}
		}
		from++
	}
	return from
}

// hash is of the letters and signs of a message; words with digits are all alike.
func hash(b []byte) uint32 {
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

// often names up to three shapes that one record in twenty has.
func (s *shapes) often(b []byte) string {
	most := slices.Clone(s.seen)
	slices.SortStableFunc(most, func(x, y shape) int { return cmp.Compare(y.count, x.count) })
	said := ""
	for _, m := range most[:min(3, len(most))] {
		if m.count < 3 || int(m.count)*20 < s.all || m.start == m.end {
			break
		}
		if said != "" {
			said += " | "
		}
		said += strconv.Itoa(int(m.count)) + " x " + caption.Of(plain(b[m.start:m.end]), saidShape)
	}
	return said
}

// plain is a message with # for each number and each word with digits.
func plain(b []byte) []byte {
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
