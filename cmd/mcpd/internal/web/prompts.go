package web

import (
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// indexed is one entry of the prompt index.
type indexed struct {
	Name     string          `json:"name"`
	Priority int64           `json:"priority"`
	Summary  string          `json:"summary"`
	Chapters json.RawMessage `json:"chapters"`
}

func (c *call) promptIndex() {
	rows := c.promptRows()
	if rows == nil {
		return
	}
	out := make([]indexed, len(rows))
	for i, p := range rows {
		out[i] = indexed{p.Name, p.Priority, p.Summary, json.RawMessage(p.Chapters)}
	}
	writeJSON(c.w, out)
}

func (c *call) prompts() {
	rows := c.promptRows()
	if rows == nil {
		return
	}
	project := c.r.PathValue("name")
	out := make([]api.Prompt, len(rows))
	for i, p := range rows {
		out[i] = api.Prompt{Name: p.Name, Project: project, Priority: int(p.Priority), Summary: p.Summary, LinkTarget: p.LinkTarget, Bytes: int(p.BodyBytes)}
		if p.LinkTarget != "" {
			out[i].LinkStatus = c.linkStatus(p.LinkTarget, p.GrantedBy)
		}
		if err := json.Unmarshal([]byte(p.Chapters), &out[i].Chapters); err != nil {
			c.refuse(err)
			return
		}
	}
	writeJSON(c.w, out)
}

// promptRows returns the prompts of a project that the caller may view, by descending
// priority, then by name. It returns nil after it has answered: with an error, or because
// the client has the current list.
func (c *call) promptRows() []store.PromptRow {
	project := object.Name(c.r.PathValue("name"))
	key := object.Key{Kind: object.KindProject, Name: project}
	if err := key.Check(); err != nil || !c.canView(key) {
		c.refuse(fmt.Errorf("%w: %s", abi.ErrNotFound, key))
		return nil
	}
	version, err := c.Store.PromptsVersion(c.ctx(), project)
	if err != nil {
		c.refuse(err)
		return nil
	}
	if c.notModified(c.tag(version)) {
		return nil
	}
	rows, err := allPrompts(c.ctx(), c.Store, project)
	if err != nil {
		c.refuse(err)
		return nil
	}
	visible := []store.PromptRow{}
	for _, p := range rows {
		if c.canView(object.Key{Kind: object.KindPrompt, Project: project, Name: object.Name(p.Name)}) {
			visible = append(visible, p)
		}
	}
	return visible
}
