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

// waitingTransformer is a Transformer that waits a second for each part.
type waitingTransformer struct {
	Transformer
	got []time.Duration
}

func (w *waitingTransformer) Transform(_ context.Context, _ flow.Scope, c flow.Content) (flow.Shown, error) {
	w.got = append(w.got, c.LLMWaited)
	return flow.Shown{LLMWaited: c.LLMWaited + time.Second}, nil
}

func (w *waitingTransformer) Filter(context.Context, flow.Scope, flow.Content) (flow.Shown, error) {
	return flow.Shown{}, nil
}

// All parts of a result share the time for waiting for an LLM.
func TestPartsShareWaitingTime(t *testing.T) {
	w := new(waitingTransformer)
	raw := json.RawMessage(`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}]}`)
	New(w, nil).Show(t.Context(), flow.Scope{}, result.Source{Type: abi.ToolResult}, result.Tool(raw, false))
	if want := []time.Duration{0, time.Second, 2 * time.Second}; !slices.Equal(w.got, want) {
		t.Errorf("parts got the waiting times %v, want %v", w.got, want)
	}
}
