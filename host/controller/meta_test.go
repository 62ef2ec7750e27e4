package controller

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// The report contains the values that a hook sets with meta_set, unless the hook fails,
// and the number of its LLM requests in any case.
func TestMetadataIsReported(t *testing.T) {
	for _, tt := range []struct {
		rule string
		err  error
		want string
	}{{"a hook that passes", nil, "3"}, {"a hook that fails", errors.New("guest trapped: unreachable"), ""}} {
		r := newRig(t, oneHook("a", abi.OnToolCall, func(context.Context, abi.HookCall) (abi.HookOutput, error) {
			return abi.HookOutput{Meta: map[string]string{"matched": "3"}, Stats: abi.RunStats{LLMRequests: 2}}, tt.err
		}))
		v := r.Call(t.Context(), aCall(r.listed[0]))
		if got := v.Reports[0].Meta["matched"]; got != tt.want {
			t.Errorf("%s: reported %q, want %q", tt.rule, got, tt.want)
		}
		if n := v.Reports[0].LLMRequests; n != 2 {
			t.Errorf("%s: %d LLM requests, want 2", tt.rule, n)
		}
	}
}

func TestLogsIfAManifestDeclaresMessages(t *testing.T) {
	quiet, loud := Member{Role: abi.Role{Name: "a"}}, Member{Role: abi.Role{Name: "b", Notifications: []string{abi.NoteMessage}, GatedOnly: true}}
	for _, tt := range []struct {
		rule  string
		chain *Chain
		want  bool
	}{
		{"no controllers", nil, false},
		{"no manifest declares messages", NewChain(true, []Member{quiet}), false},
		{"one manifest declares messages", NewChain(true, []Member{quiet, loud}), true},
		{"the one is omitted from this project", NewChain(false, []Member{quiet, loud}), false},
	} {
		if got := tt.chain.hasLogs(); got != tt.want {
			t.Errorf("%s: %v", tt.rule, got)
		}
	}
}
