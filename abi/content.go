package abi

// ContentType is the kind of MCP result that a Content comes from.
type ContentType string

// The content types. A ProxyModel's appliesTo selects some of them.
const (
	Prompt     ContentType = "prompt"
	ToolResult ContentType = "toolResult"
	Resource   ContentType = "resource"
)

// The kinds of parts of a tool result, which is processed part by part.
const (
	PartText       = "text"       // one text block; Content.Bytes is its decoded string
	PartStructured = "structured" // structuredContent; Content.Bytes is the raw JSON value as received
)

// Part is the position of a Content among the parts of one result.
type Part struct {
	Kind  string `json:"kind"`
	Index int    `json:"index"`
	Count int    `json:"count"`
}
