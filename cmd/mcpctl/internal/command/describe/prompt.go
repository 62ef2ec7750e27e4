package describe

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// promptText prints a prompt or a promptrequest, with its content last.
func promptText(w io.Writer, o api.Object) error {
	var m struct {
		Spec struct {
			Priority int
			Content  string
		}
	}
	if err := json.Unmarshal(o.Manifest, &m); err != nil {
		return err
	}
	field(w, "project", o.Project)
	field(w, "priority", strconv.Itoa(m.Spec.Priority))
	if len(o.Details) > 0 {
		var p struct {
			api.Prompt
			api.RequestDetails
		}
		if err := json.Unmarshal(o.Details, &p); err != nil {
			return err
		}
		field(w, "summary", p.Summary)
		field(w, "chapters", strings.Join(p.Chapters, ", "))
		field(w, "reaches", sessions(p.Delivery))
		field(w, "link", p.LinkTarget)
		field(w, "status", p.LinkStatus)
		field(w, "replaces", p.Replaces)
	}
	if o.Kind == "promptrequest" {
		field(w, "next", "mcpctl approve promptrequest "+o.Name+" --project "+o.Project)
	}
	if m.Spec.Content != "" {
		block(w, "content", m.Spec.Content)
	}
	return nil
}

// sessions describes how a prompt reaches sessions.
func sessions(delivery string) string {
	if delivery == "" {
		return ""
	}
	return "sessions " + delivery
}

// block prints a multi-line text below a title.
func block(w io.Writer, title, text string) {
	fmt.Fprintf(w, "\n%s:\n", title)
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "  %s\n", iostreams.Line(strings.TrimRight(line, "\r\n")))
	}
}

// promptTable prints the prompts of a project.
func promptTable(w io.Writer, prompts []api.Prompt) error {
	fmt.Fprint(w, "\nprompts:\n")
	t := iostreams.NewTable("NAME", "PRIORITY", "TYPE", "LINK")
	for _, p := range prompts {
		kind := "local"
		if p.LinkTarget != "" {
			kind = "link"
		}
		t.Row(p.Name, strconv.Itoa(p.Priority), kind, p.LinkTarget)
	}
	var b strings.Builder
	if err := t.Fprint(&b); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		fmt.Fprintf(w, "  %s", line)
	}
	return nil
}
