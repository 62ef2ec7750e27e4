package stagetest_test

import (
	"errors"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// The host refuses such a string because it has no UTF-8.
func TestHalfOfASurrogatePairIsNotDecoded(t *testing.T) {
	for literal, refused := range map[string]bool{
		`"\ud83d\ude00!"`: false, `"\\ud800"`: false, `"\u00e9\n\""`: false, `"\ufffd"`: false,
		`"\ud800"`: true, `"\ude00"`: true, `"\ud800x"`: true, `"\ud800\n"`: true, `"\ud800\ud800"`: true, `"a\ud83d\u0041"`: true,
	} {
		pass(t, stagetest.Call{Input: literal}, func(c *stage.Ctx) {
			_, byPlace := c.Input.JSON().Text(stage.Span{Start: 0, End: len(literal)})
			_, byPointer := c.Input.JSON().Get("")
			if errors.Is(byPlace, stage.BadArg) != refused || errors.Is(byPointer, stage.BadArg) != refused {
				t.Errorf("%s: %v, %v, refused %t", literal, byPlace, byPointer, refused)
			}
		})
	}
}
