package stagetest

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// filled is c with a value for each field that is not set.
func (c Context) filled(input int) Context {
	orElse(&c.Project, "test")
	orElse(&c.ContentType, stage.ToolResult)
	orElse(&c.Source, "server/tool")
	orElse(&c.Part.Kind, "text")
	orElse(&c.Part.Count, 1)
	orElse(&c.StagePos.Count, 1)
	orElse(&c.Limits.OutputBytes, min(raw.LimitOutputFactor*input+raw.LimitOutputExtraBytes, raw.LimitOutputBytes))
	orElse(&c.Limits.Sections, raw.LimitSections)
	orElse(&c.Limits.MemoryBytes, raw.LimitMemoryBytes)
	orElse(&c.Limits.LLMMillis, raw.LimitLLMMillis)
	orElse(&c.Limits.LLMRequests, raw.LimitLLMRequests)
	return c
}

func orElse[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// position is a place in a row, as the context has it.
type position struct {
	Kind  string `json:"kind,omitempty"`
	Index int    `json:"index"`
	Count int    `json:"count"`
}

// json is buffer 3.
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
		Limits      limits            `json:"limits"`
	}{
		"1.0", role, 0, kind, "stage", c.Project, c.ContentType, c.Source, c.MIME, c.Hint,
		position{c.Part.Kind, c.Part.Index, c.Part.Count}, position{"", c.StagePos.Index, c.StagePos.Count}, limits(c.Limits),
	})
	if err != nil {
		panic(err) // strings and numbers only
	}
	return b
}

// limits are stage.Limits as the context has them.
type limits struct {
	OutputBytes int `json:"outputBytes"`
	Sections    int `json:"sections"`
	MemoryBytes int `json:"memoryBytes"`
	LLMMillis   int `json:"llmMs"`
	LLMRequests int `json:"llmRequests"`
}
