package controller

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf16"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Initialize runs on_initialize in chain order and returns the texts that the
// controllers add to the instructions, separated by blank lines. The total is at
// most InstructionsChars of the client, which ignores the rest.
func (s *Session) Initialize(ctx context.Context, params json.RawMessage) ([]byte, []flow.HookReport) {
	var text strings.Builder
	var fx flow.Effects
	c, left := s.chain(ctx), s.about.Client.InstructionsChars
	for i := range c.members {
		between := ""
		if text.Len() > 0 {
			between = "\n\n"
		}
		room := max(0, left-len(between))
		r, ran := s.runHook(ctx, c, i, hookInput{hook: abi.OnInitialize, input: params, original: params, chars: room})
		if !ran {
			continue
		}
		addEffects(&fx, &r)
		add := cut(strings.TrimRight(string(r.out.Answer), "\n"), room, text.Len() == 0)
		if r.out.Done && add != "" {
			text.WriteString(between + add)
			left = room - countUnits(add)
		}
	}
	return []byte(text.String()), fx.Reports
}

// countUnits returns the length of text in UTF-16 units, the way clients count.
func countUnits(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// cut returns a prefix of text of at most limit UTF-16 units that ends at a line end.
// If the first line does not fit, cut returns a part of that line if within is true,
// otherwise "".
func cut(text string, limit int, within bool) string {
	n := 0
	for i, r := range text {
		if n += utf16.RuneLen(r); n <= limit {
			continue
		}
		line := strings.LastIndexByte(text[:i+1], '\n')
		if line < 0 && within {
			return text[:i]
		}
		return strings.TrimRight(text[:max(0, line)], "\n")
	}
	return text
}
