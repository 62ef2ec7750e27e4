package gate

import (
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// rope is text in pieces: words of the gate, and prompts that stay in buffers of
// the host and are not copied through the guest.
type rope []piece

type piece struct {
	words string
	body  stage.Buf // if whole

	whole bool // piece is body
}

func newRope(s string) rope {
	if s == "" {
		return nil
	}
	return rope{{words: s}}
}

func quote(b stage.Buf) rope { return rope{{body: b, whole: true}} }

// joinParagraphs joins the ropes that are not empty with blank lines.
func joinParagraphs(parts ...rope) rope {
	n := 0
	for _, p := range parts {
		n += len(p) + 1
	}
	r := make(rope, 0, n)
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if len(r) > 0 {
			r = append(r, piece{words: "\n\n"})
		}
		r = append(r, p...)
	}
	return r
}

func (r rope) len() int {
	n := 0
	for _, p := range r {
		n += len(p.words) + p.body.Len()
	}
	return n
}

func (r rope) write(o controller.Out) error {
	for _, p := range r {
		if p.whole {
			if err := o.Span(p.body, 0, -1); err != nil {
				return err
			}
			continue
		}
		if _, err := o.WriteString(p.words); err != nil {
			return err
		}
	}
	return nil
}
