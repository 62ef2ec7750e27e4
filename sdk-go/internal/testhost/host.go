// Package testhost answers, in plain Go, the imports that all roles have: what
// packages stagetest and controllertest are built on. It has the checks and limits
// of the host.
package testhost

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Host answers what is the same for a stage and a controller, in one call.
type Host struct {
	LLM         func(Question) Reply // nil: none is configured
	LLMRequests int                  // limit of requests
	Cache       map[string]string    // what is kept between calls
	CacheWay    CacheWay
	Records     func() []byte // buffer 5; nil: it is empty

	Meta    map[string]string // what the call has set
	Kept    map[string]string // what it has put into the cache
	Private bool              // it has asked for the session

	buffers  map[int32]*Buffer
	next     int32 // handle
	alive    int   // handles
	putBytes int
	lastErr  string
	log      logBook
	reason   string
	asked    asked
}

// New is a Host for one call over the buffers that exist in it.
func New(buffers map[int32]*Buffer) Host {
	return Host{buffers: buffers, next: raw.FirstHandle, Meta: map[string]string{}, Kept: map[string]string{}}
}

var running sync.Mutex

// Run calls an entry of the SDK; h answers it. Runs of parallel tests take turns.
func Run(h raw.Host, entry func() int32) int32 {
	running.Lock()
	defer running.Unlock()
	raw.Use(h)
	defer raw.Use(nil)
	return entry()
}

// Fail takes the reason of a failure.
func (h *Host) Fail(reason string) int32 {
	h.reason = strings.Clone(reason)
	return 0
}

// Failure is why a call that returned code failed, as far as the code says it;
// empty if it did not.
func (h *Host) Failure(code int32) string {
	switch {
	case code == raw.ReturnDone || code == raw.ReturnPass:
		return ""
	case code != raw.ReturnFail:
		return "returned " + strconv.Itoa(int(code)) + ", want 0, 1 or 2"
	case h.reason == "":
		return "failed without a reason"
	}
	return h.reason
}

// Provisional reports whether an answer of the LLM was missing.
func (h *Host) Provisional() bool { return h.asked.provisional }

// NotUTF8 is why output cannot stand, empty if it can.
func NotUTF8(output []byte) string {
	if utf8.Valid(output) {
		return ""
	}
	return "output is not UTF-8 at byte " + strconv.Itoa(firstInvalid(output))
}

func firstInvalid(p []byte) int {
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// Commas writes 1204 as 1,204.
func Commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// OrElse gives a value that is not set the one it has then.
func OrElse[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}
