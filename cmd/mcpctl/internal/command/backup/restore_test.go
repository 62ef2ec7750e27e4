package backup

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

func TestPrintNamesAccounts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		report   report
		out, err string
	}{
		{"dry run", report{DryRun: true, Passwords: 1, Identities: 3, TokensSkipped: 2}, "dry run, would restore 1 password, 0 API tokens, 3 identities\n", "warning: skipped 2 API tokens that"},
		{"one of each", report{Passwords: 2, Tokens: 1, Identities: 1}, "restored 2 passwords, 1 API token, 1 identity\n", ""},
		{"rows skipped", report{AccountsSkipped: 1}, "restored 0 passwords", "warning: skipped 1 row of accounts that were deleted"},
		{"no token skipped", report{Tokens: 2}, "restored 0 passwords, 2 API tokens, 0 identities\n", ""},
	} {
		s, _, out, errOut := iostreams.Test()
		(&RestoreOptions{F: &factory.Factory{IO: s}}).print(tt.report)
		if !strings.Contains(out.String(), tt.out) || !strings.Contains(errOut.String(), tt.err) || tt.err == "" && errOut.Len() > 0 {
			t.Errorf("%s: got %q, %q", tt.name, out, errOut)
		}
	}
}
