package stream

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// Notification encodes a notification on one line.
func Notification(method string, params json.RawMessage) []byte {
	return Encode(jsonrpc.Message{Method: method, Params: params})
}

// Encode encodes a message on one line, as event streams and stdio require.
func Encode(m jsonrpc.Message) []byte {
	return jsonrpc.OneLine(m.Append(make([]byte, 0, m.Size())))
}

// buffers are reused for responses: Write does not keep its argument.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// maxPooled is the capacity of the largest buffer that is reused.
const maxPooled = 1 << 20

var jsonType = []string{"application/json"}

// WriteMessage writes a message as the whole body of a response.
func WriteMessage(w http.ResponseWriter, status int, msg jsonrpc.Message) {
	buf := buffers.Get().(*[]byte)
	b := msg.Append((*buf)[:0])
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	w.WriteHeader(status)
	writeBody(w, b)
	if cap(b) <= maxPooled {
		*buf = b
		buffers.Put(buf)
	}
}

// writeBody writes a body. A large one gets a deadline, so that a client that does not
// read cannot block the writer for ever; a small one fits the buffers of the socket.
func writeBody(w http.ResponseWriter, b []byte) {
	const buffered = 64 << 10
	if len(b) <= buffered {
		_, _ = w.Write(b)
		return
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every server supports it
	if _, err := w.Write(b); err == nil {
		_ = rc.SetWriteDeadline(time.Time{})
	}
}
