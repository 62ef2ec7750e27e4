package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// File format of bbolt v1.5, in native byte order: each page has a header of 16 bytes
// (id u64, flags u16, count u16, overflow u32), then elements of 16 bytes.
const (
	pageHeader   = 16
	element      = 16
	metaSize     = 64
	boltMagic    = 0xED0CDAED
	boltVersion  = 2
	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10
	maxTreeDepth = 64
)

var errDamaged = errors.New("damaged")

var native = binary.NativeEndian

// verify checks the pages of a bbolt file without mapping it.
//
// bbolt does not validate its input. Cyclic pages cause a stack overflow, a free list
// with a wrong count causes an allocation of that size, and a file without a free list
// is scanned in a separate goroutine of bbolt. None of these can be recovered, so
// verify finds them first. Other damage causes panics or faults, which file.go
// recovers. verify also checks the order of keys. Values have checksums and are not
// checked here.
func verify(r io.ReaderAt, size int64) error {
	m, err := readMeta(r, size)
	if err != nil {
		return err
	}
	if m.pages > uint64(size)/m.pageSize {
		return fmt.Errorf("%w: %d pages of %d bytes in a file of %d", errDamaged, m.pages, m.pageSize, size)
	}
	w := &walk{r: r, pageSize: m.pageSize, seen: make([]bool, m.pages)}
	if err := w.checkTree(m.root, 0, keyRange{}); err != nil {
		return err
	}
	return w.checkFreelist(m.freelist)
}

// meta is the part of a meta page that verify needs.
type meta struct {
	pageSize, root, freelist, pages, txid uint64
}

// readMeta returns the meta page that bbolt would use: of the pages at 0 and at the
// page size, the valid one with the higher transaction id.
func readMeta(r io.ReaderAt, size int64) (meta, error) {
	m0, err0 := parseMeta(r, 0)
	if err0 == nil {
		m1, err := parseMeta(r, int64(m0.pageSize))
		if err != nil || m1.txid <= m0.txid {
			return m0, nil
		}
		if m1.pageSize != m0.pageSize {
			return meta{}, fmt.Errorf("%w: pages of %d and of %d bytes", errDamaged, m0.pageSize, m1.pageSize)
		}
		return m1, nil
	}
	for at := int64(1024); at <= 1024<<14 && at < size; at <<= 1 {
		if m1, err := parseMeta(r, at); err == nil {
			return m1, nil
		}
	}
	return meta{}, err0
}

func parseMeta(r io.ReaderAt, at int64) (meta, error) {
	var b [pageHeader + metaSize]byte
	if _, err := r.ReadAt(b[:], at); err != nil {
		return meta{}, fmt.Errorf("%w: meta page: %v", errDamaged, err)
	}
	f := b[pageHeader:]
	h := fnv.New64a()
	_, _ = h.Write(f[:metaSize-8])
	if native.Uint32(f) != boltMagic || native.Uint32(f[4:]) != boltVersion || native.Uint64(f[56:]) != h.Sum64() {
		return meta{}, fmt.Errorf("%w: no valid meta page", errDamaged)
	}
	m := meta{
		pageSize: uint64(native.Uint32(f[8:])),
		root:     native.Uint64(f[16:]),
		freelist: native.Uint64(f[32:]),
		pages:    native.Uint64(f[40:]),
		txid:     native.Uint64(f[48:]),
	}
	if m.pageSize < 512 || m.pageSize > 1<<24 || m.pages < 3 || m.pages > 1<<31 {
		return meta{}, fmt.Errorf("%w: %d pages of %d bytes", errDamaged, m.pages, m.pageSize)
	}
	return m, nil
}

// walk visits pages, each at most once.
type walk struct {
	r        io.ReaderAt
	pageSize uint64
	seen     []bool
}

// page is one page with its overflow: [at, at+size) of the file.
type page struct {
	id           uint64
	flags, count uint16
	at, size     int64
}

// open reads the header of a page and claims the page and its overflow pages.
func (w *walk) open(pageID uint64) (page, error) {
	if pageID < 2 || pageID >= uint64(len(w.seen)) {
		return page{}, fmt.Errorf("%w: page %d of %d", errDamaged, pageID, len(w.seen))
	}
	var b [pageHeader]byte
	if _, err := w.r.ReadAt(b[:], int64(pageID*w.pageSize)); err != nil {
		return page{}, fmt.Errorf("%w: page %d: %v", errDamaged, pageID, err)
	}
	n := uint64(native.Uint32(b[12:])) + 1
	if native.Uint64(b[:]) != pageID || pageID+n > uint64(len(w.seen)) {
		return page{}, fmt.Errorf("%w: header of page %d", errDamaged, pageID)
	}
	for i := pageID; i < pageID+n; i++ {
		if err := w.claim(i); err != nil {
			return page{}, err
		}
	}
	return page{
		id: pageID, flags: native.Uint16(b[8:]), count: native.Uint16(b[10:]),
		at: int64(pageID * w.pageSize), size: int64(n * w.pageSize),
	}, nil
}

