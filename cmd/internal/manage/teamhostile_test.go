package manage

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

// Only users and service accounts own tokens.
func TestOwnersOfUnknownKindsAreRefused(t *testing.T) {
	for _, tc := range []struct {
		body  string
		valid bool
	}{
		{`{"kind":"User","name":"anna"}`, true},
		{`{"kind":"ServiceAccount","name":"bot"}`, true},
		{`{"kind":"User\u001b]0;pwn\u0007","name":"anna"}`, false},
		{`{"kind":"Group","name":"web"}`, false},
		{`{"name":"anna"}`, false},
		{`{"kind":"User"}`, false},
	} {
		m := startMcpd(t)
		token := api.Credential(m.AddUser("otto", ""))
		s := local(t)
		if _, err := s.Team().Login(t.Context(), api.TeamLogin{URL: m.URL, Token: token}); err != nil {
			t.Fatal(err)
		}
		m.Replies.Set("GET /auth/whoami", teamtest.Reply{Body: []byte(tc.body)})
		_, ofLogin := s.Team().Login(t.Context(), api.TeamLogin{URL: m.URL, Token: token})
		_, ofWhoami := s.Team().Whoami(t.Context())
		for name, err := range map[string]error{"login": ofLogin, "whoami": ofWhoami} {
			refused := errors.Is(err, abi.ErrUnavailable) && strings.Contains(err.Error(), "does not answer like mcpd")
			if tc.valid && err != nil || !tc.valid && !refused {
				t.Errorf("%s with %s: %v", name, tc.body, err)
			}
		}
	}
}
