package llm

import (
	"bytes"
	"strings"
	"sync"
)

// tailBytes is the number of bytes of output that are kept.
const tailBytes = 4 << 10

// tail keeps the last bytes that are written to it. Safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails and never blocks.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailBytes):]...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	return len(p), nil
}

// line returns the last line that is not blank.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.text))
	return strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
}

// bounded keeps output up to a limit, and calls full if there is more.
type bounded struct {
	text  []byte
	limit int
	full  func()
}

// Write keeps the output up to the limit and drops the rest.
func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.limit-len(b.text))
	b.text = append(b.text, p[:n]...)
	if n < len(p) {
		b.full()
	}
	return len(p), nil
}
