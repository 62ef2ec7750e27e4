package gate

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

const (
	maxEntry = 100 // bytes of a line of an index
	minEntry = 40  // of the summary beside a long name
)

// entry is one line of an index.
func entry(p *controller.Prompt, note string) string {
	line := "- " + p.Name
	if p.LinkStatus == "dead" {
		note = " (its link is dead)" + note
	}
	if s := caption.Of([]byte(p.Summary), max(minEntry, maxEntry-len(line)-2-len(note))); s != "" {
		line += ": " + s
	}
	return line + note + "\n"
}

// index is a listing that stays below a size: entries, then names alone, then how
// many more there are.
type index struct {
	prompts *match.List
	room    int
	text    strings.Builder
}

// write lists prompts by position. Each has its summary if all fit; if not, those
// in the first half of the room have one, and the rest of the room is for names.
func (x *index) write(list []int, note func(i int) string) {
	half, halfway := 0, 0 // what stands in the first half: bytes, entries
	for n, i := range list {
		line := entry(x.prompts.At(i), note(i))
		if x.text.Len()+len(line) > x.room {
			x.crowded(list, half, halfway)
			return
		}
		x.text.WriteString(line)
		if x.text.Len() <= x.room/2 {
			half, halfway = x.text.Len(), n+1
		}
	}
}

func (x *index) crowded(list []int, half, halfway int) {
	text := x.text.String()[:half]
	x.text.Reset()
	x.text.WriteString(text + "- by name: ")
	const ending = 60
	for n, i := range list[halfway:] {
		name := x.prompts.At(i).Name
		if x.text.Len()+len(name)+2 > x.room-ending {
			x.text.WriteString(" and " + strconv.Itoa(len(list)-halfway-n) + " more, all in resources/list\n")
			return
		}
		if n > 0 {
			x.text.WriteString(", ")
		}
		x.text.WriteString(name)
	}
	x.text.WriteByte('\n')
}

// promptIndex lists all prompts.
func promptIndex(prompts *match.List, room int) string {
	list := make([]int, prompts.Len())
	for i := range list {
		list[i] = i
	}
	x := index{prompts: prompts, room: room}
	x.write(list, func(int) string { return "" })
	return strings.TrimSuffix(x.text.String(), "\n")
}

// nothingElse stands where a list of what is left would be empty.
const nothingElse = "- (nothing else)"

// remaining lists what this session has not been sent: first what was chosen and
// did not fit.
func (b *briefing) remaining() string {
	list := append([]int{}, b.later...)
	for i := range b.prompts.Len() {
		if b.size[i] == 0 && !b.done[i] && !b.sent[i] {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return nothingElse
	}
	return b.entries(list, maxIndex)
}

// entries lists prompts, those that did not fit with their size and how to read
// them.
func (b *briefing) entries(list []int, room int) string {
	x := index{prompts: b.prompts, room: room}
	sized := false
	x.write(list, func(i int) string {
		if b.size[i] == 0 {
			return ""
		}
		sized = true
		if b.size[i] == unread {
			b.size[i] = b.prompts.At(i).Bytes + 1
		}
		return " (" + strconv.Itoa(b.size[i]-1) + " bytes)"
	})
	text := strings.TrimSuffix(x.text.String(), "\n")
	if sized {
		text += "\nThose with a size did not fit: " + toolRead + "({\"tags\":[\"NAME\"]}) sends one of up to " + strconv.Itoa(b.budget) +
			" bytes; a longer one is read with a section beside tags, \"\" for its parts, \"?WORD\" to find a place, \"!\" for all of it."
	}
	return text
}
