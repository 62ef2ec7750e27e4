package stage

// firstSpace is the memory of a call's first Batch, which is usually the only one. It is
// not on the heap, because a few more KB can make a heap of megabytes grow by half its
// size.
var (
	firstSpace      batchSpace
	firstSpaceTaken bool // false again in each call, like all memory of a guest
)

func newBatchSpace() *batchSpace {
	if firstSpaceTaken {
		return new(batchSpace)
	}
	firstSpaceTaken = true
	return &firstSpace
}
