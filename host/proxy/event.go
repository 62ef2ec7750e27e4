package proxy

import (
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
)

// Events takes a record of every request that was answered.
//
// Implementations are safe for concurrent use and never wait.
type Events interface {
	Add(Event)
}

// Event is one request of a client and its answer.
//
// Units: bytes are of the raw JSON result (or error) as the server sent it and
// as the client got it. Tokens are estimates over the text that a model reads,
// drill-downs included.
type Event struct {
	Start    time.Time
	Duration time.Duration
	Upstream time.Duration // of these, waiting for the server that was asked
	Scope    flow.Scope
	Client   string // name and version at initialize
	Method   string
	Label    string // "server/tool", "server/prompt", URI, read_section; else empty
	Args     []byte // arguments as they came, to be measured and not to be kept

	// Of a call that controllers had a say in.
	Called      string            // what the client called, if that was rewritten; Label is where it went
	RoutedArgs  []byte            // the arguments it went there with, as Args
	Hooks       []flow.HookReport // in the order in which they ran
	BlockUnseen bool              // blocks stand beside structuredContent: the model may not have read them

	InBytes   int
	OutBytes  int
	InTokens  int
	OutTokens int

	Changed bool             // the client got something else than the server sent
	Refs    []string         // the Originals that were stored
	Run     []flow.RunReport // one for each part of the result
	Stale   []string         // servers whose last known list was served
	Code    int              // of a JSON-RPC error, else 0
	Failed  bool             // a result with isError
	Error   string           // what the client was told, if it went wrong
}
