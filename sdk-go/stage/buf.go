package stage

import (
	"io"
	"math"
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Buf is a handle to bytes that the host keeps. Copying a Buf copies the handle.
// Offsets and lengths are bytes; a length of -1 means to the end.
//
// Most stages need no copy of the content: Find, Grep, JSON, Out.Span and
// Sections.Add run in the host.
//
// The zero Buf, which is returned with errors, reads as empty; all other operations
// on it are refused.
type Buf struct {
	number int32
	call   *call
}

// id returns the number of b in the ABI.
func (b Buf) id() int32 {
	if b.call == nil {
		return refused
	}
	return b.number
}

// refused is an argument that every import refuses.
const refused = math.MinInt32

// Len returns the length in bytes.
func (b Buf) Len() int {
	if b.call == nil {
		return 0
	}
	return b.call.count(raw.BufLen(b.id()))
}

// Bytes returns a copy of the whole, which is made once in a call. It is shared: do
// not modify it. A guest has 64 MiB of memory by default.
func (b Buf) Bytes() []byte {
	if b.call == nil {
		return nil
	}
	if p, ok := b.call.bytes[b.id()]; ok {
		return p
	}
	p := make([]byte, b.Len())
	if _, err := b.read(p, 0); err != nil && b.call.misuse == nil {
		b.call.misuse = err
	}
	if b.call.bytes == nil {
		b.call.bytes = map[int32][]byte{}
	}
	b.call.bytes[b.id()] = p
	return p
}

// String returns Bytes as a string, without another copy.
func (b Buf) String() string {
	p := b.Bytes()
	return unsafe.String(unsafe.SliceData(p), len(p))
}

// ReadAt reads len(p) bytes from an offset on. It implements io.ReaderAt.
//
// Errors: io.EOF if fewer bytes than len(p) are left, BadArg if off is beyond
// the end.
func (b Buf) ReadAt(p []byte, off int64) (int, error) {
	if off != int64(word(int(off))) {
		return 0, newError(raw.BufRead(b.id(), refused, nil, 0))
	}
	n, err := b.read(p, int(off))
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (b Buf) read(p []byte, off int) (int, error) {
	n := raw.BufRead(b.id(), word(off), unsafe.Pointer(unsafe.SliceData(p)), word(len(p)))
	if n < 0 {
		return 0, newError(n)
	}
	return int(n), nil
}

// Find returns the offset of the first occurrence of 1 to 4,096 bytes, or -1.
func (b Buf) Find(needle string) int { return b.FindFrom(0, needle) }

// FindFrom is like Find, from an offset on.
func (b Buf) FindFrom(off int, needle string) int {
	at := raw.BufFind(b.id(), word(off), needle)
	if at < 0 {
		if at != raw.CodeNotFound {
			b.call.misused(at)
		}
		return -1
	}
	return int(at)
}

// Hash returns the SHA-256 of a span.
func (b Buf) Hash(off, n int) [32]byte {
	var sum [raw.HashSize]byte
	b.call.count(raw.BufHash(b.id(), word(off), word(n), unsafe.Pointer(&sum)))
	return sum
}

// Tokens returns the estimated number of tokens of a span.
func (b Buf) Tokens(off, n int) int {
	return b.call.count(raw.BufTokens(b.id(), word(off), word(n)))
}

// View returns a Buf of a span without a copy. A Section or output from a view
// counts as one from the viewed Buf.
//
// Errors: BadArg if the span is outside, Limit beyond 1,024 handles.
func (b Buf) View(off, n int) (Buf, error) {
	return b.call.handle(raw.BufView(b.id(), word(off), word(n)))
}

// Free frees a handle of View, Put, JSON or LLM before the call ends. Only a call with
// over a thousand handles needs it.
func (b Buf) Free() {
	if b.id() >= raw.FirstHandle {
		raw.BufFree(b.id())
		delete(b.call.bytes, b.id())
	}
}

// count returns a result that is negative only after a misuse.
func (k *call) count(result int32) int {
	if result < 0 {
		k.misused(result)
		return 0
	}
	return int(result)
}

// word returns v as a number of the ABI. A value that does not fit becomes one that
// every import refuses.
func word(v int) int32 {
	if v != int(int32(v)) {
		return refused
	}
	return int32(v)
}

// readAll returns a copy of a handle's bytes.
func readAll(h int32) []byte {
	n := raw.BufLen(h)
	if n <= 0 {
		return nil
	}
	p := make([]byte, n)
	raw.BufRead(h, 0, unsafe.Pointer(unsafe.SliceData(p)), n)
	return p
}

// take returns the text of a handle and frees it.
func take(h int32) string {
	p := readAll(h)
	raw.BufFree(h)
	return unsafe.String(unsafe.SliceData(p), len(p))
}
