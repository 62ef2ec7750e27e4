package pipeline

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A version of a module is judged by what it did, not by what it was given: its
// config may be wrong, or the content too large for any stage.
func TestWhatSpeaksAgainstAVersion(t *testing.T) {
	small, large := strings.Repeat("x", LargeContent-1), strings.Repeat("x", LargeContent)
	for _, tt := range []struct {
		rule, input string
		err         error
		want        bool
	}{
		{"trap", small, faultf(abi.ErrGuest, "guest trapped: unreachable"), true},
		{"trap over large content", large, faultf(abi.ErrGuest, "guest trapped: unreachable"), true},
		{"FAIL in order", small, faultf(abi.ErrRefused, "maxLines 0 not in 1..1000"), false},
		{"limit", small, faultf(abi.ErrLimit, "guest trapped after 2.0s"), true},
		{"limit over large content", large, faultf(abi.ErrLimit, "guest trapped after 2.0s"), false},
		{"not there now", small, faultf(abi.ErrUnavailable, "module was closed"), false},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			fails := runFunc(func(context.Context, abi.Call) (abi.Output, error) { return abi.Output{}, tt.err })
			res := run(t, open(t, Options{}), request(tt.input, stage("head", fails)))
			if got := len(res.Failed) == 1; got != tt.want {
				t.Errorf("speaks against the version: %v", got)
			}
			if res.Report[0].Outcome != outcomeFailed {
				t.Errorf("outcome %q", res.Report[0].Outcome)
			}
		})
	}
}
