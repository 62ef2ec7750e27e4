package abi

import "time"

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

// Scope says who asks. What is stored is keyed by Project and Subject; Session
// is opaque below host/proxy and never part of a stored key, so that a client
// which lost its session can still read what its context names.
type Scope struct {
	Project string
	Subject string
	Session string
}

// Content is one prompt, tool result part or resource on its way to the client.
type Content struct {
	Type   ContentType
	Source string // prompt name, "server/tool" or URI
	MIME   string // as the server said; may be empty
	Hint   string // path or URI among the call's arguments; may be empty
	Part   Part
	Bytes  []byte // valid UTF-8; not to be modified by anyone

	OnlyFilters bool // no stage runs over it: what a failing tool says, an error
	Filtered    bool // the filters have run over it: only stages are left

	// LLMWaited is what parts of the same result before it have used of the time for
	// waiting for an LLM.
	LLMWaited time.Duration
}

// Part is the position of a Content among the parts of one result.
type Part struct {
	Kind  string `json:"kind"`
	Index int    `json:"index"`
	Count int    `json:"count"`
}

// Shown is what the client gets to read in place of one Content.
type Shown struct {
	Changed bool   // false: forward the Content exactly as it came
	Blocked string // not empty: a filter withheld the Content; this is the text of the error result
	Text    []byte // what the model reads, if Changed
	Ref     string // names the stored Original; empty if it could not be stored
	Meta    AnswerMeta
	Tokens  int // of the Content, estimated; 0 if nobody counted
	// Final: the same Content would be shown the same, now and later, until the
	// configuration changes: nothing failed, no answer of an LLM is missing.
	Final bool
	Run   RunReport
	// LLMWaited is that of the Content and what its own steps have used.
	LLMWaited time.Duration
}

// RunReport is what an event tells about one pass through the pipeline.
type RunReport struct {
	Model  string        `json:"model"`
	Type   string        `json:"type,omitempty"` // detected type, as a stage named it by meta_set("type")
	Stages []StageReport `json:"stages"`
}

// StageReport is one stage's part in a RunReport.
type StageReport struct {
	Role       string            `json:"role"`
	ModuleHash string            `json:"moduleHash,omitempty"`
	Outcome    string            `json:"outcome"` // done, pass, cached, failed, blocked
	Error      string            `json:"error,omitempty"`
	Skipped    bool              `json:"skipped,omitempty"` // it did not run: it is out of service
	Micros     int64             `json:"micros"`
	InBytes    int               `json:"inBytes"`
	OutBytes   int               `json:"outBytes"`
	Meta       map[string]string `json:"meta,omitempty"`
	Log        []LogLine         `json:"log,omitempty"`
}

// Reply is what an Upstream answered: a result or a JSON-RPC error object,
// each the raw JSON as it came. Exactly one is set.
type Reply struct {
	Result []byte
	Error  []byte
	Marks  Marks // of Result
}

// Marks are what reading a Result showed of its keys. The zero value knows
// nothing, so who needs to know searches.
type Marks struct {
	Known  bool
	Own    bool // a key at any depth may start with MetaPrefix
	Failed bool // isError is true
}

// Keys of _meta that the host adds to answers of its own. An Upstream's keys
// with this prefix are dropped, so text can never forge them.
const (
	MetaPrefix  = "mcpctl/"
	MetaKind    = "mcpctl/kind"
	MetaRef     = "mcpctl/ref"
	MetaSection = "mcpctl/section"
	MetaBytes   = "mcpctl/bytes"
	MetaOffers  = "mcpctl/offers"
	MetaLiteral = "mcpctl/literal"
)

// AnswerKind tells what an answer of the host's own is.
type AnswerKind string

// The answer kinds of read_section and of an indexed result.
const (
	AnswerIndex   AnswerKind = "index"
	AnswerLeaf    AnswerKind = "leaf"
	AnswerDecoded AnswerKind = "decoded"
	AnswerDerived AnswerKind = "derived"
	AnswerSearch  AnswerKind = "search"
)

// AnswerMeta is the _meta of an answer of ours.
//
// Units: Bytes is [start, end) in the Original, or in the decoded string; of the
// latter Literal is [start, end) in the Original, quotes included.
type AnswerMeta struct {
	Kind    AnswerKind `json:"mcpctl/kind,omitempty"`
	Ref     string     `json:"mcpctl/ref,omitempty"`
	Section string     `json:"mcpctl/section,omitempty"`
	Bytes   *[2]int    `json:"mcpctl/bytes,omitempty"`
	Offers  []string   `json:"mcpctl/offers,omitempty"`
	Literal *[2]int    `json:"mcpctl/literal,omitempty"`
}

// Answer is one answer of read_section.
type Answer struct {
	Text    []byte
	IsError bool
	Meta    AnswerMeta
}
