package stage

// firstSpace is that of a call's first Batch, which has no other as a rule. It lies
// beside the heap: a few KB more on it can be what makes a heap of megabytes grow by its
// next half.
var (
	firstSpace      batchSpace
	firstSpaceTaken bool // anew in each call, as all of a guest's memory
)

func newBatchSpace() *batchSpace {
	if firstSpaceTaken {
		return new(batchSpace)
	}
	firstSpaceTaken = true
	return &firstSpace
}
