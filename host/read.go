package host

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
)

// Read answers read_section from what is stored: no stage runs. It implements
// proxy.Reader.
func (h *Host) Read(_ context.Context, scope abi.Scope, ref, path string) abi.Answer {
	original, _, err := h.contents.Get(scope, ref)
	if err != nil {
		text := fmt.Sprintf("nothing stored under ref %q: call the tool again", ref)
		return abi.Answer{Text: []byte(text), IsError: true, Meta: abi.AnswerMeta{Ref: ref}}
	}
	return h.doc(scope, ref, original).Read(ref, path)
}

// doc puts an original and its sections together. Without sections, or with
// some that cannot be read any more, windows serve it.
func (h *Host) doc(scope abi.Scope, ref string, original []byte) *section.Doc {
	view, err := h.contents.View(scope, ref)
	if err == nil {
		doc, err := section.New(original, view.Tree, h.settings)
		if err == nil {
			return doc.WithFirst(section.First{Text: view.Text, Marks: view.Marks})
		}
	}
	doc, _ := section.New(original, abi.Tree{}, h.settings) // the zero Tree breaks no rule
	return doc
}

// Store keeps a Content over which no stage runs, for a client that asks for a
// section of it. It implements proxy.Reader.
func (h *Host) Store(_ context.Context, scope abi.Scope, c abi.Content) (string, error) {
	return h.contents.Put(scope, c.Bytes, infoOf(c))
}
