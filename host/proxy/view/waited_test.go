package view

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// waiting is a Transformer whose stages wait a second for each part.
type waiting struct{ told []time.Duration }

func (w *waiting) Transform(_ context.Context, _ flow.Scope, c flow.Content) (flow.Shown, error) {
	w.told = append(w.told, c.LLMWaited)
	return flow.Shown{LLMWaited: c.LLMWaited + time.Second}, nil
}

func (w *waiting) Filter(context.Context, flow.Scope, flow.Content) (flow.Shown, error) {
	return flow.Shown{}, nil
}

// The time for waiting for an LLM is one for all parts of a result.
func TestPartsShareTheTimeForWaiting(t *testing.T) {
	w := new(waiting)
	raw := json.RawMessage(`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}]}`)
	New(w, nil).Show(t.Context(), flow.Scope{}, result.Source{Type: abi.ToolResult}, result.Tool(raw, false))
	if want := []time.Duration{0, time.Second, 2 * time.Second}; !slices.Equal(w.told, want) {
		t.Errorf("parts are told that %v was waited, want %v", w.told, want)
	}
}
