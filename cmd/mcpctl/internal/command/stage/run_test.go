package stage

import (
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// The result of a stage cannot control a terminal. A pipe gets its bytes unchanged.
func TestResultIsEscapedOnATerminal(t *testing.T) {
	const text = "a\tb\r\n\x1b[31mred\x1b]0;title\a ä\xff\n"
	for _, tt := range []struct {
		terminal bool
		want     string
	}{
		{false, text},
		{true, "a\tb\\x0d\n\\x1b[31mred\\x1b]0;title\\x07 ä\\xff\n"},
	} {
		io, _, out, _ := iostreams.Test()
		io.OutTerminal = tt.terminal
		if err := writeResult(io, []byte(text)); err != nil || out.String() != tt.want {
			t.Errorf("terminal %v: %q, %v; want %q", tt.terminal, out, err, tt.want)
		}
	}
}
