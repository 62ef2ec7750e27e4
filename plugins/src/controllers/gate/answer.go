package gate

import (
	"slices"
	"strconv"
	"strings"
)

// vars are the values of variables after a choice.
func (b *briefing) vars() vars {
	return vars{
		varProject:   b.projectName,
		varIndex:     func() rope { return words(promptIndex(b.prompts, maxIndex)) },
		varMatched:   func() rope { return paragraphs(b.matched...) },
		varRemaining: func() rope { return words(b.remaining()) },
	}
}

func (b *briefing) projectName() rope { return words(b.c.Project()) }

// answerBegin is the answer of begin_session: critical prompts, those that match,
// the others by name, and last the names of the tools that are open now.
func (b *briefing) answerBegin() rope {
	if b.prompts.Len() == 0 {
		return paragraphs(words(b.hasNone()), words(b.openTools()))
	}
	return paragraphs(b.body(textEncouragement, true), words(b.openTools()))
}

// answerIntercept is the block before the result of a call that came first.
func (b *briefing) answerIntercept() rope {
	preamble, used := speak(b.c, textPreamble, b.vars())
	if used[varMatched] {
		b.matched = nil
	}
	return paragraphs(preamble, b.body(textEncouragement, !used[varRemaining]))
}

// answerRead is the answer of read_prompts: what is new of what matches.
func (b *briefing) answerRead() rope {
	reminder, used := speak(b.c, textReminder, b.vars())
	list := ""
	switch {
	case used[varRemaining]:
	case len(b.later) > 0:
		list = "These match too:\n" + b.entries(slices.Values(b.later), len(b.later), maxIndex)
	case len(b.matched)+len(b.again) == 0:
		list = b.noMatch()
	}
	if used[varMatched] {
		b.matched = nil
	}
	return paragraphs(b.inFull(), words(list), reminder)
}

// noMatch is what read_prompts says if no keyword found anything.
func (b *briefing) noMatch() string {
	if b.prompts.Len() == 0 {
		return b.hasNone()
	}
	rest := b.remaining()
	if rest == nothingElse {
		return "No prompt matches, and this session has been sent all of them."
	}
	return "No prompt matches. What this session has not been sent:\n" + rest
}

func (b *briefing) hasNone() string { return "Project " + b.c.Project() + " has no prompts." }

// body is a briefing with the text that closes it.
func (b *briefing) body(closing string, list bool) rope {
	end, used := speak(b.c, closing, b.vars())
	if used[varMatched] {
		b.matched = nil
	}
	rest := ""
	if list && !used[varRemaining] {
		rest = b.remaining()
	}
	return paragraphs(b.inFull(), words(rest), end)
}

// inFull is what is sent in full and what is said of the rest of what was chosen.
func (b *briefing) inFull() rope {
	parts := append([]rope{}, b.critical...)
	if len(b.due) > 0 {
		parts = append(parts, words("Priority 10, too long to be sent with this answer. Read these by section before you act:\n"+b.entries(slices.Values(b.due), len(b.due), maxDue)))
	}
	if len(b.missing) > 0 {
		parts = append(parts, words("Priority 10, and not readable now. Say so to the user before you act:\n"+b.entries(slices.Values(b.missing), len(b.missing), maxDue)))
	}
	parts = append(parts, b.matched...)
	if len(b.again) > 0 {
		parts = append(parts, words("Sent before in this session, and not again: "+b.names(b.again)+
			". A part of one is read with "+toolRead+"({\"tags\":[\"NAME\"],\"section\":\"?WORD\"})."))
	}
	return paragraphs(parts...)
}

// names lists names of prompts.
func (b *briefing) names(list []int) string {
	const most = maxAgain
	var names []string
	for _, i := range list[:min(len(list), most)] {
		names = append(names, b.prompts.Name(i))
	}
	if len(list) > most {
		names = append(names, "and "+strconv.Itoa(len(list)-most)+" more")
	}
	return strings.Join(names, ", ")
}

// openTools names what can be called now, as the client calls it: with a client
// that does not read the list again, this is where a model learns of them. What other
// controllers hide is not among them: they have tools of their own for it. Where the
// list was read since the gate has opened, it says so itself; if not, what the gate
// found there before it closed it.
func (b *briefing) openTools() string {
	var listed, all toolNames
	for t := range b.c.Tools() {
		if t.Own {
			continue
		}
		if all.add(t.Wire); !t.Hidden {
			listed.add(t.Wire)
		}
	}
	names, kept := b.c.State.Get(stateTools)
	switch {
	case b.recall && listed.text.Len() > 0:
		names = listed.String()
	case !kept: // as after a restart of the daemon
		names = all.String()
	}
	return "Tools open now: " + toolRead + ", " + toolPropose + names
}
