package jsonrpc

import (
	"cmp"
	"encoding/json"
	"strings"
)

// maxReasonBytes bounds the reason of a cancellation that is passed on.
const maxReasonBytes = 1024

// CancelledError is the cause of a request's context after its sender has
// cancelled the request. Reason is the sender's text, "" if it gave none.
type CancelledError struct{ Reason string }

func (e *CancelledError) Error() string { return cmp.Or(e.Reason, "request cancelled") }

// DecodeCancelled decodes the params of notifications/cancelled: the id of the request,
// and the reason, cut to maxReasonBytes of valid UTF-8. A reason that is not a string is
// ignored.
func DecodeCancelled(params json.RawMessage) (ID, *CancelledError, error) {
	o, err := DecodeParams(params)
	if err != nil {
		return ID{}, nil, err
	}
	raw, _ := o.Get("requestId")
	id, err := ParseID(raw)
	if err != nil {
		return ID{}, nil, err
	}
	reason, _ := o.Text("reason")
	if len(reason) > maxReasonBytes {
		reason = reason[:maxReasonBytes]
	}
	return id, &CancelledError{Reason: strings.ToValidUTF8(reason, "")}, nil
}
