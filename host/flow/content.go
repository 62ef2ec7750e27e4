package flow

import (
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Scope identifies the client of a request. Stored content is keyed by Project
// and Subject. Session is opaque below host/proxy and never part of a stored
// key: a client that lost its session can still read the refs in its context.
type Scope struct {
	Project string
	Subject string
	Session string
}

// Content is one prompt, tool result part or resource on its way to the client.
type Content struct {
	Type   abi.ContentType
	Source string // prompt name, "server/tool" or URI
	MIME   string // as the server declared it; may be empty
	Hint   string // path or URI among the call's arguments; may be empty
	Part   abi.Part

	// Arguments are those of the call as a JSON object, empty if there are none. They are
	// not yet filtered, and may contain credentials.
	Arguments []byte

	Bytes []byte // valid UTF-8; read-only

	// Wrapper is the key under which structuredContent held the text, if that was all
	// of it. Paths may begin with it.
	Wrapper string

	OnlyFilters bool // run no stage: the text of a failing tool or an error
	Filtered    bool // the filters have already run: run the stages only
	IsPrivate   bool // results of stages are not shared with a team

	// LLMWaited is the time that earlier parts of the same result have spent
	// waiting for an LLM.
	LLMWaited time.Duration
}

// Shown is the text that the client reads in place of one Content.
type Shown struct {
	Changed bool   // false: forward the Content unchanged
	Blocked string // if not empty, a filter withheld the Content; the text of the error result
	Text    []byte // the text for the model, if Changed
	Ref     string // names the stored Original; empty if it could not be stored
	Meta    AnswerMeta
	Tokens  int // estimated tokens of the Content; 0 if not counted
	// Final reports whether the same Content always yields the same text until
	// the configuration changes: nothing failed and no LLM answer is missing.
	Final bool
	Run   RunReport
	// LLMWaited is Content.LLMWaited plus the time that its own steps waited.
	LLMWaited time.Duration
}
