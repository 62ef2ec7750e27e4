package object

import (
	"strings"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// DefaultPriority is the priority of a Prompt that does not set one.
const DefaultPriority = 5

// MaxPriority is the priority of a Prompt that every session receives.
const MaxPriority = 10

// Prompt is a text that a project offers to the model.
type Prompt struct {
	header
	Spec PromptSpec
}

// PromptSpec is the configuration of a Prompt. Exactly one of Content and LinkTarget is set.
type PromptSpec struct {
	Priority   int // 1 to 10, default 5; 10 is always sent
	Summary    string
	Chapters   []string
	LinkTarget string // project/server:resource-uri; cannot be changed
	Content    string
}

// PromptRequest is a Prompt that a model proposed. A user can approve it as a Prompt.
type PromptRequest struct {
	header
	Spec PromptRequestSpec
}

// PromptRequestSpec is the proposal.
type PromptRequestSpec struct {
	Priority int
	Content  string
}

func readPrompt(m *strictyaml.Mapping, h header) *Prompt {
	p := &Prompt{header: h}
	priority := DefaultPriority
	if h.key.isSystem() {
		priority = SystemPriority
	}
	p.Spec.Priority = m.Int("priority", priority, 1, 10)
	p.Spec.Summary, _ = m.Text("summary")
	p.Spec.Chapters = m.Texts("chapters")
	content, contentAt := m.Text("content")
	p.Spec.Content = content
	link, linkAt := m.Text("linkTarget")
	p.Spec.LinkTarget = link
	_, hasLink := m.Value().Lookup("linkTarget")
	_, hasContent := m.Value().Lookup("content")
	switch {
	case hasLink && hasContent:
		m.Fail(linkAt, "linkTarget", "is set together with content, want exactly one of the two")
	case !hasLink && !hasContent:
		m.Missing("content", "is missing, want exactly one of content and linkTarget")
	case hasLink && linkFault(link) != "":
		m.Fail(linkAt, "linkTarget", "%s, want project/server:resource-uri", linkFault(link))
	}
	if h.key.isSystem() {
		checkSystemPrompt(m, p, contentAt)
	}
	m.Done()
	return p
}

func readPromptRequest(m *strictyaml.Mapping, h header) *PromptRequest {
	p := &PromptRequest{header: h}
	p.Spec.Priority = m.Int("priority", DefaultPriority, 1, 10)
	if content, ok := m.Need("content"); ok && m.HasType(content, "content", strictyaml.String) {
		p.Spec.Content = content.Text
	}
	m.Done()
	return p
}

// Link returns the parts of LinkTarget. ok is false if the Prompt is not a link.
func (p *Prompt) Link() (project, server Name, uri string, ok bool) {
	place, uri, _ := strings.Cut(p.Spec.LinkTarget, ":")
	left, right, _ := strings.Cut(place, "/")
	return Name(left), Name(right), uri, p.Spec.LinkTarget != ""
}

// LinkAt returns the position of LinkTarget.
func (p *Prompt) LinkAt() strictyaml.Position { return p.src.Find(p.at, p.Spec.LinkTarget) }

// CheckChange returns an error if o must not replace old: the LinkTarget of a Prompt
// cannot be changed, because each link needs its own grant. old may be nil.
func CheckChange(o, old Object) *strictyaml.FieldError {
	now, _ := o.(*Prompt)
	before, _ := old.(*Prompt)
	if now == nil || before == nil || before.Spec.LinkTarget == now.Spec.LinkTarget {
		return nil
	}
	e := o.Errorf(o.At(), "linkTarget", "cannot be changed, delete the prompt and create it again")
	e.Hint = "mcpctl delete prompt " + string(now.key.Name) + " --project " + string(now.key.Project)
	return e
}

// linkFault returns the reason why a text is not a link, or "".
func linkFault(link string) string {
	place, uri, ok := strings.Cut(link, ":")
	project, server, slash := strings.Cut(place, "/")
	switch {
	case !ok || !slash:
		return "is not a link"
	case nameFault(project) != "":
		return "has no valid project"
	case nameFault(server) != "":
		return "has no valid server"
	case uri == "" || strings.ContainsAny(uri, " \t\r\n"):
		return "has no valid resource"
	}
	return ""
}

func (s PromptSpec) fields() strictyaml.Builder {
	b := strictyaml.Builder{}.Add("priority", strictyaml.NewInt(s.Priority))
	b = b.AddIf(s.Summary != "", "summary", strictyaml.NewText(s.Summary))
	b = b.AddIf(len(s.Chapters) > 0, "chapters", strictyaml.NewTexts(s.Chapters))
	if s.LinkTarget != "" {
		return b.Add("linkTarget", strictyaml.NewText(s.LinkTarget))
	}
	return b.Add("content", strictyaml.NewText(s.Content))
}

func (s PromptRequestSpec) fields() strictyaml.Builder {
	return strictyaml.Builder{}.Add("priority", strictyaml.NewInt(s.Priority)).Add("content", strictyaml.NewText(s.Content))
}

// Approved returns the Prompt that a PromptRequest proposes.
//
// It returns strictyaml.Errors if no Prompt can have its name or its text.
func (p *PromptRequest) Approved() (*Prompt, error) {
	key := p.key
	key.Kind = KindPrompt
	prompt := &Prompt{header: header{key: key}, Spec: PromptSpec{Priority: p.Spec.Priority, Content: p.Spec.Content}}
	text, err := EncodeJSON(prompt)
	if err != nil {
		return nil, err
	}
	objects, _, err := Decode(key.String(), text)
	if err != nil {
		return nil, err
	}
	return objects[0].(*Prompt), nil
}
