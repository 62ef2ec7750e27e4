package host

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// Read answers read_section from what is stored: no stage runs. It implements
// proxy.Reader.
func (h *Host) Read(_ context.Context, scope flow.Scope, ref, path string) flow.Answer {
	doc, err := h.doc(scope, ref)
	if err != nil {
		text := fmt.Sprintf("nothing stored under ref %q: call the tool again", ref)
		return flow.Answer{Text: []byte(text), IsError: true, Meta: flow.AnswerMeta{Ref: ref}}
	}
	return doc.Read(ref, path)
}

// doc is the Doc of a Ref as it is now, one that was read before if its tree is
// still the same.
func (h *Host) doc(scope flow.Scope, ref string) (*section.Doc, error) {
	version, ok := h.contents.Touch(h.owner(scope), ref)
	if ok {
		if doc := h.docs.get(docKey{ref, version}); doc != nil {
			return doc, nil
		}
	}
	doc, version, err := h.openDoc(scope, ref)
	if err == nil && ok { // under the version that was read: another tree may have been set since Touch
		h.docs.add(docKey{ref, version}, doc)
	}
	return doc, err
}

// openDoc puts an original and its sections together. Without sections, or with
// some that cannot be read any more, windows serve it.
func (h *Host) openDoc(scope flow.Scope, ref string) (doc *section.Doc, version [32]byte, err error) {
	original, _, err := h.contents.Get(h.owner(scope), ref)
	if err != nil {
		return nil, version, err
	}
	view, version, err := h.contents.View(h.owner(scope), ref)
	if err == nil {
		if doc, err = section.New(original, view.Tree, h.settings); err == nil {
			return doc.WithFirst(section.First{Text: view.Text, Marks: view.Marks}), version, nil
		}
	}
	doc, err = section.New(original, abi.Tree{}, h.settings) // the zero Tree breaks no rule
	return doc, version, err
}

// Store keeps a Content over which no stage runs, for a client that asks for a
// section of it. It implements proxy.Reader.
func (h *Host) Store(_ context.Context, scope flow.Scope, c flow.Content) (string, error) {
	return h.contents.Put(h.owner(scope), c.Bytes, infoOf(c))
}

// ClearOriginals drops all originals and refs, and returns how many originals there
// were. Results that were shown before go through the pipeline again.
func (h *Host) ClearOriginals() (n int, err error) {
	if !h.opts.Offline {
		n = h.contents.Clear()
		h.forgetShown()
		return n, nil
	}
	key, err := h.opts.Home.RefKey()
	if err != nil {
		return 0, err
	}
	s, err := content.Open(h.opts.Home.originals(), key, h.opts.Settings.originals())
	if err != nil {
		return 0, err
	}
	return s.Clear(), s.Close()
}

// Original gives a stored content of a project that has one subject, the user.
//
// Errors: abi.ErrNotFound, as of content.Store.
func (h *Host) Original(project, ref string) (flow.Content, error) {
	b, info, err := h.contents.Get(h.owner(flow.Scope{Project: project}), ref)
	return flow.Content{Type: info.Type, Source: info.Source, MIME: info.MIME, Hint: info.Hint, Bytes: b}, err
}
