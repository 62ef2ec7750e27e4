package stagetest

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// withDefaults returns c with defaults for all fields that are not set.
func (c Context) withDefaults(input int) Context {
	testhost.SetDefault(&c.Project, "test")
	testhost.SetDefault(&c.ContentType, stage.ToolResult)
	testhost.SetDefault(&c.Source, "server/tool")
	testhost.SetDefault(&c.Part.Kind, "text")
	testhost.SetDefault(&c.Part.Count, 1)
	testhost.SetDefault(&c.StagePos.Count, 1)
	c.Limits = testhost.WithDefaults(c.Limits, input)
	return c
}

// position is a position in the JSON of the context.
type position struct {
	Kind  string `json:"kind,omitempty"`
	Index int    `json:"index"`
	Count int    `json:"count"`
}

// json returns buffer 3.
func (c Context) json(role string) []byte {
	kind := "stage"
	if c.Filter {
		kind = "filter"
	}
	b, err := json.Marshal(struct {
		ABI         string            `json:"abi"`
		Role        string            `json:"role"`
		RoleIndex   int               `json:"roleIndex"`
		Kind        string            `json:"kind"`
		Hook        string            `json:"hook"`
		Project     string            `json:"project"`
		ContentType stage.ContentType `json:"contentType"`
		Source      string            `json:"source"`
		MIME        string            `json:"mime"`
		Hint        string            `json:"hint"`
		Part        position          `json:"part"`
		Stage       position          `json:"stage"`
		Limits      testhost.Limits   `json:"limits"`
	}{
		"1.2", role, 0, kind, "stage", c.Project, c.ContentType, c.Source, c.MIME, c.Hint,
		position{c.Part.Kind, c.Part.Index, c.Part.Count}, position{"", c.StagePos.Index, c.StagePos.Count}, testhost.Limits(c.Limits),
	})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return b
}
