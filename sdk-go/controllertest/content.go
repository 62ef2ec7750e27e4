package controllertest

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Content is stored content of a project and subject.
type Content struct {
	Ref         string // empty means Ref(Text)
	Text        string
	Source      string            // empty means "server/tool"
	ContentType stage.ContentType // empty means toolResult
	MIME        string
}

// Ref returns the ref of a text that a Session stores, which has 16 characters.
func Ref(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// content returns the content that is stored under a ref.
func (s *Session) content(ref string) (Content, bool) {
	for _, c := range s.Contents {
		testhost.SetDefault(&c.Ref, Ref(c.Text))
		if c.Ref == ref {
			testhost.SetDefault(&c.Source, "server/tool")
			testhost.SetDefault(&c.ContentType, stage.ToolResult)
			return c, true
		}
	}
	return Content{}, false
}

// store stores the parts of a result, as the host does before the hook: the
// structured content, or otherwise each text.
func (s *Session) store(c *call, result string) controller.Result {
	var r struct {
		Content []struct {
			Type string
			Text string
		}
		StructuredContent json.RawMessage
		IsError           bool
		Error             json.RawMessage
	}
	if err := json.Unmarshal([]byte(result), &r); err != nil {
		panic("controllertest: result: " + err.Error())
	}
	server, _, _ := strings.Cut(c.tool.Name, "/")
	info := controller.Result{IsError: r.IsError, ProtocolError: r.Error != nil, AnsweredBy: server}
	keep := func(kind, text, mime string) {
		part := controller.Content{Ref: Ref(text), Kind: kind, Index: len(info.Contents), Bytes: len(text), MIME: mime}
		info.Contents = append(info.Contents, part)
		info.Bytes += len(text)
		if !slices.ContainsFunc(s.Contents, func(c Content) bool { return c.Ref == part.Ref }) {
			s.Contents = append(s.Contents, Content{Ref: part.Ref, Text: text, Source: c.tool.Name, MIME: mime})
		}
	}
	if len(r.StructuredContent) > 0 && string(r.StructuredContent) != "null" {
		keep("structured", string(r.StructuredContent), "application/json")
		return info
	}
	for _, block := range r.Content {
		if block.Type == "text" {
			keep("text", block.Text, "")
		}
	}
	return info
}

func (h *host) ContentOpen(ref string) int32 {
	c, ok := h.s.content(ref)
	if !ok {
		return h.Refuse(raw.CodeNotFound, "nothing stored under "+ref)
	}
	return h.Handle(testhost.Text([]byte(c.Text)))
}

func (h *host) ContentMeta(ref string) int32 {
	c, ok := h.s.content(ref)
	if !ok {
		return h.Refuse(raw.CodeNotFound, "nothing stored under "+ref)
	}
	lines := strings.Count(c.Text, "\n")
	if c.Text != "" && !strings.HasSuffix(c.Text, "\n") {
		lines++
	}
	return h.Handle(testhost.Text(marshal(struct {
		Ref         string            `json:"ref"`
		Source      string            `json:"source"`
		ContentType stage.ContentType `json:"contentType"`
		MIME        string            `json:"mime"`
		Bytes       int               `json:"bytes"`
		Lines       int               `json:"lines"`
		Tokens      int               `json:"tokens"`
		Sections    int               `json:"sections"`
		CreatedMs   int64             `json:"createdMs"`
	}{c.Ref, c.Source, c.ContentType, c.MIME, len(c.Text), lines, testhost.EstimateTokens([]byte(c.Text)), 0, defaultTime})))
}

func (h *host) SectionRead(ref, section string) int32 {
	c, ok := h.s.content(ref)
	if !ok {
		return h.Refuse(raw.CodeNotFound, "nothing stored under "+ref)
	}
	if h.s.Section == nil {
		return h.Handle(testhost.Text([]byte(c.Text)))
	}
	return h.Handle(testhost.Text([]byte(h.s.Section(strings.Clone(ref), strings.Clone(section)))))
}
