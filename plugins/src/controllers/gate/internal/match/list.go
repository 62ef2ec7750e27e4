package match

import (
	"iter"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// List is prompts in order. It keeps them in pieces: a guest starts with little
// memory, and one large allocation made reading 10,000 prompts take more than twice
// as long.
type List struct {
	pieces [][]controller.Prompt
	n      int
}

const inPiece = 256

// ListOf is a List of prompts.
func ListOf(prompts iter.Seq[controller.Prompt]) *List {
	l := &List{}
	for p := range prompts {
		if l.n%inPiece == 0 {
			l.pieces = append(l.pieces, make([]controller.Prompt, 0, inPiece))
		}
		last := &l.pieces[len(l.pieces)-1]
		*last = append(*last, p)
		l.n++
	}
	return l
}

// Len is the number of prompts.
func (l *List) Len() int { return l.n }

// At is a prompt by position.
func (l *List) At(i int) *controller.Prompt { return &l.pieces[i/inPiece][i%inPiece] }
