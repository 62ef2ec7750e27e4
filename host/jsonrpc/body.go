package jsonrpc

import (
	"io"
	"slices"
	"sync"
)

// ReadBody reads a message that is a whole body. declared is the length that its sender
// declares, negative if unknown. The caller owns the returned bytes.
//
// Memory: allocated as bytes arrive, at most about twice the limit. A limit of 0 means
// 32 MiB.
// Errors: *FrameTooLongError, with Bytes 0 if the length is unknown, because the rest is
// not read; otherwise the error of r.
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

// scratch holds buffers for bodies of unknown length. A new buffer for each body would
// allocate more than twice its size.
var scratch = sync.Pool{New: func() any { b := make([]byte, 0, readBytes); return &b }}

// readUpTo appends the bytes of r to buf until buf has limit bytes. The capacity doubles,
// and the last step is limit itself: bytes.Buffer would allocate three times as much.
func readUpTo(r io.Reader, buf []byte, limit int) ([]byte, error) {
	for len(buf) < limit {
		if len(buf) == cap(buf) {
			size := 2 * cap(buf)
			if size > limit/2 {
				size = limit
			}
			buf = append(make([]byte, 0, size), buf...)
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), limit)])
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
