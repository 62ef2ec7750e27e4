//go:build !wasip1

package stage

func newBatchSpace() *batchSpace { return new(batchSpace) }
