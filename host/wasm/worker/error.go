package worker

import (
	"context"
	"errors"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// errorKinds are the kinds of errors that callers test, by their number. A kind that wraps
// another one comes first.
var errorKinds = []error{abi.ErrRefused, abi.ErrGuest, abi.ErrLimit, abi.ErrNotFound, abi.ErrConfig, abi.ErrUnavailable, abi.ErrDenied, abi.ErrConflict, context.DeadlineExceeded, context.Canceled}

func writeError(w *writer, err error) {
	kind := -1
	for i, k := range errorKinds {
		if errors.Is(err, k) {
			kind = i
			break
		}
	}
	host := ""
	var f *fault.Error
	if errors.As(err, &f) {
		host = f.Host
	}
	w.int(kind)
	w.text(err.Error())
	w.text(host)
}

// maxErrorBytes limits the text of an error.
const maxErrorBytes = 8 << 10

// readError returns the error that writeError wrote, or one about the frame.
func readError(r *reader) error {
	kind, text, host := r.int(), r.bytes(), r.bytes()
	if err := r.done(); err != nil {
		return err
	}
	f := &fault.Error{Text: fault.Printable(text, maxErrorBytes), Host: fault.Printable(host, maxErrorBytes)}
	if kind >= 0 && kind < len(errorKinds) {
		f.Kind = errorKinds[kind]
	}
	return f
}
