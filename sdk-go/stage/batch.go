package stage

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Batch adds many Sections with few calls of the host, for a stage that has hundreds of
// them.
//
// Add and Group return the position that the Section will have, so that children can use
// it as their parent. The Section exists after Flush, or after an Add that had to send the
// batch. Until then nothing else may add Sections.
//
// Errors are those of Sections.Add and SetID, returned by Flush or by a later Add. Then
// none of the waiting Sections is added, and their positions are free again.
type Batch struct {
	next    int   // position of the next Section
	buf     int32 // of all spans; BufNone if there are none yet
	count   int
	records *[batchRecords]batchRecord
	texts   []byte
}

// batchSpace is the memory of a Batch.
type batchSpace struct {
	records [batchRecords]batchRecord
	texts   [batchTexts]byte
}

// batchRecord is a record of sections_add. Guests and the machines that run tests have
// the same byte order.
type batchRecord struct{ parent, start, end, id, title int32 }

// The sizes at which a batch is sent to the host.
const (
	batchRecords = 32
	batchTexts   = 2 << 10
)

// Batch returns a new batch. A stage needs at most one.
func (s Sections) Batch() *Batch {
	space := newBatchSpace()
	return &Batch{next: s.Len(), buf: raw.BufNone, records: &space.records, texts: space.texts[:0]}
}

// Add adds b[start:end] as a child of parent, with an id unless that is empty.
func (b *Batch) Add(parent int, buf Buf, start, end int, id, title string) (int, error) {
	if start >= end { // a span from 0 to 0 would be a group
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

// Group adds a child of parent without bytes of its own, with an id unless that is empty.
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

// Has reports whether the Section at a position exists.
func (b *Batch) Has(i int) bool { return i < b.next-b.count }

// Flush adds the waiting Sections.
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
