package upstream

import (
	"bytes"
	"strings"
	"sync"
)

// tailBytes is the number of bytes of a server's stderr that are kept.
const tailBytes = 64 << 10

// tail keeps the last bytes written to it, also over restarts of the process. It is safe
// for concurrent use.
type tail struct {
	mu    sync.Mutex
	ring  []byte
	next  int // index of the next byte in ring
	total int64
}

func newTail() *tail { return &tail{} }

// Write never fails and never blocks.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ring == nil {
		t.ring = make([]byte, tailBytes)
	}
	t.total += int64(len(p))
	for rest := p[max(0, len(p)-tailBytes):]; len(rest) > 0; {
		n := copy(t.ring[t.next:], rest)
		t.next, rest = (t.next+n)%tailBytes, rest[n:]
	}
	return len(p), nil
}

// written returns the number of bytes written so far.
func (t *tail) written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// lines returns the kept lines, oldest first, without secrets. It omits a first line
// that is incomplete.
func (t *tail) lines(scrub scrubber) []string { return t.linesSince(0, scrub) }

// linesSince is lines for the text after the first from bytes.
func (t *tail) linesSince(from int64, scrub scrubber) []string {
	t.mu.Lock()
	kept := bytes.Clone(t.ring[:min(t.total, int64(len(t.ring)))])
	if t.total > tailBytes {
		kept = append(bytes.Clone(t.ring[t.next:]), t.ring[:t.next]...)
	}
	if begin := t.total - int64(len(kept)); from > begin {
		kept = kept[from-begin:]
	} else if begin > 0 {
		_, kept, _ = bytes.Cut(kept, []byte("\n"))
	}
	t.mu.Unlock()
	if len(kept) == 0 {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(scrub.clean(string(kept)), "\n"), "\n") {
		lines = append(lines, printable(strings.TrimSuffix(line, "\r")))
	}
	return lines
}
