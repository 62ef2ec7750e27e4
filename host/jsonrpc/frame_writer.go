package jsonrpc

import (
	"bytes"
	"io"
	"sync"
)

// FrameWriter writes messages as newline frames, each with one Write. Safe for
// concurrent use; frames never mix.
type FrameWriter struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewFrameWriter returns a FrameWriter to w.
func NewFrameWriter(w io.Writer) *FrameWriter { return &FrameWriter{w: w} }

// Write writes one message. Line breaks between the tokens of its raw values
// become blanks, since a frame is one line.
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

// OneLine puts blanks in place of the line breaks in a JSON text, in place, and
// returns it. A valid text has them between tokens only.
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
