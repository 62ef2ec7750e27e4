package printer

import (
	"math"
	"sort"

	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// Fold returns the items of a run as at most so many parts, by folding neighbours.
func (pr *Printer) Fold(run ids.Run, lines int) []tree.Part {
	if len(run.Items) <= lines {
		return run.Items
	}
	weights := weigh(run.Items, pr.tree.Size)
	folded := make([]tree.Part, 0, lines)
	from := 0
	for _, to := range pack(weights, lines, pr.Settings.LeafSize) {
		if to == from+1 {
			folded = append(folded, run.Items[from])
		} else {
			folded = append(folded, run.Slice(from, to).Fold(pr.tree))
		}
		from = to
	}
	return folded
}

// weigh returns the bytes of each part, including the structure up to the next.
func weigh(parts []tree.Part, size func(p *tree.Part) int) []int {
	weights := make([]int, len(parts))
	for i := range parts {
		weights[i] = size(&parts[i])
		if i+1 < len(parts) && parts[i].Source != nil && tree.IsNext(&parts[i], &parts[i+1]) {
			weights[i] += parts[i+1].Start - parts[i].End
		}
	}
	return weights
}

// pack returns the ends of the folds: neighbours are packed up to a size, a larger
// part is alone. The size minimises the bytes of the index plus one leaf, but is
// large enough for the number of lines.
func pack(weights []int, lines, leafSize int) []int {
	const lineBytes = 370 // three times a line, because readers who open another line or none receive it too
	sum, small := 0, 0
	for _, w := range weights {
		sum += w
		if w <= leafSize {
			small += w
		}
	}
	maxSize := sum * 2 / 3 // a larger size would put all parts into one fold
	size := min(int(math.Sqrt(float64(lineBytes)*float64(small))), leafSize, sum/3)
	if countPacks(weights, size) > lines {
		size += sort.Search(max(0, maxSize-size), func(n int) bool { return countPacks(weights, size+n) <= lines })
	}
	if n := countPacks(weights, size); n < 2 || n > lines {
		return packEvenly(len(weights), lines)
	}
	var ends []int
	for i, sum := 0, 0; i < len(weights); i++ {
		if sum += weights[i]; i > 0 && sum > size {
			ends, sum = append(ends, i), weights[i]
		}
	}
	return append(ends, len(weights))
}

func countPacks(weights []int, size int) int {
	n, sum := 1, 0
	for i, w := range weights {
		if sum += w; sum > size && i > 0 {
			n, sum = n+1, w
		}
	}
	return n
}

// packEvenly returns the ends of folds with the same number of parts each.
func packEvenly(n, lines int) []int {
	per := (n + lines - 1) / lines
	var ends []int
	for end := per; end < n; end += per {
		ends = append(ends, end)
	}
	return append(ends, n)
}