// claim marks a page as seen. It returns an error if the page was seen before.
func (w *walk) claim(pageID uint64) error {
	if pageID < 2 || pageID >= uint64(len(w.seen)) || w.seen[pageID] {
		return fmt.Errorf("%w: page %d is used twice or out of range", errDamaged, pageID)
	}
	w.seen[pageID] = true
	return nil
}

// checkTree checks a branch or leaf page and all pages below it. Keys must be in a range.
func (w *walk) checkTree(root uint64, depth int, in keyRange) error {
	p, err := w.open(root)
	if err != nil {
		return err
	}
	if p.flags != flagBranch && p.flags != flagLeaf || depth > maxTreeDepth {
		return fmt.Errorf("%w: page %d: flags %#x at depth %d", errDamaged, p.id, p.flags, depth)
	}
	elems := make([]byte, int64(p.count)*element)
	if pageHeader+int64(len(elems)) > p.size {
		return fmt.Errorf("%w: page %d: %d elements", errDamaged, p.id, p.count)
	}
	if _, err := w.r.ReadAt(elems, p.at+pageHeader); err != nil {
		return fmt.Errorf("%w: page %d: %v", errDamaged, p.id, err)
	}
	keys, err := w.readKeys(p, elems)
	if err != nil {
		return err
	}
	if err := in.check(p, keys); err != nil {
		return err
	}
	for i := range int(p.count) {
		e, at := elems[i*element:][:element], pageHeader+int64(i)*element
		if p.flags == flagBranch {
			err = w.checkTree(native.Uint64(e[8:]), depth+1, in.child(keys, i))
		} else {
			err = w.checkValue(p, e, at, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkValue checks the value of the leaf element e at offset at of its page. If the value
// is a bucket, it checks the pages of the bucket.
func (w *walk) checkValue(p page, e []byte, at int64, depth int) error {
	value := at + int64(native.Uint32(e[4:])) + int64(native.Uint32(e[8:]))
	length := int64(native.Uint32(e[12:]))
	if value+length > p.size {
		return fmt.Errorf("%w: page %d: value outside the page", errDamaged, p.id)
	}
	if native.Uint32(e)&1 == 0 {
		return nil
	}
	var bucket [16]byte // root page u64, sequence u64
	if length < int64(len(bucket)) {
		return fmt.Errorf("%w: page %d: bucket of %d bytes", errDamaged, p.id, length)
	}
	if _, err := w.r.ReadAt(bucket[:], p.at+value); err != nil {
		return fmt.Errorf("%w: page %d: %v", errDamaged, p.id, err)
	}
	if root := native.Uint64(bucket[:]); root != 0 { // 0: the bucket is inline, in the value
		return w.checkTree(root, depth+1, keyRange{})
	}
	return nil
}

// checkFreelist checks that no page of the free list is in use or listed twice.
func (w *walk) checkFreelist(root uint64) error {
	p, err := w.open(root)
	if err != nil {
		return err
	}
	if p.flags != flagFreelist {
		return fmt.Errorf("%w: page %d is not a free list", errDamaged, p.id)
	}
	at, n := p.at+pageHeader, uint64(p.count)
	if p.count == 0xFFFF { // the first id is the count
		var b [8]byte
		if _, err := w.r.ReadAt(b[:], at); err != nil {
			return fmt.Errorf("%w: free list: %v", errDamaged, err)
		}
		at, n = at+8, native.Uint64(b[:])
	}
	if n > uint64(len(w.seen)) || at+int64(n)*8 > p.at+p.size {
		return fmt.Errorf("%w: free list of %d pages", errDamaged, n)
	}
	ids := make([]byte, n*8)
	if _, err := w.r.ReadAt(ids, at); err != nil {
		return fmt.Errorf("%w: free list: %v", errDamaged, err)
	}
	for ; len(ids) > 0; ids = ids[8:] {
		if err := w.claim(native.Uint64(ids)); err != nil {
			return err
		}
	}
	return nil
}
