// Package testhost answers, in plain Go, the imports that all roles share, for packages
// stagetest and controllertest. It has the checks and limits of the host.
package testhost

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Host answers the imports that a stage and a controller share, in one call.
type Host struct {
	LLM         func(Question) Reply // nil means that no LLM is configured
	LLMRequests int                  // limit of requests
	Cache       map[string]string    // cached values
	CacheWay    CacheWay

	Meta map[string]string // metadata of the call
	Kept map[string]string // values that the call stored in the cache

	Buffers
	log    logLines
	reason string
	asked  asked
}

// New returns a Host for one call with the buffers of that call.
func New(buffers map[int32]*Buffer) Host {
	return Host{Buffers: Buffers{buffers: buffers, next: raw.FirstHandle}, Meta: map[string]string{}, Kept: map[string]string{}}
}

var running sync.Mutex

// Run calls an entry of the SDK with h as its host. Parallel runs wait for each other.
func Run(h raw.Host, entry func() int32) int32 {
	running.Lock()
	defer running.Unlock()
	raw.Use(h)
	defer raw.Use(nil)
	return entry()
}

// Fail records the reason of a failure.
func (h *Host) Fail(reason string) int32 {
	h.reason = strings.Clone(reason)
	return 0
}

// Failure returns the reason why a call that returned code failed, or "" if the code is
// not a failure.
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

// CheckUTF8 returns the reason why output is invalid, or "".
func CheckUTF8(output []byte) string {
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

// Commas formats 1204 as 1,204.
func Commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// SetDefault sets a value to its default if it is zero.
func SetDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}
