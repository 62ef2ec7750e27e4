package transform

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// Read answers read_section from stored content; no stage runs. It implements
// proxy.Reader.
func (t *Transformer) Read(_ context.Context, scope flow.Scope, ref, path string) flow.Answer {
	doc, err := t.Doc(scope, ref)
	if err != nil {
		text := fmt.Sprintf("nothing stored under ref %q: call the tool again", ref)
		return flow.Answer{Text: []byte(text), IsError: true, Meta: flow.AnswerMeta{Ref: ref}}
	}
	return doc.Read(ref, path)
}

// Doc returns the Doc of a ref. It is cached as long as its tree is the same.
func (t *Transformer) Doc(scope flow.Scope, ref string) (*section.Doc, error) {
	version, ok := t.Contents.Touch(t.Plan.Owner(scope), ref)
	if ok {
		if doc := t.docs.get(docKey{ref, version}); doc != nil {
			return doc, nil
		}
	}
	doc, version, err := t.openDoc(scope, ref)
	if err == nil && ok { // by the version that was read: another tree may have been set since Touch
		t.docs.add(docKey{ref, version}, doc)
	}
	return doc, err
}

// openDoc returns the Doc of an original and its stored sections. Without sections, or
// if they cannot be read, the Doc consists of windows.
func (t *Transformer) openDoc(scope flow.Scope, ref string) (doc *section.Doc, version [32]byte, err error) {
	original, info, err := t.Contents.Get(t.Plan.Owner(scope), ref)
	if err != nil {
		return nil, version, err
	}
	view, version, err := t.Contents.View(t.Plan.Owner(scope), ref)
	if err == nil {
		if doc, err = section.New(original, view.Tree, t.Sections); err == nil {
			doc = doc.WithFirst(section.First{Text: view.Text, Marks: view.Marks})
			return doc.WithWrapper(info.Wrapper), version, nil
		}
	}
	doc, err = section.New(original, abi.Tree{}, t.Sections) // the zero Tree is always valid
	return doc.WithWrapper(info.Wrapper), version, err
}

// Touch keeps an original from expiring and reports whether it is stored. It implements
// proxy.Reader.
func (t *Transformer) Touch(scope flow.Scope, ref string) bool {
	_, ok := t.Contents.Touch(t.Plan.Owner(scope), ref)
	return ok
}

// Store stores a Content without running stages, for a client that reads a section of
// it. It implements proxy.Reader.
func (t *Transformer) Store(_ context.Context, scope flow.Scope, c flow.Content) (string, error) {
	return t.Contents.Put(t.Plan.Owner(scope), c.Bytes, infoOf(c))
}

// KeepUpdates stores the sections of results that a background run has completed with
// LLM answers that were missing before. It returns when the pipeline is closed.
func (t *Transformer) KeepUpdates() {
	for u := range t.Pipeline.Updates() {
		for _, scope := range u.Scopes {
			owner := t.Plan.Owner(scope)
			ref, err := t.Contents.Put(owner, u.Content.Bytes, infoOf(u.Content))
			if err == nil {
				_, err = t.keep(owner, ref, u.Content, u.Result)
			}
			if err != nil {
				t.Log.Warn("summaries not kept", "source", u.Content.Source, "error", err)
			}
		}
	}
}
