package cache

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// sparseBytes is the page size in bytes per key above which readKeys reads each key
// separately: the rest of the page is values, which are not checked.
const sparseBytes = 256

// keyRange is the valid range of the keys of a page: from <= key < to; nil is no bound.
//
// With keys out of order, bbolt's search fails: values under some keys cannot be found
// again, without any error.
type keyRange struct{ from, to []byte }

// check returns an error unless keys are ascending and in the range. The first key of
// a branch may be smaller, because bbolt ignores it.
func (in keyRange) check(p page, keys [][]byte) error {
	for i, k := range keys {
		first := i == 0 && p.flags == flagBranch
		if i > 0 && bytes.Compare(keys[i-1], k) >= 0 || in.to != nil && bytes.Compare(k, in.to) >= 0 ||
			in.from != nil && !first && bytes.Compare(k, in.from) < 0 {
			return fmt.Errorf("%w: page %d: key %d is out of order", errDamaged, p.id, i)
		}
	}
	return nil
}

// child returns the range of the i-th child of a branch.
func (in keyRange) child(keys [][]byte, i int) keyRange {
	if i > 0 {
		in.from = keys[i]
	}
	if i+1 < len(keys) {
		in.to = keys[i+1]
	}
	return in
}

// readKeys returns the keys of the elements of a page.
func (w *walk) readKeys(p page, elems []byte) ([][]byte, error) {
	var whole []byte
	if p.size <= sparseBytes*int64(p.count) {
		whole = make([]byte, p.size)
		if _, err := w.r.ReadAt(whole, p.at); err != nil {
			return nil, fmt.Errorf("%w: page %d: %v", errDamaged, p.id, err)
		}
	}
	keys := make([][]byte, 0, p.count)
	for at := int64(0); at < int64(len(elems)); at += element {
		e := elems[at:][:element]
		if p.flags == flagLeaf {
			e = e[4:] // after the flags
		}
		from, n := pageHeader+at+int64(native.Uint32(e)), int64(native.Uint32(e[4:]))
		if from+n > p.size || n > bolt.MaxKeySize {
			return nil, fmt.Errorf("%w: page %d: key outside the page", errDamaged, p.id)
		}
		if whole != nil {
			keys = append(keys, whole[from:][:n])
			continue
		}
		k := make([]byte, n)
		if _, err := w.r.ReadAt(k, p.at+from); err != nil {
			return nil, fmt.Errorf("%w: page %d: %v", errDamaged, p.id, err)
		}
		keys = append(keys, k)
	}
	return keys, nil
}
