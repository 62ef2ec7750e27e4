// Command kit is the guest of the conformance kit in Go. The README of abi/tck
// describes the cases.
package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	stage.Register("kit", run)
	stage.Register("kit-filter", run)
	stage.Register("kit-bare", run)
}

func main() {}

// cases are the cases of a stage by name.
var cases = map[string]stage.Func{}

func run(c *stage.Ctx) error {
	name := c.String("case", "")
	if f, ok := cases[name]; ok {
		return f(c)
	}
	return stage.Fail("case %q unknown", name)
}

// writeLine writes its arguments separated by blanks, and a newline.
func writeLine(c *stage.Ctx, words ...string) error {
	_, err := c.Out.WriteString(strings.Join(words, " ") + "\n")
	return err
}

// writeSpan writes bytes of a buffer and a newline.
func writeSpan(c *stage.Ctx, b stage.Buf, off, n int) error {
	if err := c.Out.Span(b, off, n); err != nil {
		return err
	}
	return writeLine(c)
}

// formatFate returns "ok" or the code of an error.
func formatFate(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, stage.NotFound):
		return "-1"
	}
	var refused *stage.Error
	if errors.As(err, &refused) && refused.Text != "" {
		return strconv.Itoa(int(refused.Code)) + " said"
	}
	var code stage.Code
	if errors.As(err, &code) {
		return strconv.Itoa(int(code))
	}
	return err.Error()
}

// formatThousandths returns a float in thousandths.
func formatThousandths(v float64) string { return strconv.Itoa(int(v * 1000)) }

func formatInt(n int) string { return strconv.Itoa(n) }

func formatBool(v bool) string { return strconv.FormatBool(v) }
