package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// DONE replaces the result for the client and for the hooks that run after it.
func TestResult(t *testing.T) {
	first := json.RawMessage(`{"content":[{"type":"text","text":"long"}],"isError":false}`)
	facts := abi.HookResult{AnsweredBy: "files", Bytes: len(first), Contents: []abi.HookContent{{Ref: "k7m2q9x4t6b8w3n5", Kind: abi.PartText, Bytes: 4}}}
	tests := []struct {
		rule  string
		hook  hookFunc
		block bool
		want  string // result for the client; "" for the server's result
		seen  string // by the next controller: input, isError, bytes
	}{
		{"PASS", returning(abi.HookOutput{}), false, "", string(first) + "|false|59"},
		{"DONE", answering("short"), false, `{"content":[{"type":"text","text":"short"}]}`, `{"content":[{"type":"text","text":"short"}]}|false|44`},
		{"DONE as an error", returning(abi.HookOutput{Done: true, Answer: []byte("no"), Error: true}), false,
			`{"content":[{"type":"text","text":"no"}],"isError":true}`, `{"content":[{"type":"text","text":"no"}],"isError":true}|true|56`},
		{"failure", failing(), false, "", string(first) + "|false|59"},
		{"failure with onFailure block", failing(), true, `{"content":[{"type":"text","text":"controller \"b\" failed, result withheld"}],"isError":true}`,
			`{"content":[{"type":"text","text":"controller \"b\" failed, result withheld"}],"isError":true}|true|94`},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var seen, original string
			b := oneHook("b", abi.OnToolResult, tt.hook)
			b.block = tt.block
			r := newRig(t, oneHook("a", abi.OnToolResult, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
				res := c.Context.Result
				seen, original = fmt.Sprintf("%s|%v|%d", c.Input, res.IsError, res.Bytes), string(c.Original)
				if res.AnsweredBy != "files" || len(res.Contents) != 1 {
					t.Errorf("facts %+v", res)
				}
				return abi.HookOutput{After: [][]byte{[]byte("a's")}}, nil
			}), b)
			v := r.Result(t.Context(), aCall(r.listed[0]), flow.CallVerdict{}, flow.SteeredResult{Result: first, HookResult: facts})
			got := ""
			if v.Answer != nil {
				got = string(v.Answer.Result)
			}
			if got != tt.want {
				t.Errorf("client gets %s\n        want %s", got, tt.want)
			}
			if seen != tt.seen || original != string(first) {
				t.Errorf("a saw %s of %s\n want %s", seen, original, tt.seen)
			}
			if len(v.After) != 1 || len(v.Reports) != 2 {
				t.Errorf("effects %+v", v.Effects)
			}
		})
	}
}

// A client that closes its session during a call still receives a result. The result
// must not bypass a controller.
func TestResultOfCancelledRequestIsWithheld(t *testing.T) {
	for _, rule := range []string{"in the last hook", "before the first"} {
		ctx, cancel := context.WithCancel(t.Context())
		asked := 0
		cut := func(ctx context.Context, _ abi.HookCall) (abi.HookOutput, error) {
			asked++
			cancel()
			return abi.HookOutput{}, context.Cause(ctx)
		}
		if rule != "in the last hook" {
			cancel()
		}
		redact := oneHook("redact", abi.OnToolResult, answering("***"))
		redact.block = true
		r := newRig(t, redact, oneHook("b", abi.OnToolResult, cut))
		v := r.Result(ctx, aCall(r.listed[0]), flow.CallVerdict{}, flow.SteeredResult{Result: json.RawMessage(`{"content":[{"type":"text","text":"secret"}]}`)})
		if v.Answer == nil || !isError(v.Answer.Result) {
			t.Errorf("%s: the client receives the server's result (%d hooks ran)", rule, asked)
		}
	}
}
