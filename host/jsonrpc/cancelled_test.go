package jsonrpc

import (
	"strings"
	"testing"
)

func TestDecodeCancelled(t *testing.T) {
	for _, tc := range []struct{ rule, params, id, reason, text string }{
		{"with a reason", `{"requestId":"a","reason":"user stopped \"it\""}`, `"a"`, `user stopped "it"`, `user stopped "it"`},
		{"without", `{"requestId":7}`, `7`, "", "request cancelled"},
		{"a reason that is not text", `{"requestId":7,"reason":{"a":1}}`, `7`, "", "request cancelled"},
		{"a long one is cut between characters", `{"requestId":7,"reason":"` + strings.Repeat("é", 4000) + `"}`, `7`, strings.Repeat("é", maxReasonBytes/2), strings.Repeat("é", maxReasonBytes/2)},
		{"a long one is cut before a split character", `{"requestId":7,"reason":"x` + strings.Repeat("é", 4000) + `"}`, `7`, "x" + strings.Repeat("é", maxReasonBytes/2-1), "x" + strings.Repeat("é", maxReasonBytes/2-1)},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			id, why, err := DecodeCancelled([]byte(tc.params))
			if err != nil || id.String() != tc.id || why.Reason != tc.reason || why.Error() != tc.text {
				t.Errorf("got id %s, %v, error %v", id, why, err)
			}
		})
	}
	for _, params := range []string{``, `null`, `{}`, `[]`, `{"requestId":{}}`, `{"requestId":1`} {
		if id, _, err := DecodeCancelled([]byte(params)); err == nil {
			t.Errorf("%s: got id %s, want an error", params, id)
		}
	}
}
