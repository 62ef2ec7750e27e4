package wasm

import (
	"context"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/plugins"
)

// library is a session of a project with many prompts. Their list is encoded once.
type library struct {
	hosttest.Session
	records []byte
}

func (l *library) PromptRecords() []byte { return l.records }

func (l *library) KnownPromptBody(string) ([]byte, bool) {
	return []byte("What is to be known, in some hundred bytes, of one part of a house before it is changed.\n"), true
}

// BenchmarkBeginSession measures the hook of the gate, with a new session for each.
func BenchmarkBeginSession(b *testing.B) {
	m, err := newBench(b, nil).Load(context.Background(), "controllers", plugins.Controllers, true)
	if err != nil {
		b.Fatal(err)
	}
	gate, err := m.Controller("gate")
	if err != nil {
		b.Fatal(err)
	}
	open := hookCall(abi.OnToolCall, new(hosttest.Session), "{}")
	open.Context.Gated, open.Name = false, "up/text"
	open.Context.Call = &abi.CalledTool{Tool: "up/text", Wire: "text"}
	b.Run("none", func(b *testing.B) {
		for b.Loop() {
			if out, err := gate.Hook(b.Context(), open); err != nil || out.Done {
				b.Fatal(err)
			}
		}
	})
	topics := []string{"zigbee", "billing", "heating", "garden", "backup", "network", "relay", "printing", "lights", "travel"}
	for _, n := range []int{10, 500, 10_000} {
		var entries []abi.PromptEntry
		for i := range n {
			topic := topics[i%len(topics)]
			entries = append(entries, abi.PromptEntry{Name: fmt.Sprintf("p%05d", i), Project: "home", Priority: 9 - 9*i/n, Bytes: 120,
				Summary: fmt.Sprintf("What to know about %s in part %d of the house, before anything is changed there.", topic, i), Chapters: []string{fmt.Sprint(topic, " ", i), "Steps"}})
		}
		l := &library{records: abi.PromptRecords(entries, func(abi.PromptEntry) string { return "" })}
		c := hookCall(abi.OnToolCall, nil, `{"tags":["zigbee","relay","billing","backup","alerts"]}`)
		c.Context.Gated, c.Name, c.Host = true, "begin_session", l
		c.Config = []byte(`{"byteBudget":8192}`)
		c.Context.Call = &abi.CalledTool{Tool: "begin_session", Wire: "begin_session", Virtual: true}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if out, err := gate.Hook(b.Context(), c); err != nil || !out.Done || len(out.Answer) < 500 {
					b.Fatalf("%s, %v", out.Answer, err)
				}
			}
		})
	}
}
