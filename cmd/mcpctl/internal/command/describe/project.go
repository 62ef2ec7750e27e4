package describe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// served is a project with the instructions of its sessions.
type served struct {
	api.Object
	Instructions *api.Instructions `json:"instructions,omitempty"` // nil if the project is not served
}

func project(ctx context.Context, s api.Service, opts *Options, o api.Object) error {
	v := served{Object: o}
	if i, err := s.Instructions(ctx, o.Name); err == nil {
		v.Instructions = &i
	}
	return show(opts, v, func(w io.Writer) error { return projectText(w, v) })
}

// projectText prints the parts that have their own format, then the rest.
func projectText(w io.Writer, v served) error {
	head(w, v.Object)
	rest, err := projectParts(w, v)
	if err != nil {
		return err
	}
	if err := section(w, "in force", rest); err != nil {
		return err
	}
	return section(w, "manifest", v.Manifest)
}

// projectParts prints the parts that have their own format and returns the remaining details.
func projectParts(w io.Writer, v served) (json.RawMessage, error) {
	var d api.ProjectDetails
	if err := json.Unmarshal(v.Details, &d); err != nil {
		return nil, err
	}
	gated := "no"
	switch {
	case d.Gated && len(d.Prompts) == 0:
		gated = "yes, but open until the project has prompts"
	case d.Gated:
		gated = "yes"
	case len(d.Prompts) > 0:
		gated = "no: prompts of priority 10 are in the instructions, others are resources only"
	}
	field(w, "gated", gated)
	field(w, "LLM provider", d.LLM)
	field(w, "instructions", instructions(v.Instructions))
	if d.Greeting != "" {
		block(w, "session greeting", d.Greeting)
	}
	if len(d.Prompts) > 0 {
		if err := promptTable(w, d.Prompts); err != nil {
			return nil, err
		}
	}
	d.Greeting, d.Prompts = "", nil
	if len(d.Tools) > 0 {
		fmt.Fprintln(w)
		t := iostreams.NewTable("TOOL", "NAME FOR CLIENTS")
		for _, tool := range d.Tools {
			wire := tool.Wire
			if tool.NotOffered != "" {
				wire = "(not offered: " + tool.NotOffered + ")"
			}
			t.Row(tool.Label, wire)
		}
		if err := t.Fprint(w); err != nil {
			return nil, err
		}
	}
	d.Tools = nil
	return json.Marshal(d)
}

// instructions describes the size of a session's instructions, compared with the limit of clients.
func instructions(i *api.Instructions) string {
	if i == nil {
		return ""
	}
	text := fmt.Sprintf("%s of %s characters (%s bytes), %s of them by controllers",
		printer.Count(i.Characters), printer.Count(i.Limit), printer.Count(i.Bytes), printer.Count(i.Controllers))
	if i.Cut > 0 {
		text += fmt.Sprintf("; %s more were cut off", printer.Count(i.Cut))
	}
	if len(i.Pending) > 0 {
		text += "; no answer yet: " + strings.Join(i.Pending, ", ")
	}
	return text
}
