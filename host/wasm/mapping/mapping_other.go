//go:build !linux

package mapping

// Image is the memory of a guest that has just started.
type Image struct{ Bytes []byte }

// Mapping is the memory of a guest outside the heap.
type Mapping struct{ Bytes []byte }

func pageTable() int { return -1 }

// NewImage returns nil.
func NewImage([]byte) *Image { return nil }

// New returns nil.
func New(int) *Mapping { return nil }

// Close does nothing.
func (*Image) Close() {}

// Close does nothing.
func (*Mapping) Close() {}

// Share does nothing.
func (*Mapping) Share(*Image) bool { return false }

// Shares returns false.
func (*Mapping) Shares(*Image) bool { return false }

// Cool does nothing.
func (*Mapping) Cool() {}

// Written returns nil.
func (*Mapping) Written(int) []int { return nil }
