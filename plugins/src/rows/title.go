package rows

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// MaxTop is the number of values that Top returns.
const MaxTop = 4

// Top returns the positions of the n values with the highest counts, the highest first.
// Values of equal counts keep their order; values without rows are left out. Titles list
// them with their counts: "link 37, page 5".
func Top(counts []int32) (top [MaxTop]int, n int) {
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
	return top, n
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
