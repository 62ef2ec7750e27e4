package host

import (
	"sync"

	"github.com/mcpctl/mcpctl/abi"
)

// maxTokenCounts bounds what tokenCounts remembers; it then starts over.
const maxTokenCounts = 4096

// tokenCounts remembers the estimated tokens of contents by their hash: counting
// 120 KB costs a quarter of a millisecond, which a cached answer would otherwise
// spend each time. The zero value is empty. Safe for concurrent use.
type tokenCounts struct {
	mu     sync.Mutex
	counts map[[32]byte]int
}

// of returns the estimate for b, whose SHA-256 is sum.
func (t *tokenCounts) of(sum [32]byte, b []byte) int {
	t.mu.Lock()
	n, ok := t.counts[sum]
	t.mu.Unlock()
	if ok {
		return n
	}
	n = abi.EstimateTokens(b)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil || len(t.counts) >= maxTokenCounts {
		t.counts = make(map[[32]byte]int)
	}
	t.counts[sum] = n
	return n
}
