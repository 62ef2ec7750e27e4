package web

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

func (c *call) promptIndex() {
	project, version, answered := c.promptsVersion()
	if answered {
		return
	}
	index, err := c.indexes.get(project, version, func() ([]store.PromptRow, error) { return allPrompts(c.ctx(), c.Store, project) })
	if err != nil {
		c.refuse(err)
		return
	}
	c.w.Header().Set("Content-Type", "application/json")
	_, _ = c.w.Write(index.encode(func(name object.Name) bool { // an error means that the client has disconnected
		return c.canView(object.Key{Kind: object.KindPrompt, Project: project, Name: name})
	}))
}

func (c *call) prompts() {
	project, _, answered := c.promptsVersion()
	if answered {
		return
	}
	rows, err := allPrompts(c.ctx(), c.Store, project)
	if err != nil {
		c.refuse(err)
		return
	}
	rows = slices.DeleteFunc(rows, func(p store.PromptRow) bool {
		return !c.canView(object.Key{Kind: object.KindPrompt, Project: project, Name: object.Name(p.Name)})
	})
	out := make([]api.Prompt, len(rows))
	for i, p := range rows {
		out[i] = api.Prompt{Name: p.Name, Project: string(project), Priority: int(p.Priority), Summary: p.Summary, LinkTarget: p.LinkTarget, Bytes: int(p.BodyBytes)}
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

// promptsVersion returns the project in the path and the version of its prompts. answered means
// that it has answered: with an error, or because the client has the current list.
func (c *call) promptsVersion() (project object.Name, version int64, answered bool) {
	project = object.Name(c.r.PathValue("name"))
	key := object.Key{Kind: object.KindProject, Name: project}
	if err := key.Check(); err != nil || !c.canView(key) {
		c.refuse(fmt.Errorf("%w: %s", abi.ErrNotFound, key))
		return "", 0, true
	}
	version, err := c.Store.PromptsVersion(c.ctx(), project)
	if err != nil {
		c.refuse(err)
		return "", 0, true
	}
	if version == 0 && project != object.SystemProject {
		if _, err := c.Store.Get(c.ctx(), key); err != nil { // a project that does not exist
			c.refuse(err)
			return "", 0, true
		}
	}
	return project, version, c.notModified(c.tag(version))
}
