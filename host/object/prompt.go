package object

import (
	"strings"
)

// DefaultPriority is the priority of a Prompt that names none.
const DefaultPriority = 5

// MaxPriority is the priority of a Prompt that every session gets.
const MaxPriority = 10

// Prompt is a text that a project offers to the model.
type Prompt struct {
	header
	Spec PromptSpec
}

// PromptSpec is what a person says about a Prompt. Either Content or LinkTarget
// is set.
type PromptSpec struct {
	Priority   int // 1 to 10, default 5; 10 is always sent
	Summary    string
	Chapters   []string
	LinkTarget string // project/server:resource-uri; never changes
	Content    string
}

// PromptRequest is a Prompt that a model proposed; a person makes it a Prompt.
type PromptRequest struct {
	header
	Spec PromptRequestSpec
}

// PromptRequestSpec is what was proposed.
type PromptRequestSpec struct {
	Priority int
	Content  string
}

func (r *reader) prompt(h header, v Value) *Prompt {
	f := r.mapping(v, "")
	p := &Prompt{header: h}
	usual := DefaultPriority
	if h.key.isSystem() {
		usual = SystemPriority
	}
	p.Spec.Priority = f.integer("priority", usual, 1, 10)
	p.Spec.Summary, _ = f.str("summary")
	p.Spec.Chapters = f.strs("chapters")
	content, contentAt := f.str("content")
	p.Spec.Content = content
	link, linkAt := f.str("linkTarget")
	p.Spec.LinkTarget = link
	_, hasLink := f.v.Lookup("linkTarget")
	_, hasContent := f.v.Lookup("content")
	switch {
	case hasLink && hasContent:
		f.fail(linkAt, "linkTarget", "stands beside content, want exactly one of the two")
	case !hasLink && !hasContent:
		f.missing("content", "is missing, want exactly one of content and linkTarget")
	case hasLink && linkFault(link) != "":
		f.fail(linkAt, "linkTarget", "%s, want project/server:resource-uri", linkFault(link))
	}
	if h.key.isSystem() {
		r.systemPrompt(p, Value{At: contentAt})
	}
	f.done()
	return p
}

func (r *reader) promptRequest(h header, v Value) *PromptRequest {
	f := r.mapping(v, "")
	p := &PromptRequest{header: h}
	p.Spec.Priority = f.integer("priority", DefaultPriority, 1, 10)
	if content, ok := f.need("content"); ok && f.typed(content, "content", String) {
		p.Spec.Content = content.Text
	}
	f.done()
	return p
}

// Link splits a LinkTarget; ok is false for a Prompt that is no link.
func (p *Prompt) Link() (project, server Name, uri string, ok bool) {
	place, uri, _ := strings.Cut(p.Spec.LinkTarget, ":")
	left, right, _ := strings.Cut(place, "/")
	return Name(left), Name(right), uri, p.Spec.LinkTarget != ""
}

func linkFault(link string) string {
	place, uri, ok := strings.Cut(link, ":")
	project, server, slash := strings.Cut(place, "/")
	switch {
	case !ok || !slash:
		return "is no link"
	case nameFault(project) != "":
		return "names no project"
	case nameFault(server) != "":
		return "names no server"
	case uri == "" || strings.ContainsAny(uri, " \t\r\n"):
		return "names no resource"
	}
	return ""
}
