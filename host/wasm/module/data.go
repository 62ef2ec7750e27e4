package module

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

const (
	minMergeable = 16  // fewer segments are left alone
	maxGap       = 256 // zero bytes that are added to join two segments
)

// dataSegment is an active data segment with a constant offset. Its data are the bytes
// from and before to of the section. It is small, because the Go linker writes a segment
// for each 100 bytes.
type dataSegment struct{ offset, from, to uint32 }

func (s dataSegment) size() int { return int(s.to - s.from) }

func (s dataSegment) end() uint64 { return uint64(s.offset) + uint64(s.size()) }

// decodeData reads the content of a data section and returns the number of segments, and
// the segments themselves if every one is active and has a constant offset.
func decodeData(r *binary.Reader) (segments []dataSegment, n int) {
	const (
		passive    = 1
		withMemory = 2 // active, with the index of a memory
		minBytes   = 5 // of an active segment
	)
	canMerge := true
	n = r.CountAtMost("data segments", 2, maxRawDataSegments)
	segments = make([]dataSegment, 0, min(n, r.Len()/minBytes))
	for range n {
		flags := r.U32()
		if flags > withMemory {
			r.Fail("data segment of kind %d", flags)
		}
		if flags == withMemory {
			r.U32()
		}
		var s dataSegment
		if flags != passive {
			var ok bool
			s.offset, ok = r.ConstOffset()
			canMerge = canMerge && ok
		}
		canMerge = canMerge && flags == 0
		data := r.Bytes(int(r.U32()))
		if r.Err() != nil {
			return nil, 0
		}
		if canMerge {
			s.from, s.to = uint32(r.Offset()-len(data)), uint32(r.Offset())
			segments = append(segments, s)
		}
	}
	if !canMerge {
		return nil, n
	}
	return segments, n
}

// mergeData returns the content of a data section in which neighbouring segments are joined,
// and their number. The
// Go linker writes thousands of segments, and instantiating a module takes longer
// for each segment than for its bytes: merging reduced it from 2.2 to 0.8 ms.
//
// It returns nil if the section should stay unchanged: it has few segments, segments
// overlap, where the later one must win, or the zeros between them would be more than
// their bytes. It sorts the segments by their offset.
func mergeData(section []byte, segments []dataSegment) (merged []byte, n int) {
	if len(segments) < minMergeable {
		return nil, 0
	}
	slices.SortFunc(segments, func(a, b dataSegment) int { return cmp.Compare(a.offset, b.offset) })
	var starts []int // in ordered, of each merged segment
	size, zeros := uint64(0), uint64(0)
	for i, s := range segments {
		end := uint64(0) // of the segment before
		if i > 0 {
			end = segments[i-1].end()
		}
		switch start := uint64(s.offset); {
		case start < end || s.end() > 1<<32:
			return nil, 0
		case i == 0 || start > end+maxGap:
			starts = append(starts, i)
		default:
			zeros += start - end
		}
		size += uint64(s.size())
	}
	if zeros > size {
		return nil, 0
	}
	return encodeData(section, segments, starts, int(size+zeros)), len(starts)
}

// encodeData returns a section with the segments that begin at starts; each contains the
// following ones up to the next start. size is the number of bytes in all.
func encodeData(section []byte, ordered []dataSegment, starts []int, size int) []byte {
	const header = 12 // of a segment, at most
	out := binary.AppendU32(make([]byte, 0, size+header*len(starts)+5), uint32(len(starts)))
	for i, from := range starts {
		to := len(ordered)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		first, last := ordered[from], ordered[to-1]
		out = binary.AppendS32(append(out, 0, binary.OpI32Const), int32(first.offset))
		out = binary.AppendU32(append(out, binary.OpEnd), uint32(last.end()-uint64(first.offset)))
		at := uint64(first.offset)
		for _, s := range ordered[from:to] {
			out = append(out, zeroGap[:uint64(s.offset)-at]...)
			out = append(out, section[s.from:s.to]...)
			at = s.end()
		}
	}
	return out
}

var zeroGap [maxGap]byte
