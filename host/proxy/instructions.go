package proxy

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/proxy/greeting"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// ownInstructions returns the text that mcpctl adds to the instructions: the rules that
// no gate sends, and the texts of controllers, over which filters run as over a prompt
// with the name "instructions". If it panics, the session starts without the text.
func (o opening) ownInstructions(ctx context.Context) (text string) {
	var failed error
	defer o.recovered(o.req.Method, &failed)
	text = o.rules(ctx)
	if !o.isSteered() || !o.steering.Wants(abi.OnInitialize) {
		return text
	}
	added, reports := o.steering.Initialize(ctx, o.req.Params)
	o.req.event.Hooks = append(o.req.event.Hooks, reports...)
	if len(added) == 0 {
		return text
	}
	filtered := o.display.filterTexts(ctx, o.req, result.Source{Type: abi.Prompt, Name: "instructions"}, [][]byte{added})[0]
	return strings.TrimSpace(text + "\n\n" + string(filtered))
}

// reservedForList is the room, in characters, for the list of rules that do not fit.
const reservedForList = 400

// rules returns the prompts that the instructions must contain, as far as a client shows
// them. Filters run over each. Rules that do not fit, or have links without a copy, are
// listed by URI.
func (o opening) rules(ctx context.Context) string {
	lib := o.index.library()
	if lib == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, steeredGreetingWait)
	defer cancel()
	var texts, unread []string
	room := o.profile.InstructionsChars - reservedForList
	for _, name := range lib.Rules(o.scope) {
		_, text, err := lib.Read(ctx, o.scope, LibraryPrefix+name)
		if err == nil && len(text) <= utf8.UTFMax*room {
			filtered := o.display.filterTexts(ctx, o.req, result.Source{Type: abi.Prompt, Name: name}, [][]byte{text})[0]
			rule := strings.TrimSpace(string(filtered))
			if n := greeting.Characters(rule) + len("\n\n"); n <= room {
				texts, room = append(texts, rule), room-n
				continue
			}
		}
		unread = append(unread, LibraryPrefix+name)
	}
	if len(unread) > 0 {
		list := "Rules to read as resources before you act: " + strings.Join(unread, ", ")
		texts = append(texts, greeting.Cut(list, reservedForList-len("\n\n")))
	}
	return strings.Join(texts, "\n\n")
}
