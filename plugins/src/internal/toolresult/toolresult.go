// Package toolresult parses the result of a server and writes a replacement.
package toolresult

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/jsontext"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Result is a tools/call result that is not an error.
type Result struct {
	Parts []controller.Content // stored parts: only structuredContent if the result has it
	Bytes int                  // total of the parts
	kept  []stage.Span         // blocks that are not stored: images, links
	c     *controller.Ctx
}

// Read reads the input of ToolResult. ok is false for an error and for a result with text
// that is not stored, because such text must not be removed.
func Read(c *controller.Ctx) (r Result, ok bool) {
	info := c.Result()
	if info.IsError || info.ProtocolError {
		return r, false
	}
	r.c = c
	structured, _ := c.Input.JSON().Kind("/structuredContent")
	for _, part := range info.Contents {
		if (part.Kind == "structured") == (structured == stage.KindObject) {
			r.Parts = append(r.Parts, part)
			r.Bytes += part.Bytes
		}
	}
	texts := r.readBlocks()
	if structured == stage.KindObject {
		return r, len(r.Parts) == 1
	}
	return r, len(r.Parts) > 0 && len(r.Parts) == texts
}

// readBlocks counts the stored blocks and records the others.
func (r *Result) readBlocks() (texts int) {
	j := r.c.Input.JSON()
	for i, block := range j.Each("/content") {
		at := "/content/" + strconv.Itoa(i)
		kind, _ := j.String(at + "/type")
		if _, err := j.Kind(at + "/resource/text"); kind == "text" || kind == "resource" && err == nil {
			texts++
			continue
		}
		r.kept = append(r.kept, block.Value)
	}
	return texts
}

// Tokens returns the estimated tokens of the parts.
func (r *Result) Tokens() (n int) {
	for _, part := range r.Parts {
		if b, err := r.c.OpenContent(part.Ref); err == nil {
			n += b.Tokens(0, -1)
			b.Free()
		}
	}
	return n
}

// Replace answers with a text instead of the parts. Other members of the result stay
// unchanged. meta, a JSON member, is appended to _meta; its key must not be one of the
// host. more may add Stages, so that stages process the result.
func (r *Result) Replace(text, meta string, more controller.Kind) error {
	return r.write(controller.WholeResult|more, meta, func() error {
		if err := r.writeString(`{"content":[{"type":"text","text":` + jsontext.String(text) + "}"); err != nil {
			return err
		}
		for _, block := range r.kept {
			if err := r.writeString(","); err != nil {
				return err
			}
			if err := r.c.Answer.Span(r.c.Input, block.Start, block.Len()); err != nil {
				return err
			}
		}
		return r.writeString("]")
	})
}

// Keep answers with the result, unchanged except for meta in _meta, and lets stages process it.
func (r *Result) Keep(meta string) error {
	return r.write(controller.WholeResult|controller.Stages, meta, nil)
}

func (r *Result) writeString(text string) error {
	_, err := r.c.Answer.WriteString(text)
	return err
}

// write writes the result. start, if not nil, writes a replacement for the content.
func (r *Result) write(kind controller.Kind, meta string, start func() error) error {
	if err := r.c.AnswerIs(kind); err != nil {
		return err
	}
	separator, inner := "{", ""
	if start != nil {
		if err := start(); err != nil {
			return err
		}
		separator = ","
	}
	for _, member := range r.c.Input.JSON().Each("") {
		switch key := r.readKey(member); {
		case key == "_meta":
			inner = r.readInside(member.Value)
			continue
		case start != nil && (key == "content" || key == "structuredContent"):
			continue
		}
		if err := r.writeString(separator); err != nil {
			return err
		}
		if err := r.c.Answer.Span(r.c.Input, member.Key.Start, member.Value.End-member.Key.Start); err != nil {
			return err
		}
		separator = ","
	}
	if inner != "" {
		meta = inner + "," + meta
	}
	return r.writeString(separator + `"_meta":{` + meta + "}}")
}

func (r *Result) readKey(member stage.Child) string {
	literal := make([]byte, min(member.Key.Len(), 64))
	_, _ = r.c.Input.ReadAt(literal, int64(member.Key.Start))
	return string(json.Unquote(nil, literal, 64))
}

// readInside returns the text of an object without its braces.
func (r *Result) readInside(object stage.Span) string {
	text := make([]byte, object.Len())
	_, _ = r.c.Input.ReadAt(text, int64(object.Start))
	if len(text) < 2 || text[0] != '{' {
		return ""
	}
	return strings.TrimSpace(string(text[1 : len(text)-1]))
}
