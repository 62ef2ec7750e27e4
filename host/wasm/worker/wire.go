package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
)

// writer appends values to a frame.
type writer struct {
	b       []byte
	area    *area  // for contents; nil: they are in the frame
	records []byte // memory of writeTree
}

// writers is a pool of writers. To allocate and collect the buffer of a large frame takes as
// long as to fill it.
var writers sync.Pool

// maxKeptFrame is the size in bytes of the largest buffer that the pool keeps.
const maxKeptFrame = 1 << 20

// newWriter returns a writer whose frame has room for its header and n more bytes.
func newWriter(n int) *writer {
	n += headerBytes + 64
	if w, ok := writers.Get().(*writer); ok && cap(w.b) >= n {
		w.b = w.b[:headerBytes]
		return w
	}
	return &writer{b: make([]byte, headerBytes, n)}
}

// release keeps the writer for another frame.
func (w *writer) release() {
	w.area = nil
	if cap(w.b) <= maxKeptFrame && cap(w.records) <= maxKeptFrame {
		writers.Put(w)
	}
}

// int writes a varint, in most cases of one byte.
func (w *writer) int(n int) {
	if -64 <= n && n < 64 {
		w.b = append(w.b, byte(n<<1^n>>(strconv.IntSize-1)))
		return
	}
	w.b = binary.AppendVarint(w.b, int64(n))
}

func (w *writer) bool(v bool) {
	n := byte(0)
	if v {
		n = 1
	}
	w.b = append(w.b, n)
}

// bytes writes nil and an empty slice differently: null is not "" for a caller of a hook.
func (w *writer) bytes(b []byte) {
	if b == nil {
		w.int(-1)
		return
	}
	w.int(len(b))
	w.b = append(w.b, b...)
}

// inArea marks a content that is in the area: it replaces the length, and the start in the area
// and the length follow.
const inArea = -2

// content writes an input or original, which may be large: into the area if it fits.
func (w *writer) content(b []byte) {
	start, ok := w.area.add(b)
	if !ok {
		w.bytes(b)
		return
	}
	w.int(inArea)
	w.int(start)
	w.int(len(b))
}

func (w *writer) text(s string) {
	w.int(len(s))
	w.b = append(w.b, s...)
}

// json writes a value that always has a JSON form.
func (w *writer) json(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.bytes(b)
}

// writeList writes the length of a list and each element.
func writeList[T any](w *writer, list []T, write func(*writer, *T)) {
	w.int(len(list))
	for i := range list {
		write(w, &list[i])
	}
}

// reader reads values from a frame. After an error all values are zero.
type reader struct {
	b    []byte
	area []byte // of contents; nil: there is none
	err  error
}

var errFrame = errors.New("damaged frame")

func (r *reader) fail() {
	if r.err == nil {
		r.err = errFrame
	}
	r.b = nil
}

func (r *reader) int() int {
	if len(r.b) == 0 || r.b[0] >= 0x80 {
		return r.longInt()
	}
	v := r.b[0]
	r.b = r.b[1:]
	return int(v>>1) ^ -int(v&1)
}

// longInt reads an int of more than one byte.
func (r *reader) longInt() int {
	v, n := binary.Varint(r.b)
	if n <= 0 || int64(int(v)) != v {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

// count returns the length of a list whose elements have at least size bytes each.
func (r *reader) count(size int) int {
	n := r.int()
	if n < 0 || n > len(r.b)/size {
		r.fail()
		return 0
	}
	return n
}

func (r *reader) bool() bool {
	if len(r.b) == 0 || r.b[0] > 1 {
		r.fail()
		return false
	}
	v := r.b[0] == 1
	r.b = r.b[1:]
	return v
}

// content returns a part of the frame or of the area.
func (r *reader) content() []byte {
	n := r.int()
	if n != inArea {
		return r.next(n)
	}
	start, n := r.int(), r.int()
	if start < 0 || n < 0 || start > len(r.area) || n > len(r.area)-start {
		r.fail()
		return nil
	}
	return r.area[start : start+n : start+n]
}

// bytes returns a part of the frame.
func (r *reader) bytes() []byte { return r.next(r.int()) }

// next returns the next n bytes, nil if n is -1.
func (r *reader) next(n int) []byte {
	switch {
	case n == -1:
		return nil
	case n < 0 || n > len(r.b):
		r.fail()
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) text() string { return string(r.bytes()) }

func (r *reader) json(v any) {
	if b := r.bytes(); r.err == nil && json.Unmarshal(b, v) != nil {
		r.fail()
	}
}

// readList returns a list of at most limit elements that writeList wrote, nil if it is empty.
func readList[T any](r *reader, limit int, read func(*reader, *T)) []T {
	n := r.count(1)
	if n > limit {
		r.fail()
	}
	if n == 0 || r.err != nil {
		return nil
	}
	list := make([]T, 0, min(n, 1<<16)) // an element may have more bytes here than in the frame
	for i := range n {
		var zero T
		list = append(list, zero)
		if read(r, &list[i]); r.err != nil {
			return nil
		}
	}
	return list
}

// done returns the error of the reader. A frame with further bytes is damaged.
func (r *reader) done() error {
	if len(r.b) > 0 {
		r.fail()
	}
	return r.err
}
