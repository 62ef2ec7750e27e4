package controller

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf16"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Initialize gives what the controllers add to the instructions, in the order of
// the chain with a blank line between, within what the client shows of them.
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
		r, ran := s.ask(ctx, c, i, question{hook: abi.OnInitialize, input: params, original: params, chars: room})
		if !ran {
			continue
		}
		add(&fx, &r)
		add := cut(strings.TrimRight(string(r.out.Answer), "\n"), room, text.Len() == 0)
		if r.out.Done && add != "" {
			text.WriteString(between + add)
			left = room - units(add)
		}
	}
	return []byte(text.String()), fx.Reports
}

// units counts text as clients do.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// cut cuts text to at most limit UTF-16 units at the end of a line. Where not even
// a line fits it is cut within that, or left out.
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
