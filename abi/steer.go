package abi

import "encoding/json"

// Steered is what controllers may know of a session. The functions are safe for
// concurrent use and do not wait.
type Steered struct {
	Scope    Scope
	Client   HookClient // InstructionsChars is the whole budget
	Protocol string
	Tools    func() []ListedTool  // as last listed, hidden and virtual ones included
	Servers  func() []ServerState // in the order of the project
}

// SteeredCall is a tools/call as it was decoded, before it is routed.
type SteeredCall struct {
	ID        string
	Tool      ListedTool      // what is called
	Client    json.RawMessage // {"name":...,"arguments":{...}} as the client sent it
	Arguments json.RawMessage // a JSON object
	Listed    bool            // the session has listed its tools
}

// CallVerdict is what the call hooks decided.
type CallVerdict struct {
	Answer    *SteeredAnswer  // nil: the call is routed
	By        string          // role of the controller that answered
	Tool      string          // label or wire name to route to, if it was rewritten; else empty
	Arguments json.RawMessage // of the rewritten call
	Effects
}

// SteeredResult is the answer of a server, filters have run over.
type SteeredResult struct {
	Result json.RawMessage // a tools/call result, or {"error":{...}} of a JSON-RPC error
	HookResult
}

// ResultVerdict is what the result hooks decided.
type ResultVerdict struct {
	Answer *SteeredAnswer // nil: the result stays as it is
	Effects
}

// SteeredAnswer is an answer that a controller wrote.
type SteeredAnswer struct {
	Result json.RawMessage // a tools/call result
	Stages bool            // it goes through the stages
}

// Effects is what hooks want done beside their answer.
type Effects struct {
	Before  [][]byte // text blocks before the result
	After   [][]byte
	Notes   []Note
	Reports []HookReport
}
