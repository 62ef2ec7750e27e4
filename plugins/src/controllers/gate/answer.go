package gate

import (
	"slices"
	"strconv"
	"strings"
)

// vars returns the values of template variables for this briefing.
func (b *briefing) vars() vars {
	return vars{
		varProject:   b.projectName,
		varIndex:     func() rope { return newRope(formatIndex(b.prompts, maxIndex)) },
		varMatched:   func() rope { return joinParagraphs(b.matched...) },
		varRemaining: func() rope { return newRope(b.listRemaining()) },
	}
}

func (b *briefing) projectName() rope { return newRope(b.c.Project()) }

// answerBegin returns the answer of begin_session: critical prompts, matching
// prompts, the names of the others, and the names of the tools that are now open.
func (b *briefing) answerBegin() rope {
	if b.prompts.Len() == 0 {
		return joinParagraphs(newRope(b.describeNone()), newRope(b.describeTools()))
	}
	return joinParagraphs(b.formatBody(textEncouragement, true), newRope(b.describeTools()))
}

// answerIntercept returns the block before the result of an intercepted call.
func (b *briefing) answerIntercept() rope {
	preamble, used := expandTemplate(b.c, textPreamble, b.vars())
	if used[varMatched] {
		b.matched = nil
	}
	return joinParagraphs(preamble, b.formatBody(textEncouragement, !used[varRemaining]))
}

// answerRead returns the answer of read_prompts: matching prompts that were not sent before.
func (b *briefing) answerRead() rope {
	reminder, used := expandTemplate(b.c, textReminder, b.vars())
	list := ""
	switch {
	case used[varRemaining]:
	case len(b.later) > 0:
		list = "These match too:\n" + b.formatEntries(slices.Values(b.later), len(b.later), maxIndex)
	case len(b.matched)+len(b.sentEarlier) == 0:
		list = b.describeNoMatch()
	}
	if used[varMatched] {
		b.matched = nil
	}
	return joinParagraphs(b.formatPrompts(), newRope(list), reminder)
}

// describeNoMatch returns the text of read_prompts if no keyword matches.
func (b *briefing) describeNoMatch() string {
	if b.prompts.Len() == 0 {
		return b.describeNone()
	}
	rest := b.listRemaining()
	if rest == nothingElse {
		return "No prompt matches, and this session has been sent all of them."
	}
	return "No prompt matches. What this session has not been sent:\n" + rest
}

func (b *briefing) describeNone() string { return "Project " + b.c.Project() + " has no prompts." }

// formatBody returns a briefing that ends with the template closing.
func (b *briefing) formatBody(closing string, list bool) rope {
	end, used := expandTemplate(b.c, closing, b.vars())
	if used[varMatched] {
		b.matched = nil
	}
	rest := ""
	if list && !used[varRemaining] {
		rest = b.listRemaining()
	}
	return joinParagraphs(b.formatPrompts(), newRope(rest), end)
}

// formatPrompts returns the prompts in full, and notes on chosen prompts that are not sent.
func (b *briefing) formatPrompts() rope {
	parts := append([]rope{}, b.critical...)
	if len(b.due) > 0 {
		parts = append(parts, newRope("Priority 10, too long to be sent with this answer. Read these by section before you act:\n"+b.formatEntries(slices.Values(b.due), len(b.due), maxDue)))
	}
	if len(b.missing) > 0 {
		parts = append(parts, newRope("Priority 10, and not readable now. Say so to the user before you act:\n"+b.formatEntries(slices.Values(b.missing), len(b.missing), maxDue)))
	}
	parts = append(parts, b.matched...)
	if len(b.sentEarlier) > 0 {
		parts = append(parts, newRope("Sent before in this session, and not again: "+b.joinNames(b.sentEarlier)+
			". A part of one is read with "+toolRead+"({\"tags\":[\"NAME\"],\"section\":\"?WORD\"})."))
	}
	return joinParagraphs(parts...)
}

// joinNames joins the names of prompts, up to maxAgain of them.
func (b *briefing) joinNames(list []int) string {
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

// describeTools returns the names of the tools that are callable now, as the client
// calls them. A client that does not reload the list of tools learns them only
// here. Tools that other controllers hide are left out. The names come from the
// list if it was read since the gate opened, otherwise from the state saved when
// the gate hid the tools.
func (b *briefing) describeTools() string {
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
	case b.listSent && listed.text.Len() > 0:
		names = listed.String()
	case !kept: // e.g. after a restart of the daemon
		names = all.String()
	}
	return "Tools open now: " + toolRead + ", " + toolPropose + names
}
