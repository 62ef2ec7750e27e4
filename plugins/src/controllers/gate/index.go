package gate

import (
	"iter"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

const (
	maxEntry = 100 // bytes of a line of an index
	minEntry = 40  // bytes of the summary after a long name
)

// deadLink is the note on a prompt whose link cannot be read.
const deadLink = " (its link is dead)"

// noGrant is the note on a prompt whose link has no grant on the team server.
const noGrant = " (its link is not granted: a person has to grant it on the team server)"

// formatEntry returns one line of an index.
func formatEntry(p *controller.Prompt, note string) string {
	line := "- " + p.Name
	if p.LinkStatus == "dead" && note == "" {
		note = deadLink
	}
	if s := caption.Of([]byte(p.Summary), max(minEntry, maxEntry-len(line)-2-len(note))); s != "" {
		line += ": " + s
	}
	return line + note + "\n"
}

// index is a listing with a size limit: lines with summaries, then only names,
// then the number of other prompts.
type index struct {
	prompts *match.List
	room    int
	text    strings.Builder
}

// write lists n prompts by position. If they do not all fit with a summary, those
// in the first half of the room have one and the rest of the room is for names.
func (x *index) write(list iter.Seq[int], n int, note func(i int) string) {
	half, halfway, done := 0, 0, 0 // bytes and entries in the first half of the room
	for i := range list {
		line := formatEntry(x.prompts.At(i), note(i))
		if x.text.Len()+len(line) > x.room {
			x.writeNames(list, n, half, halfway)
			return
		}
		x.text.WriteString(line)
		done++
		if x.text.Len() <= x.room/2 {
			half, halfway = x.text.Len(), done
		}
	}
}

// writeNames keeps the first half and continues with names.
func (x *index) writeNames(list iter.Seq[int], n, half, halfway int) {
	text := x.text.String()[:half]
	x.text.Reset()
	x.text.Grow(x.room)
	x.text.WriteString(text + "- by name: ")
	const ending = 60
	at := 0
	for i := range list {
		if at++; at <= halfway {
			continue
		}
		name := x.prompts.Name(i)
		if x.text.Len()+len(name)+2 > x.room-ending {
			x.text.WriteString(" and " + strconv.Itoa(n-at+1) + " more, all in resources/list\n")
			return
		}
		if at > halfway+1 {
			x.text.WriteString(", ")
		}
		x.text.WriteString(name)
	}
	x.text.WriteByte('\n')
}

// formatIndex returns an index of all prompts of up to room bytes.
func formatIndex(prompts *match.List, room int) string {
	x := index{prompts: prompts, room: room}
	x.write(upTo(prompts.Len()), prompts.Len(), func(int) string { return "" })
	return strings.TrimSuffix(x.text.String(), "\n")
}

// upTo iterates over the numbers below n.
func upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

// nothingElse replaces an empty list of remaining prompts.
const nothingElse = "- (nothing else)"

// listRemaining lists the prompts that were not sent in this session. Chosen prompts
// that did not fit come first.
func (b *briefing) listRemaining() string {
	n := len(b.later)
	for i := range b.mention {
		if b.isUnmentioned(i) {
			n++
		}
	}
	if n == 0 {
		return nothingElse
	}
	return b.formatEntries(func(yield func(int) bool) {
		for _, i := range b.later {
			if !yield(i) {
				return
			}
		}
		for i := range b.mention {
			if b.isUnmentioned(i) && !yield(i) {
				return
			}
		}
	}, n, maxIndex)
}

// isUnmentioned reports whether neither this answer nor an earlier one mentions a prompt.
func (b *briefing) isUnmentioned(i int) bool { return b.mention[i] == notMentioned && !b.sent[i] }

// formatEntries lists n prompts. Those that did not fit have their size, and the list
// ends with how to read them.
func (b *briefing) formatEntries(list iter.Seq[int], n, room int) string {
	x := index{prompts: b.prompts, room: room}
	sized := false
	x.write(list, n, func(i int) string {
		switch b.mention[i] {
		case unreadable:
			return describeLoss(b.prompts.At(i))
		case ungranted:
			return noGrant
		case notFitting:
		default:
			return ""
		}
		n := b.sizeOf(i)
		if n == 0 { // a link that was not read yet
			return ""
		}
		sized = true
		return " (" + strconv.Itoa(n) + " bytes)"
	})
	text := strings.TrimSuffix(x.text.String(), "\n")
	if sized {
		text += "\nThose with a size did not fit: " + toolRead + "({\"tags\":[\"NAME\"]}) sends one of up to " + strconv.Itoa(b.budget) +
			" bytes; a longer one is read with a section beside tags, \"\" for its parts, \"?WORD\" to find a place, \"!\" for all of it."
	}
	return text
}

// describeLoss returns the note on a prompt that cannot be read now.
func describeLoss(p *controller.Prompt) string {
	if p.Link != "" {
		return deadLink
	}
	return " (cannot be read now)"
}

// sizeOf returns the size of a prompt that did not fit: after the stages if it was
// read, otherwise as stored.
func (b *briefing) sizeOf(i int) int {
	if n, ok := b.size[i]; ok {
		return n
	}
	return b.prompts.At(i).Bytes
}
