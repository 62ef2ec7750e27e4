package pipeline

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// Failures caused by the config or by the size of the content do not count against
// the version of a module.
func TestCondemns(t *testing.T) {
	small, large := strings.Repeat("x", LargeContent-1), strings.Repeat("x", LargeContent)
	for _, tt := range []struct {
		rule, input string
		err         error
		want        bool
	}{
		{"trap", small, faultf(abi.ErrGuest, "guest trapped: unreachable"), true},
		{"trap over large content", large, faultf(abi.ErrGuest, "guest trapped: unreachable"), true},
		{"FAIL", small, faultf(abi.ErrRefused, "maxLines 0 not in 1..1000"), false},
		{"limit", small, faultf(abi.ErrLimit, "guest trapped after 2.0s"), true},
		{"limit over large content", large, faultf(abi.ErrLimit, "guest trapped after 2.0s"), false},
		{"unavailable", small, faultf(abi.ErrUnavailable, "module was closed"), false},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			fails := runFunc(func(context.Context, abi.Call) (abi.Output, error) { return abi.Output{}, tt.err })
			res := run(t, open(t, Options{}), request(tt.input, stage("head", fails)))
			if got := len(res.Failed) == 1; got != tt.want {
				t.Errorf("counts against the version: %v", got)
			}
			if res.Report[0].Outcome != outcomeFailed {
				t.Errorf("outcome %q", res.Report[0].Outcome)
			}
		})
	}
}
