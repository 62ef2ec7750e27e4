package flow

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
)

// Steered is the view of a session that controllers get. Its functions are safe
// for concurrent use and do not block.
type Steered struct {
	Scope    Scope
	Client   abi.HookClient // InstructionsChars is the whole budget
	Protocol string
	Tools    func() []ListedTool  // as last listed, hidden and virtual ones included
	Servers  func() []ServerState // in the order of the project
}

// SteeredCall is a tools/call as decoded, before it is routed.
type SteeredCall struct {
	ID        string
	Tool      ListedTool      // the called tool
	Client    json.RawMessage // {"name":...,"arguments":{...}} as the client sent it
	Arguments json.RawMessage // a JSON object
	Listed    bool            // the session has listed its tools
}

// CallVerdict is the decision of the call hooks.
type CallVerdict struct {
	Answer    *SteeredAnswer  // nil: route the call
	By        string          // role of the controller that answered
	Tool      string          // label or wire name of the rewritten call's tool; empty if not rewritten
	Arguments json.RawMessage // of the rewritten call
	Effects
}

// SteeredResult is the answer of a server after the filters.
type SteeredResult struct {
	Result json.RawMessage // a tools/call result, or {"error":{...}} of a JSON-RPC error
	abi.HookResult
}

// ResultVerdict is the decision of the result hooks.
type ResultVerdict struct {
	Answer *SteeredAnswer // nil: the result is unchanged
	Effects
}

// SteeredAnswer is an answer that a controller wrote.
type SteeredAnswer struct {
	Result json.RawMessage // a tools/call result
	Stages bool            // run the stages over it
}

// Effects are the changes that hooks request in addition to their answer.
type Effects struct {
	Before  [][]byte // text blocks before the result
	After   [][]byte // text blocks after the result
	Notes   []abi.Note
	Reports []HookReport
}
