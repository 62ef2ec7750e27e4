package abi

import (
	"context"
	"encoding/json"
)

// Hook is the name of an entry of a controller.
type Hook string

// The hooks, as in HookContext.Hook and Role.Hooks. The export of a hook is the name
// with the prefix mcpctl_.
const (
	OnInitialize Hook = "on_initialize"
	OnToolsList  Hook = "on_tools_list"
	OnToolCall   Hook = "on_tool_call"
	OnToolResult Hook = "on_tool_result"
	OnClose      Hook = "on_close"
)

// HookCall contains all values that one hook of a controller can read.
//
// Slices are shared, not copied: neither side modifies them.
type HookCall struct {
	Context  HookContext // buffer 3
	Config   []byte      // buffer 2: canonical JSON, defaults filled in
	Input    []byte      // buffer 0
	Original []byte      // buffer 1: Input before other controllers changed it
	Name     string      // buffer 4: label, name of a virtual tool, or empty
	Session  string      // buffer 6: opaque
	Client   []byte      // buffer 7: the client's call, {"name":...,"arguments":{...}}; empty outside of call hooks
	Host     HookHost    // implements the imports of mcpctl:session/v1
}

// HookContext is buffer 3 of a controller, which the guest reads as JSON.
type HookContext struct {
	ABI        string      `json:"abi"`
	Role       string      `json:"role"`
	RoleIndex  int         `json:"roleIndex"`
	Kind       RoleKind    `json:"kind"`
	Hook       Hook        `json:"hook"`
	Project    string      `json:"project"`
	Gated      bool        `json:"gated"`
	TimeMs     int64       `json:"timeMs"` // of the request, Unix; fixed for the hook
	Protocol   string      `json:"protocol"`
	Controller StagePos    `json:"controller"`
	Client     HookClient  `json:"client"`
	Call       *CalledTool `json:"call,omitempty"`   // in the two call hooks
	Result     *HookResult `json:"result,omitempty"` // in on_tool_result
	Limits     GuestLimits `json:"limits"`
}

// HookClient describes the client.
type HookClient struct {
	Name              string `json:"name"`
	Version           string `json:"version"`
	ListChanged       bool   `json:"listChanged"`
	StructuredOnly    bool   `json:"structuredOnly"`
	InstructionsChars int    `json:"instructionsChars"` // available to this controller
}

// CalledTool describes the call that a hook processes.
type CalledTool struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"` // label, or name of a virtual tool
	Wire      string `json:"wire"`
	Virtual   bool   `json:"virtual"`
	Rewritten bool   `json:"rewritten"` // by a controller before
	Listed    bool   `json:"listed"`    // this session has listed its tools
	ReadOnly  bool   `json:"readOnly"`
}

// HookResult describes the answer that on_tool_result processes.
type HookResult struct {
	IsError       bool          `json:"isError"`
	ProtocolError bool          `json:"protocolError"` // a JSON-RPC error
	AnsweredBy    string        `json:"answeredBy"`    // the server's name
	Bytes         int           `json:"bytes"`
	Contents      []HookContent `json:"contents"`
}

// HookContent describes a stored part of the answer.
type HookContent struct {
	Ref   string `json:"ref"`
	Kind  string `json:"kind"` // PartText or PartStructured
	Index int    `json:"index"`
	Bytes int    `json:"bytes"`
	MIME  string `json:"mime"`
}

// HookHost gives a controller access to its session. The Wasm runtime calls it while a
// hook runs. Changes that the hook requests are not made here; they are returned in its
// HookOutput.
//
// The errors ErrNotFound, ErrLimit, ErrConflict, ErrConfig (an invalid argument) and
// ErrUnavailable become the codes of the same meaning. A HookHost is used by one
// goroutine at a time.
type HookHost interface {
	// State returns a committed value of this controller in this session.
	State(key string) (value []byte, ok bool)
	// StateSize returns the number of keys of the committed state, and the bytes of its
	// keys and values.
	StateSize() (keys, bytes int)
	// Tools returns all tools as the JSON array of the import tools.
	Tools() []byte
	// Tool returns the kind of a tool, which is found by label or wire name, and the
	// controller that owns it if it is virtual.
	Tool(name string) (kind ToolKind, owner string, ok bool)
	// Servers returns the project's servers as the JSON array of the import servers.
	Servers() []byte
	// Prompts returns the visible prompts as the JSON array of the import prompts.
	Prompts() []byte
	// PromptRecords returns the same prompts in the format of PromptRecords.
	PromptRecords() []byte
	// KnownPromptBody returns PromptBody with stored false, if it is available without
	// waiting.
	KnownPromptBody(name string) (body []byte, ok bool)
	// PromptBody returns a prompt's text, or with stored the text before the project's
	// stages.
	PromptBody(ctx context.Context, name string, stored bool) ([]byte, error)
	// ProposePrompt stores {"name","content","priority"} for review.
	ProposePrompt(ctx context.Context, proposal []byte) (id string, err error)
	// Content returns the exact bytes stored under a ref.
	Content(ref string) ([]byte, error)
	// ContentMeta returns the JSON object of the import content_meta.
	ContentMeta(ref string) ([]byte, error)
	// Section returns the answer of read_section, also if it reports that nothing was
	// found.
	Section(ctx context.Context, ref, section string) ([]byte, error)
	// Yield lets other hooks of the controller run in the session while this hook
	// waits for an LLM. resume waits until this hook may continue.
	Yield() (resume func())
}

// ToolKind is the origin of a tool.
type ToolKind string

// The kinds of tools.
const (
	ToolUpstream ToolKind = "upstream"
	ToolVirtual  ToolKind = "virtual" // added by a controller
	ToolHost     ToolKind = "host"    // read_section: its calls reach no hook
)

// HookOutput is the result of a hook that did not fail. No part of it takes effect
// until the host commits it.
type HookOutput struct {
	Done   bool   // false: PASS
	Answer []byte // out_to(0): text, or a whole result if Whole; nil if not Done
	Whole  bool   // Answer is a tools/call result object in JSON, checked
	Error  bool   // the answer is isError
	Stages bool   // the answer goes through the stages

	Before [][]byte // out_to(1): text blocks before the result
	After  [][]byte // out_to(2)

	State   map[string][]byte // changed values; nil: deleted
	Hidden  []string          // tools, by the names that the hook used
	Patches []ToolPatch
	Tools   []VirtualTool
	Rewrite *CallRewrite
	Notes   []Note

	Meta        map[string]string
	Log         []LogLine
	Provisional bool // an answer of an LLM was missing
	Stats       RunStats
}

// ToolPatch is a JSON merge patch of a tool's definition.
type ToolPatch struct {
	Tool  string // the name that the hook used
	Patch json.RawMessage
}

// VirtualTool is a tool that a controller answers itself.
type VirtualTool struct {
	Name       string
	Definition json.RawMessage // a checked object
}

// CallRewrite routes a call to another tool.
type CallRewrite struct {
	Tool      string          // label or wire name
	Arguments json.RawMessage // a JSON object without duplicate keys
}

// NoteMessage is the method of log messages. They are sent if logging was announced to the
// client, because a server or the manifest of a controller declares it, and only from
// the level that the client has set.
const NoteMessage = "notifications/message"

// Note is a notification for the client.
type Note struct {
	Method string
	Params json.RawMessage // nil: no params
}
