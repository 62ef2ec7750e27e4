package factory

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Confirm asks a yes-or-no question on the terminal. If yes is set, it returns true
// without asking. If standard input is not a terminal, it returns an error with a hint.
func (f *Factory) Confirm(yes bool, format string, args ...any) (bool, error) {
	if yes {
		return true, nil
	}
	question := fmt.Sprintf(format, args...)
	if !f.IO.InTerminal {
		return false, problem.Usagef("the question \"%s\" requires confirmation, but standard input is not a terminal", question).WithHint("repeat the command with --yes")
	}
	fmt.Fprintf(f.IO.ErrOut, "%s [y/N] ", question)
	line, err := bufio.NewReader(f.IO.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
