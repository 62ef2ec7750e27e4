package abi

// ContentType says which of the three things an MCP server returns a Content is.
type ContentType string

// The three content types; a ProxyModel's appliesTo chooses among them.
const (
	Prompt     ContentType = "prompt"
	ToolResult ContentType = "toolResult"
	Resource   ContentType = "resource"
)

// Part kinds: a tool result is read part by part.
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
