package abi

import (
	"context"
	"encoding/json"
)

// Hook is one of the entries of a controller.
type Hook string

// The hooks, as HookContext.Hook and a Role's Hooks name them. An export is
// called mcpctl_ and the name.
const (
	OnInitialize Hook = "on_initialize"
	OnToolsList  Hook = "on_tools_list"
	OnToolCall   Hook = "on_tool_call"
	OnToolResult Hook = "on_tool_result"
	OnClose      Hook = "on_close"
)

// HookCall is all that one hook of a controller can see.
//
// Slices are shared, not copied: neither side modifies them.
type HookCall struct {
	Context  HookContext // buffer 3
	Config   []byte      // buffer 2: canonical JSON, defaults filled in
	Input    []byte      // buffer 0
	Original []byte      // buffer 1: Input before other controllers changed it
	Name     string      // buffer 4: label, name of a virtual tool, or empty
	Session  string      // buffer 6: opaque
	Client   []byte      // buffer 7: the client's call, {"name":...,"arguments":{...}}; empty out of call hooks
	Host     HookHost    // answers the imports of mcpctl:session/v1
}

// HookContext is buffer 3 of a controller, as the guest reads it in JSON.
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

// HookClient is what is known of the client.
type HookClient struct {
	Name              string `json:"name"`
	Version           string `json:"version"`
	ListChanged       bool   `json:"listChanged"`
	StructuredOnly    bool   `json:"structuredOnly"`
	InstructionsChars int    `json:"instructionsChars"` // left for this controller
}

// CalledTool is the call that a hook is asked about.
type CalledTool struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"` // label, or name of a virtual tool
	Wire      string `json:"wire"`
	Virtual   bool   `json:"virtual"`
	Rewritten bool   `json:"rewritten"` // by a controller before
	Listed    bool   `json:"listed"`    // this session has listed its tools
	ReadOnly  bool   `json:"readOnly"`
}

// HookResult is the answer that on_tool_result is asked about.
type HookResult struct {
	IsError       bool          `json:"isError"`
	ProtocolError bool          `json:"protocolError"` // a JSON-RPC error
	AnsweredBy    string        `json:"answeredBy"`    // the server's name
	Bytes         int           `json:"bytes"`
	Contents      []HookContent `json:"contents"`
}

// HookContent is a part of the answer that was stored.
type HookContent struct {
	Ref   string `json:"ref"`
	Kind  string `json:"kind"` // PartText or PartStructured
	Index int    `json:"index"`
	Bytes int    `json:"bytes"`
	MIME  string `json:"mime"`
}

// HookHost answers what a controller asks of its session. A wasm runtime asks it
// while the hook runs; what the hook wants to change is not done here but
// returned in its HookOutput.
//
// Errors: ErrNotFound, ErrLimit, ErrConflict, ErrConfig (a bad argument) and
// ErrUnavailable become the codes of the same meaning.
// Implementations are used by one goroutine at a time.
type HookHost interface {
	// State gives a committed value of this controller in this session.
	State(key string) (value []byte, ok bool)
	// StateSize counts the committed state: its keys, and the bytes of keys and
	// values.
	StateSize() (keys, bytes int)
	// Tools gives all tools as the JSON array of ABI 8.2.
	Tools() []byte
	// Tool finds a tool by label or wire name. owner is the controller that a
	// virtual one belongs to.
	Tool(name string) (kind ToolKind, owner string, ok bool)
	// Servers gives the project's servers as the JSON array of ABI 8.2.
	Servers() []byte
	// Prompts gives the visible prompts as the JSON array of ABI 8.2.
	Prompts() []byte
	// PromptRecords gives the same prompts as records, as prompt_records does.
	PromptRecords() []byte
	// KnownPromptBody is PromptBody, not stored, if that takes no waiting.
	KnownPromptBody(name string) (body []byte, ok bool)
	// PromptBody gives a prompt's text; stored: before the project's stages.
	PromptBody(ctx context.Context, name string, stored bool) ([]byte, error)
	// ProposePrompt takes {"name","content","priority"} for review.
	ProposePrompt(ctx context.Context, proposal []byte) (id string, err error)
	// Content gives the exact bytes stored under a ref.
	Content(ref string) ([]byte, error)
	// ContentMeta gives the JSON object of ABI 8.2.
	ContentMeta(ref string) ([]byte, error)
	// Section gives what read_section would answer, an answer that something was
	// not found included.
	Section(ctx context.Context, ref, section string) ([]byte, error)
	// Yield gives up the controller's turn in the session while the hook waits for
	// an LLM; resume takes it again.
	Yield() (resume func())
}

// ToolKind says where a tool comes from.
type ToolKind string

// The kinds of tools.
const (
	ToolUpstream ToolKind = "upstream"
	ToolVirtual  ToolKind = "virtual" // a controller's
	ToolHost     ToolKind = "host"    // read_section: its calls reach no hook
)

// HookOutput is what a hook that did not fail leaves: nothing of it is in force
// before the host commits it.
type HookOutput struct {
	Done   bool   // else PASS
	Answer []byte // out_to(0): text, or a whole result if Whole; nil if not Done
	Whole  bool   // Answer is a tools/call result object in JSON, checked
	Error  bool   // the answer is isError
	Stages bool   // the answer goes through the stages

	Before [][]byte // out_to(1): text blocks before the result
	After  [][]byte // out_to(2)

	State   map[string][]byte // changed values; nil: deleted
	Hidden  []string          // tools, as they were named
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
	Tool  string // as it was named
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

// NoteMessage is the notification that is a log message: sent as far as the client
// was told of logging, which is so if a server or a controller's manifest says that
// it logs, and from the level on that the client has asked for.
const NoteMessage = "notifications/message"

// Note is a notification for the client.
type Note struct {
	Method string
	Params json.RawMessage // nil: none
}
