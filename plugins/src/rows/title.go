package rows

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// MaxTop is how many values AppendTop lists.
const MaxTop = 4

// AppendTop appends the values with the highest counts, each followed by its count:
// "link 37, page 5". Values of equal counts keep their order; values without rows are
// left out. appendValue appends value i.
func AppendTop(dst []byte, counts []int32, appendValue func(dst []byte, i int) []byte) []byte {
	var top [MaxTop]int
	n := 0
	for i, count := range counts {
		if count == 0 || n == len(top) && count <= counts[top[n-1]] {
			continue
		}
		at := min(n, len(top)-1)
		for ; at > 0 && count > counts[top[at-1]]; at-- {
			top[at] = top[at-1]
		}
		top[at] = i
		n = min(n+1, len(top))
	}
	for k, i := range top[:n] {
		if k > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(appendValue(dst, i), ' ')
		dst = strconv.AppendInt(dst, int64(counts[i]), 10)
	}
	return dst
}

// AppendCount is caption.Count without a string.
func AppendCount(dst []byte, n int, noun string) []byte {
	dst = append(append(strconv.AppendInt(dst, int64(n), 10), ' '), noun...)
	if n != 1 {
		dst = append(dst, 's')
	}
	return dst
}

// Title returns the title of a group, cut to MaxTitle bytes: its name and size, and
// the mix of its rows if that is known.
func Title(nameAndSize, mix string) string {
	if mix != "" {
		nameAndSize += ": " + mix
	}
	return caption.Clip(nameAndSize, MaxTitle)
}
