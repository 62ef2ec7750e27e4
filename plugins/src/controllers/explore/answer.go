package explore

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxAnswer is the limit of an answer in bytes, below the size that clients truncate.
const maxAnswer = 40_000

// answer is a bounded answer, followed by notes about its omissions.
type answer struct {
	c     *controller.Ctx
	room  int
	notes []string
	wrote bool
	err   error
}

func newAnswer(c *controller.Ctx, room int) *answer { return &answer{c: c, room: room} }

// writeText writes text of this package. It is short, so it is written even without room.
func (a *answer) writeText(s string) {
	a.room -= len(s)
	a.wrote = true
	if a.err == nil {
		_, a.err = a.c.Answer.WriteString(s)
	}
}

// writeSpan writes exact bytes. The caller has checked that there is room.
func (a *answer) writeSpan(b stage.Buf, start, end int) {
	a.room -= end - start
	a.wrote = true
	if a.err == nil {
		a.err = a.c.Answer.Span(b, start, end-start)
	}
}

// addNote adds a note about the answer.
func (a *answer) addNote(s string) {
	const most = 12
	if len(a.notes) < most {
		a.notes = append(a.notes, s)
	}
}

// close writes the notes after the answer.
func (a *answer) close() error {
	if !a.wrote {
		a.writeText("")
	}
	if a.err != nil || len(a.notes) == 0 {
		return a.err
	}
	block, err := a.c.After()
	if err != nil {
		return err
	}
	_, err = block.WriteString(strings.Join(a.notes, "\n"))
	return err
}
