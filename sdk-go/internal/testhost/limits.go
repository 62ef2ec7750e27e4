package testhost

import (
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Limits are stage.Limits in the JSON of the context.
type Limits struct {
	OutputBytes int `json:"outputBytes"`
	Sections    int `json:"sections"`
	MemoryBytes int `json:"memoryBytes"`
	LLMMillis   int `json:"llmMs"`
	LLMRequests int `json:"llmRequests"`
}

// WithDefaults returns l with the host's default for each limit that is not set. input is the
// length of the input.
func WithDefaults(l stage.Limits, input int) stage.Limits {
	SetDefault(&l.OutputBytes, min(raw.LimitOutputFactor*input+raw.LimitOutputExtraBytes, raw.LimitOutputBytes))
	SetDefault(&l.Sections, raw.LimitSections)
	SetDefault(&l.MemoryBytes, raw.LimitMemoryBytes)
	SetDefault(&l.LLMMillis, raw.LimitLLMMillis)
	SetDefault(&l.LLMRequests, raw.LimitLLMRequests)
	return l
}
