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

// Filled returns l with the host's default for each limit that is not set. input is the
// length of the input.
func Filled(l stage.Limits, input int) stage.Limits {
	OrElse(&l.OutputBytes, min(raw.LimitOutputFactor*input+raw.LimitOutputExtraBytes, raw.LimitOutputBytes))
	OrElse(&l.Sections, raw.LimitSections)
	OrElse(&l.MemoryBytes, raw.LimitMemoryBytes)
	OrElse(&l.LLMMillis, raw.LimitLLMMillis)
	OrElse(&l.LLMRequests, raw.LimitLLMRequests)
	return l
}
