package stage

import (
	"slices"
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// ContentType is the type of the content.
type ContentType string

// The content types.
const (
	Prompt     ContentType = "prompt"
	ToolResult ContentType = "toolResult"
	Resource   ContentType = "resource"
)

// Part is the position of the content among the parts of one result.
//
// Kind is "text", or "structured" if the content is the JSON value of
// structuredContent.
type Part struct {
	Kind         string
	Index, Count int
}

// Position is the position of the stage in the pipeline.
type Position struct{ Index, Count int }

// Limits are the limits of this call.
type Limits struct {
	OutputBytes int
	Sections    int
	MemoryBytes int
	LLMMillis   int // total of all waits
	LLMRequests int
}

// Role returns the name of the role.
func (c *Base) Role() string { return c.contextString("/role") }

// Project returns the name of the project.
func (c *Base) Project() string { return c.contextString("/project") }

// ContentType returns the type of the content.
func (c *Ctx) ContentType() ContentType { return ContentType(c.contextString("/contentType")) }

// Source returns the prompt's name, "server/tool" or the resource's URI.
func (c *Ctx) Source() string { return Buf{raw.BufName, c.call}.String() }

// MIME returns the media type from the server, which may be empty.
func (c *Ctx) MIME() string { return c.contextString("/mime") }

// Hint returns a path or URI among the arguments of the call, which often reveals
// the content's type. It may be empty.
func (c *Ctx) Hint() string { return c.contextString("/hint") }

// Part returns the position of the content among the parts of the result.
func (c *Ctx) Part() Part {
	return Part{c.contextString("/part/kind"), c.contextInt("/part/index"), c.contextInt("/part/count")}
}

// StagePos returns the position of the stage in the pipeline.
func (c *Ctx) StagePos() Position {
	return Position{c.contextInt("/stage/index"), c.contextInt("/stage/count")}
}

// Limits returns the limits of this call.
func (c *Base) Limits() Limits {
	return Limits{
		OutputBytes: c.contextInt("/limits/outputBytes"),
		Sections:    c.contextInt("/limits/sections"),
		MemoryBytes: c.contextInt("/limits/memoryBytes"),
		LLMMillis:   c.contextInt("/limits/llmMs"),
		LLMRequests: c.contextInt("/limits/llmRequests"),
	}
}

// contextString returns a field of the context, or "" if the host does not set it.
func (c *Base) contextString(pointer string) string {
	at, kind, err := c.Context.JSON().Span(pointer)
	if err != nil || kind != KindString || at.End-at.Start <= len(`""`) {
		return ""
	}
	literal := make([]byte, at.End-at.Start-len(`""`)) // read as it is, which saves two of four calls of the host
	if n, err := c.Context.read(literal, at.Start+1); err != nil || n != len(literal) || slices.Contains(literal, '\\') {
		s, _ := c.Context.JSON().String(pointer)
		return s
	}
	return unsafe.String(unsafe.SliceData(literal), len(literal))
}

func (c *Base) contextInt(pointer string) int {
	var v int64
	raw.JSONI64(raw.BufContext, pointer, unsafe.Pointer(&v))
	return int(v)
}
