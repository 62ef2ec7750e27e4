package cache

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// sparse is how many bytes there are for each key of a page that is not read whole
// for them: it holds values, which are not looked at.
const sparse = 256

// keyRange is where the keys of a page have to lie: from <= key < to; nil is no bound.
//
// Keys out of order make a search go astray: what is put under some keys is then not
// found again, and nothing else tells.
type keyRange struct{ from, to []byte }

// check asks that keys rise and lie in the range. The first key of a branch may lie
// before it: no search looks at it.
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

// below is the range of the page that a branch has at a position.
func (in keyRange) below(keys [][]byte, i int) keyRange {
	if i > 0 {
		in.from = keys[i]
	}
	if i+1 < len(keys) {
		in.to = keys[i+1]
	}
	return in
}

// keys reads the keys of a page by its elements.
func (w *walk) keys(p page, elems []byte) ([][]byte, error) {
	var whole []byte
	if p.size <= sparse*int64(p.count) {
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
			return nil, fmt.Errorf("%w: page %d: key out of the page", errDamaged, p.id)
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
