package login

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// No text of a login controls the terminal.
func TestPrintSessionEscapesControlCharacters(t *testing.T) {
	const hostile = "x\x1b]0;pwn\x07"
	s := api.TeamSession{URL: hostile, State: hostile, Whoami: api.Whoami{Kind: hostile, Name: hostile, Groups: []string{hostile}}}
	for _, format := range []string{"table", "name"} {
		var out bytes.Buffer
		if err := printSession(&iostreams.Streams{Out: &out}, format, s); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(out.String(), "\n", "")
		if strings.ContainsFunc(text, unicode.IsControl) || !strings.Contains(text, `x\x1b]0;pwn\x07`) {
			t.Errorf("%s: %q", format, out.String())
		}
	}
}
