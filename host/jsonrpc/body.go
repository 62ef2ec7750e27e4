package jsonrpc

import (
	"io"
	"slices"
	"sync"
)

// ReadBody reads a message that is a whole body. declared is the length that its
// sender tells, negative if it tells none. The caller owns the bytes.
//
// Memory: taken as bytes arrive, not as they are promised; at most about twice
// the limit. A limit of 0 stands for 32 MiB.
// Errors: *FrameTooLongError, with Bytes 0 if nobody knows how many: the rest is
// not read; else what r returned.
func ReadBody(r io.Reader, declared int64, limit int) ([]byte, error) {
	limit = Limits{FrameBytes: limit}.frameBytes()
	switch {
	case declared > int64(limit):
		return nil, &FrameTooLongError{Bytes: declared, Limit: limit}
	case declared >= 0 && declared <= keptBytes:
		body := make([]byte, declared)
		_, err := io.ReadFull(r, body)
		return body, err
	case declared >= 0:
		body, err := readUpTo(r, make([]byte, 0, keptBytes), int(declared))
		if err == nil && len(body) < int(declared) {
			err = io.ErrUnexpectedEOF
		}
		return body, err
	}
	buf := scratch.Get().(*[]byte)
	body, err := readUpTo(r, (*buf)[:0], limit+1)
	switch {
	case err != nil:
		return nil, err
	case len(body) > limit:
		return nil, &FrameTooLongError{Limit: limit}
	case cap(body) > keptBytes:
		return body, nil
	}
	*buf = body
	defer scratch.Put(buf)
	return slices.Clone(body), nil
}

// scratch holds buffers for bodies of unknown length: growing one for each body
// allocates more than twice its size.
var scratch = sync.Pool{New: func() any { b := make([]byte, 0, readBytes); return &b }}

// readUpTo appends to buf what r holds until it is most bytes long. The buffer
// doubles and takes its last step whole: what bytes.Buffer does leaves three
// times as much for the garbage collector.
func readUpTo(r io.Reader, buf []byte, most int) ([]byte, error) {
	for len(buf) < most {
		if len(buf) == cap(buf) {
			size := 2 * cap(buf)
			if size > most/2 {
				size = most
			}
			buf = append(make([]byte, 0, size), buf...)
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), most)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}
