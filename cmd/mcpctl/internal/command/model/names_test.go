package model

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// Names that a client would refuse are found
func TestNamesOfToolsFitTheClient(t *testing.T) {
	fits := api.Tool{Label: "s/t", Wire: strings.Repeat("t", maxWireName-len("mcp__home__"))}
	long := api.Tool{Label: "s/u", Wire: fits.Wire + "t"}
	if got := namesOfProject("home", []api.Tool{fits}); len(got) != 1 || got[0].Err != nil {
		t.Errorf("64 characters: %+v", got)
	}
	if got := namesOfProject("home", []api.Tool{fits, long}); len(got) != 1 || got[0].Err == nil || !strings.Contains(got[0].Err.Error(), "65 characters, limit 64") {
		t.Errorf("65 characters: %+v", got)
	}
	if got := namesOfProject("home", nil); got != nil {
		t.Errorf("nothing was listed: %+v", got)
	}
}
