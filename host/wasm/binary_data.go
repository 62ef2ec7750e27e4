package wasm

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// maxGap is how many zero bytes are taken into a merged data segment rather than
// starting another one.
const maxGap = 256

// segmentAt is an active data segment with a constant offset.
type segmentAt struct {
	at   uint32
	data []byte
}

// readSegments reads the data section. plain says that every segment is active
// at a constant offset, so that they may be merged.
func readSegments(r *reader) (segments []segmentAt, plain bool) {
	plain = true
	for range r.count("data segments", 2) {
		flags := r.u32()
		if flags > 2 {
			r.fail("data segment of kind %d", flags)
		}
		if flags == 2 {
			r.u32()
		}
		var s segmentAt
		if flags != 1 {
			var ok bool
			s.at, ok = r.constOffset()
			plain = plain && ok
		}
		plain = plain && flags == 0
		s.data = r.bytes(int(r.u32()))
		if r.err != nil {
			return nil, false
		}
		segments = append(segments, s)
	}
	return segments, plain
}

// constOffset passes a constant expression, and gives its value if it is a
// single i32.const.
func (r *reader) constOffset() (uint32, bool) {
	start := r.at
	r.skipConst()
	expr := &reader{b: r.b[start:r.at]}
	if expr.byte() != 0x41 {
		return 0, false
	}
	v := expr.s32()
	return uint32(v), expr.byte() == 0x0b && expr.left() == 0 && expr.err == nil
}

// s32 reads a signed LEB128 number of at most 32 bits.
func (r *reader) s32() int32 {
	var v int64
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		v |= int64(c&0x7f) << shift
		if c < 0x80 {
			if c&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return int32(v)
		}
	}
	r.fail("number of more than 32 bits at byte %d", r.at)
	return 0
}

// mergeSegments makes few segments of many. The Go linker writes thousands, and
// each costs an instantiation more than its bytes do: 2.2 ms became 0.8.
//
// It gives nil if the section is better left alone: few segments, or some that
// share bytes, of which the later one has to win.
func mergeSegments(segments []segmentAt) []byte {
	if len(segments) < 16 {
		return nil
	}
	ordered := slices.Clone(segments)
	slices.SortFunc(ordered, func(a, b segmentAt) int { return cmp.Compare(a.at, b.at) })
	var merged []segmentAt
	lastEnd := uint64(0)
	for i, s := range ordered {
		at := uint64(s.at)
		if at < lastEnd || at+uint64(len(s.data)) > 1<<32 {
			return nil
		}
		if i > 0 && at <= lastEnd+maxGap {
			last := &merged[len(merged)-1]
			last.data = append(last.data, make([]byte, at-lastEnd)...)
			last.data = append(last.data, s.data...)
		} else {
			merged = append(merged, segmentAt{s.at, slices.Clone(s.data)})
		}
		lastEnd = at + uint64(len(s.data))
	}
	out := binary.AppendUvarint(nil, uint64(len(merged)))
	for _, s := range merged {
		out = append(out, 0, 0x41)
		out = appendS32(out, int32(s.at))
		out = append(out, 0x0b)
		out = binary.AppendUvarint(out, uint64(len(s.data)))
		out = append(out, s.data...)
	}
	return out
}

// appendS32 writes a signed LEB128 number.
func appendS32(b []byte, v int32) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
