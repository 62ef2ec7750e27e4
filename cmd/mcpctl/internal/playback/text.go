package playback

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/flow"
)

// answer is the part of a result that a model reads, and what mcpctl says about it.
type answer struct {
	text    []byte
	ref     string
	isError bool
}

// read reads a result of tools/call, prompts/get or resources/read: its texts, joined.
// Without a text it is the JSON of the result.
func read(r flow.Reply) (a answer) {
	if r.Result == nil {
		return answer{text: r.Error, isError: true}
	}
	var v struct {
		Content  []struct{ Text *string }
		Contents []struct{ Text *string }
		Messages []struct{ Content struct{ Text *string } }
		IsError  bool
		Meta     flow.AnswerMeta `json:"_meta"`
	}
	if json.Unmarshal(r.Result, &v) != nil { // another shape
		return answer{text: r.Result}
	}
	a.ref, a.isError = v.Meta.Ref, v.IsError
	found := false
	add := func(text *string) {
		if text != nil {
			a.text, found = append(a.text, *text...), true
		}
	}
	for _, c := range v.Content {
		add(c.Text)
	}
	for _, c := range v.Contents {
		add(c.Text)
	}
	for _, m := range v.Messages {
		add(m.Content.Text)
	}
	if !found {
		a.text = r.Result
	}
	return a
}

// hasDecoded reports whether a JSON string contains a text.
func hasDecoded(literal, text []byte) bool {
	var s string
	return json.Unmarshal(literal, &s) == nil && bytes.Contains([]byte(s), text)
}
