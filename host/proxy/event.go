package proxy

import (
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/result"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// Events receives a record of every answered request.
//
// Implementations are safe for concurrent use and do not block.
type Events interface {
	Add(Event)
	// AddSession records that a session was opened. ended is empty, or why it ended.
	AddSession(s SessionInfo, ended string)
}

// SessionInfo describes a session.
type SessionInfo struct {
	Scope  flow.Scope
	Client string // name and version at initialize
	Opened time.Time

	AllTools bool // its lists show all tools at once, because the client is known to ignore list_changed
}

// Event is one request of a client and its answer.
//
// Bytes are of the raw JSON result (or error), as the server sent it and as the client
// got it. Tokens are estimates for the text that a model reads, including drill-downs.
type Event struct {
	Request  uint64 // a number of this process
	Start    time.Time
	Duration time.Duration
	Upstream time.Duration // the part of Duration that was spent waiting for servers
	Scope    flow.Scope
	Client   string // name and version at initialize
	Method   string
	Label    string // "server/tool", "server/prompt", URI, read_section; otherwise empty
	Args     []byte // arguments as they came; to be measured, not stored

	// Of a call that passed controllers.
	Called      string            // the called tool, if a controller rewrote the call; Label is the new one
	RoutedArgs  []byte            // the arguments of the rewritten call, as Args
	Hooks       []flow.HookReport // in the order in which they ran
	BlockUnseen bool              // blocks are beside structuredContent: the model may not have read them

	ListIgnored bool // the client has not read its tools again while the answer waited for that

	InBytes   int
	OutBytes  int
	InTokens  int
	OutTokens int

	Changed bool             // the client got a different result than the server sent
	Refs    []string         // of the stored Originals
	Run     []flow.RunReport // one for each part of the result
	Stale   []string         // servers whose last known list was served
	Section string           // that was read
	Range   *[2]int          // the bytes of the first of Refs that were read
	Shown   []string         // refs of the texts that the client got; set by the Reviewer
	Hold    Hold             // set by the Reviewer
	Code    int              // of a JSON-RPC error, otherwise 0
	Failed  bool             // a result with isError
	Error   string           // the error as the client got it
}

// Hold describes the time for which an answer was held. ID is 0 if it was not.
type Hold struct {
	ID      uint64
	Waited  time.Duration
	Outcome string
}

// addReply records a reply of a server.
func (e *Event) addReply(reply flow.Reply, waited time.Duration) {
	e.Upstream += waited
	e.InBytes += len(reply.Result) + len(reply.Error)
}

// addSection records a drill-down, whose text the model reads.
func (e *Event) addSection(answer flow.Reply) {
	e.OutTokens = abi.EstimateTokens([]byte(result.FirstText(answer.Result)))
	meta := result.ReadMeta(answer.Result)
	if meta.Ref == "" {
		return
	}
	e.Section = meta.Section
	switch {
	case meta.Kind != flow.AnswerLeaf && meta.Kind != flow.AnswerDecoded: // the client got lines about the section
	case meta.Literal != nil: // the range is in a decoded string; the original has its literal
		e.Range = meta.Literal
	default:
		e.Range = meta.Bytes
	}
	e.Refs = slices.DeleteFunc(slices.Clone(e.Refs), func(ref string) bool { return ref == meta.Ref })
	e.Refs = slices.Insert(e.Refs, 0, meta.Ref)
}

// addView records how a result was shown.
func (e *Event) addView(r view.Result) {
	e.Changed, e.Refs, e.Run = r.Changed, r.Refs, r.Reports
	e.InTokens, e.OutTokens = r.Before, r.After
	if r.Blocked != "" {
		e.Failed, e.Error = true, r.Blocked
	}
}

// finish records the answer to the request.
func (e *Event) finish(params []byte, reply flow.Reply, err error) {
	e.Args = argumentsOf(params)
	e.OutBytes = len(reply.Result) + len(reply.Error)
	e.Failed = e.Failed || e.Method == "tools/call" && result.IsError(reply)
	switch {
	case err != nil:
		object := errorObject(err)
		e.Code, e.Error = object.Code, object.Message
	case reply.Error != nil:
		object := jsonrpc.ReadError(reply.Error)
		e.Code, e.Error = object.Code, object.Message
	}
}

// clean removes a server's secrets from the errors of the event: a controller or a
// stage that fails may quote the server's answer.
func (e *Event) clean(c cleaner) {
	e.Error = c.Clean(e.Error)
	e.Hooks = slices.Clone(e.Hooks)
	for i := range e.Hooks {
		e.Hooks[i].Error = c.Clean(e.Hooks[i].Error)
	}
	e.Run = slices.Clone(e.Run)
	for i := range e.Run {
		e.Run[i].Stages = slices.Clone(e.Run[i].Stages) // others may keep the reports
		for j := range e.Run[i].Stages {
			e.Run[i].Stages[j].Error = c.Clean(e.Run[i].Stages[j].Error)
		}
	}
}

// argumentsOf returns the arguments in params, nil if there are none.
func argumentsOf(params []byte) []byte {
	m, ok := jsonspan.Lookup(params, "/arguments")
	if !ok {
		return nil
	}
	return params[m.Start:m.End]
}
