package transform

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/section"
)

// finish prints the indexes and the line that explains how to read on. If an index
// saves too little to be worth a second call, finish returns the text that the index
// replaced: the content itself or the output of the last stage that changed it.
func finish(doc *section.Doc, original []byte, res pipeline.Result, ref string) ([]byte, flow.AnswerMeta, bool) {
	if !res.Changed {
		return nil, flow.AnswerMeta{}, false
	}
	text, meta := doc.Finish(res.Bytes, res.Marks, ref)
	if len(res.Marks) == 0 {
		return text, meta, true
	}
	instead := res.Text
	if repeatsText(res) { // the text with an index of the original below it
		instead = original
	}
	switch {
	case section.IsWorthShowing(text, instead):
		return text, meta, true
	case bytes.Equal(res.Text, original):
		return nil, flow.AnswerMeta{}, false
	}
	text, meta = doc.Finish(res.Text, nil, ref)
	return text, meta, true
}

// repeatsText reports whether an index comes with the whole text of the stage before it.
func repeatsText(res pipeline.Result) bool { return bytes.Contains(res.Bytes, res.Text) }

// keep stores the tree of a result with its original and returns both as a Doc. An
// invalid tree is dropped: the content is then read in windows.
func (t *Transformer) keep(owner flow.Scope, ref string, c flow.Content, res pipeline.Result) (*section.Doc, error) {
	first := section.First{Text: res.Bytes, Marks: res.Marks}
	hidden := isHidden(res, c.Bytes)
	tree := res.Tree
	if hidden {
		tree = withText(tree, res.Text)
	}
	doc, err := section.New(c.Bytes, tree, t.Sections)
	if err != nil {
		t.Log.Warn("sections dropped", "source", c.Source, "error", err)
		tree = abi.Tree{} // always valid
		if hidden {
			tree = withText(tree, res.Text)
		}
		doc, _ = section.New(c.Bytes, tree, t.Sections)
	}
	if !res.Changed && len(tree.Sections) == 0 {
		return doc, nil
	}
	view := content.View{Tree: tree, Text: first.Text, Marks: first.Marks, Key: viewKey(res, hidden)}
	err = t.Contents.SetView(owner, ref, view)
	return doc.WithFirst(first), err
}

// viewKey returns a hash that identifies the output of the stages.
func viewKey(res pipeline.Result, hidden bool) [32]byte {
	key := append(res.Hash[:], res.Shape[:]...)
	if hidden {
		text := sha256.Sum256(res.Text)
		key = append(key, text[:]...)
	}
	return sha256.Sum256(key)
}

// isHidden reports whether an index replaces a text that a stage wrote. That text is
// not part of the original, so it can only be read through sections.
func isHidden(res pipeline.Result, original []byte) bool {
	return len(res.Marks) > 0 && !repeatsText(res) && !bytes.Equal(res.Text, original)
}

// withText returns the tree with a derived section of the whole text, if the sections of
// the tree cover less than nine tenths of it, because the stage found no parts or
// reached a limit. Without that section the text could not be read.
func withText(tree abi.Tree, text []byte) abi.Tree {
	if topBytes(tree.Sections)*10 >= len(text)*9 {
		return tree
	}
	taken := make(map[string]bool)
	for i := range tree.Sections {
		taken[tree.Sections[i].ID] = true
	}
	id := "text"
	for n := 2; taken[id]; n++ {
		id = fmt.Sprintf("text-%d", n)
	}
	tree.Sections = append(slices.Clip(tree.Sections), abi.Section{
		Parent: -1, Kind: abi.SectionDerived, ID: id, Title: "the whole text as a stage wrote it", End: len(text), Body: text})
	return tree
}

// topBytes returns the size of the sections whose parents are groups only.
func topBytes(sections []abi.Section) (n int) {
	top := make([]bool, len(sections))
	for i := range sections {
		s := &sections[i]
		if s.Parent >= i {
			return 0 // invalid
		}
		top[i] = s.Parent < 0 || top[s.Parent] && sections[s.Parent].Kind == abi.SectionGroup
		if top[i] && s.Kind != abi.SectionGroup {
			n += s.End - s.Start
		}
	}
	return n
}
