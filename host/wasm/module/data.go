package module

import (
	"cmp"
	"slices"
)

const (
	minMergeable = 16  // fewer segments are left alone
	maxGap       = 256 // zero bytes that are added to join two segments
)

// dataSegment is an active data segment with a constant offset.
type dataSegment struct {
	offset uint32
	data   []byte
}

// decodeData reads the content of a data section. canMerge reports whether every
// segment is active and has a constant offset.
func decodeData(r *Reader) (segments []dataSegment, canMerge bool) {
	const (
		passive    = 1
		withMemory = 2 // active, with the index of a memory
	)
	canMerge = true
	for range r.Count("data segments", 2) {
		flags := r.U32()
		if flags > withMemory {
			r.fail("data segment of kind %d", flags)
		}
		if flags == withMemory {
			r.U32()
		}
		var s dataSegment
		if flags != passive {
			var ok bool
			s.offset, ok = r.constOffset()
			canMerge = canMerge && ok
		}
		canMerge = canMerge && flags == 0
		s.data = r.Bytes(int(r.U32()))
		if r.err != nil {
			return nil, false
		}
		segments = append(segments, s)
	}
	return segments, canMerge
}

// mergeData returns a data section in which neighbouring segments are joined. The
// Go linker writes thousands of segments, and instantiating a module takes longer
// for each segment than for its bytes: merging reduced it from 2.2 to 0.8 ms.
//
// It returns nil if the section should stay unchanged: it has few segments, or
// segments overlap, where the later one must win.
func mergeData(segments []dataSegment) []byte {
	if len(segments) < minMergeable {
		return nil
	}
	ordered := slices.Clone(segments)
	slices.SortFunc(ordered, func(a, b dataSegment) int { return cmp.Compare(a.offset, b.offset) })
	var merged []dataSegment
	end := uint64(0) // of the last segment
	for i, s := range ordered {
		start := uint64(s.offset)
		if start < end || start+uint64(len(s.data)) > 1<<32 {
			return nil
		}
		if i > 0 && start <= end+maxGap {
			last := &merged[len(merged)-1]
			last.data = append(last.data, make([]byte, start-end)...)
			last.data = append(last.data, s.data...)
		} else {
			merged = append(merged, dataSegment{s.offset, slices.Clone(s.data)})
		}
		end = start + uint64(len(s.data))
	}
	return encodeData(merged)
}

func encodeData(segments []dataSegment) []byte {
	out := AppendU32(nil, uint32(len(segments)))
	for _, s := range segments {
		out = AppendS32(append(out, 0, OpI32Const), int32(s.offset))
		out = AppendU32(append(out, OpEnd), uint32(len(s.data)))
		out = append(out, s.data...)
	}
	return out
}
