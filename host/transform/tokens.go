package transform

import (
	"crypto/sha256"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
)

// maxTokenCounts limits the number of entries of tokenCounts. A full map is cleared.
const maxTokenCounts = 4096

// tokenCounts caches the estimated tokens of contents by their hash. Counting 120 KB
// takes a quarter of a millisecond, which every cached answer would spend otherwise.
// The zero value is empty. It is safe for concurrent use.
type tokenCounts struct {
	mu     sync.Mutex
	counts map[[32]byte]int
}

// count returns the estimate for b, whose SHA-256 is sum.
func (t *tokenCounts) count(sum [32]byte, b []byte) int {
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

// CountTokens returns the estimated tokens of b.
func (t *Transformer) CountTokens(b []byte) int { return t.tokens.count(sha256.Sum256(b), b) }
