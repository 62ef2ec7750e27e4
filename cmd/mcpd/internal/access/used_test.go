package access

import (
	"testing"
	"time"
)

// The uses of a moment are stored together, and none is forgotten.
func TestUsedTokensAreCollected(t *testing.T) {
	var u usedTokens
	now := time.Unix(1000, 0)
	if got := u.add([32]byte{1}, now); len(got) != 1 {
		t.Errorf("first use: %d to store, want 1", len(got))
	}
	for i := range 5 {
		if got := u.add([32]byte{2, byte(i)}, now.Add(storeUsesEvery/2)); got != nil {
			t.Errorf("use %d a moment later: %d to store, want none", i, len(got))
		}
	}
	if got := u.add([32]byte{3}, now.Add(storeUsesEvery)); len(got) != 6 {
		t.Errorf("later use: %d to store, want 6", len(got))
	}
}
