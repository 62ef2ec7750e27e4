package wasm

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/jsonindex"
)

// TestJSONValueLimit verifies that a text with too many values ends the guest: the index
// takes 16 bytes for each value, and the host shows large content in windows.
func TestJSONValueLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes 16 MB of JSON")
	}
	s := &script{noResult: true}
	s.call("json_kind", 0, 0, 0)
	b := newBench(t, nil)
	got := b.run(t, s.returns(abi.ReturnPass), content("["+strings.Repeat("0,", jsonindex.MaxValues-1)+"0]"))
	if got.err == nil || got.err.Error() != "guest trapped: JSON of more than 8,388,608 values in json_kind" || !errors.Is(got.err, abi.ErrLimit) {
		t.Errorf("got %v", got.err)
	}
}
