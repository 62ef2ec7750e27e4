package jsonrpc

import (
	"bytes"
	"io"
	"sync"
)

// FrameWriter writes messages as newline frames, each with one Write. It is safe for
// concurrent use.
type FrameWriter struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewFrameWriter returns a FrameWriter to w.
func NewFrameWriter(w io.Writer) *FrameWriter { return &FrameWriter{w: w} }

// Write writes one message. It replaces line breaks between the tokens of raw values by
// blanks, because a frame is one line.
func (f *FrameWriter) Write(m Message) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buf = OneLine(m.Append(f.buf[:0]))
	f.buf = append(f.buf, '\n')
	_, err := f.w.Write(f.buf)
	if cap(f.buf) > keptBytes {
		f.buf = nil
	}
	return err
}

// OneLine replaces the line breaks of a JSON text by blanks, in place, and returns it. A
// valid text has line breaks between tokens only.
func OneLine(text []byte) []byte {
	for _, c := range []byte{'\n', '\r'} {
		for rest := text; ; {
			i := bytes.IndexByte(rest, c)
			if i < 0 {
				break
			}
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
	return text
}
