package stage

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Batch adds Sections many at a time, for a stage that has hundreds of them: a call
// into the host costs more than most of what is done for one Section.
//
// What Add and Group return is where the Section will stand, for children to name it
// as their parent. It is there once Flush has returned, or a later Add for which there
// was no room left. Until then nothing else may add Sections.
//
// Errors are those of Sections.Add and SetID, told by Flush or by a later Add. None
// of the Sections that waited is added then, and their positions are free again.
type Batch struct {
	next    int   // position of the next Section
	buf     int32 // what spans are of; BufNone: there is none yet
	count   int
	records *[batchRecords]batchRecord
	texts   []byte
}

// batchSpace is what a Batch gathers in.
type batchSpace struct {
	records [batchRecords]batchRecord
	texts   [batchTexts]byte
}

// batchRecord is a record of sections_add. Guests and the machines that tests run on
// have the same order of bytes.
type batchRecord struct{ parent, start, end, id, title int32 }

// How much is gathered before it goes to the host.
const (
	batchRecords = 32
	batchTexts   = 2 << 10
)

// Batch is a new one. A stage needs no more than one.
func (s Sections) Batch() *Batch {
	space := newBatchSpace()
	return &Batch{next: s.Len(), buf: raw.BufNone, records: &space.records, texts: space.texts[:0]}
}

// Add makes b[start:end] a child of parent, with an id unless that is empty.
func (b *Batch) Add(parent int, buf Buf, start, end int, id, title string) (int, error) {
	if start >= end { // of which 0 and 0 would be a group
		return -1, &Error{Code: BadArg, Text: "empty span"}
	}
	if of := buf.id(); of != b.buf {
		if b.buf != raw.BufNone {
			if err := b.Flush(); err != nil {
				return -1, err
			}
		}
		b.buf = of
	}
	return b.add(parent, start, end, id, title)
}

// Group adds a child of parent that has no bytes of its own, with an id unless that is
// empty.
func (b *Batch) Group(parent int, id, title string) (int, error) {
	return b.add(parent, 0, 0, id, title)
}

func (b *Batch) add(parent, start, end int, id, title string) (int, error) {
	if b.count == batchRecords || len(b.texts)+len(id)+len(title) > batchTexts {
		buf := b.buf
		if err := b.Flush(); err != nil {
			return -1, err
		}
		b.buf = buf
	}
	b.records[b.count] = batchRecord{word(parent), word(start), word(end), word(len(id)), word(len(title))}
	b.count++
	b.texts = append(append(b.texts, id...), title...)
	b.next++
	return b.next - 1, nil
}

// Has reports whether the Section at a position is there already.
func (b *Batch) Has(i int) bool { return i < b.next-b.count }

// Flush adds what waits.
func (b *Batch) Flush() error {
	if b.count == 0 {
		return nil
	}
	records := unsafe.String((*byte)(unsafe.Pointer(b.records)), b.count*raw.AdditionRecordSize)
	code := raw.SectionsAdd(b.buf, records, unsafe.String(unsafe.SliceData(b.texts), len(b.texts)))
	if code < 0 {
		b.next -= b.count
	}
	b.buf, b.count, b.texts = raw.BufNone, 0, b.texts[:0]
	return check(code)
}
