package teamtest

import (
	"net/http"
	"strings"
	"sync"
)

// Reply is an answer in place of that of the fake.
type Reply struct {
	Body []byte
	Cut  bool // the connection ends after Body
}

// Replies are the replies that a test has set. It is safe for concurrent use.
type Replies struct{ calls sync.Map }

// Set sets the answer to a call: "GET /backup".
func (r *Replies) Set(call string, reply Reply) { r.calls.Store(call, reply) }

// find returns the handler of a call whose answer was set, or nil.
func (r *Replies) find(req *http.Request) http.HandlerFunc {
	found, ok := r.calls.Load(req.Method + " " + strings.TrimPrefix(req.URL.Path, "/api/v1"))
	if !ok {
		return nil
	}
	reply := found.(Reply)
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(reply.Body) // an error means that the client has disconnected
		if reply.Cut {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
}
