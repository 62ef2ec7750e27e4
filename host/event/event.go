// Package event stores the latest traffic events in memory and sends them to
// subscribers: `mcpctl get events`, /inspect and the web page.
//
// Ring is limited by number and bytes; writers never wait for readers. An Event
// describes a request or a change, its sizes and its duration. It does not contain
// contents, arguments or credentials; arguments are represented by their size and a
// keyed digest (Ring.Digest).
package event

import (
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Type is the type of an Event. Types are part of the JSON contract.
type Type string

// The types.
const (
	ToolCall       Type = "tool_call"       // one tools/call
	ResourceRead   Type = "resource_read"   // one resources/read
	PromptGet      Type = "prompt_get"      // one prompts/get
	SectionRead    Type = "section_read"    // one read_section
	Request        Type = "request"         // any other request of a client, named by Method
	SessionOpened  Type = "session_opened"  // a client initialized
	SessionClosed  Type = "session_closed"  // a session ended; Change.Reason is the reason
	ServerState    Type = "server_state"    // the state of an Upstream changed
	ToolChanged    Type = "tool_changed"    // a server lists a definition of a tool that is not approved; Change has both hashes
	StageReloaded  Type = "stage_reloaded"  // a module was replaced; Change has both hashes
	StageFailed    Type = "stage_failed"    // a module could not be loaded or was removed, or a stage is temporarily out of service; Change.Reason is the cause
	ConfigReloaded Type = "config_reloaded" // Objects were reloaded; Change has both revisions
	ConfigInvalid  Type = "config_invalid"  // a ProxyModel, or a project's reference to one, became invalid; Change.Reason names the replacement
	ModelSwitched  Type = "model_switched"  // a project uses another ProxyModel

	ContentOriginal    Type = "content_original"    // a server's content was stored; Refs names it
	ContentTransformed Type = "content_transformed" // the text for the client is ready; Shown names it
	ContentPaused      Type = "content_paused"      // an answer is held; Hold.ID is its hold
	ContentEdited      Type = "content_edited"      // a held answer was edited; Refs is before, Shown after
	ContentReleased    Type = "content_released"    // a held answer is sent; Hold.Outcome is the reason
)

// Types lists all types.
var Types = []Type{
	ToolCall, ResourceRead, PromptGet, SectionRead, Request, SessionOpened, SessionClosed, ServerState, ToolChanged,
	StageReloaded, StageFailed, ConfigReloaded, ConfigInvalid, ModelSwitched,
	ContentOriginal, ContentTransformed, ContentPaused, ContentEdited, ContentReleased,
}

// Event is one request or change. Events are copied by value; the data they point to
// is shared and must not be modified.
//
// The JSON form is stable: fields are added, never renamed, and empty fields are
// omitted. Sizes are bytes, durations are microseconds.
type Event struct {
	ID      uint64    `json:"id"` // set by Ring.Add; from 1, without gaps
	Type    Type      `json:"type"`
	Time    time.Time `json:"time"`              // UTC; set by Ring.Add if zero
	Request uint64    `json:"request,omitempty"` // equal for all Events of one request of a client
	Project string    `json:"project,omitempty"`
	Session string    `json:"session,omitempty"` // opaque
	Client  string    `json:"client,omitempty"`  // name and version from initialize
	Method  string    `json:"method,omitempty"`
	Server  string    `json:"server,omitempty"`
	Source  string    `json:"source,omitempty"` // server/tool, prompt name or URI

	Called     string  `json:"called,omitempty"`     // tool that the client called, if a controller rewrote the call
	RoutedArgs *Digest `json:"routedArgs,omitempty"` // arguments of the rewritten call

	Args           *Digest `json:"args,omitempty"`
	InBytes        int     `json:"inBytes,omitempty"`        // sent by the server
	InTokens       int     `json:"inTokens,omitempty"`       // estimate
	OutBytes       int     `json:"outBytes,omitempty"`       // received by the client
	OutTokens      int     `json:"outTokens,omitempty"`      // estimate
	Micros         int64   `json:"micros,omitempty"`         // from request to answer
	UpstreamMicros int64   `json:"upstreamMicros,omitempty"` // part of Micros spent waiting for the server

	Changed     bool              `json:"changed,omitempty"`     // the client's result differs from the server's
	Refs        []string          `json:"refs,omitempty"`        // stored Originals
	Shown       []string          `json:"shown,omitempty"`       // refs of the texts that the client received, if they differ from the Originals
	Hold        *Hold             `json:"hold,omitempty"`        // the answer was held
	Section     string            `json:"section,omitempty"`     // section_read
	Range       *[2]int           `json:"range,omitempty"`       // section_read: the bytes [start, end) of the Original that were read
	Runs        []flow.RunReport  `json:"runs,omitempty"`        // one for each part of the result
	Hooks       []flow.HookReport `json:"hooks,omitempty"`       // of controllers, in execution order
	BlockUnseen bool              `json:"blockUnseen,omitempty"` // a controller added blocks to a result with structuredContent; the model may not have read them
	ListIgnored bool              `json:"listIgnored,omitempty"` // the client has not read its tools again after list_changed while the answer waited for that
	Stale       []string          `json:"stale,omitempty"`       // servers whose last known list was served
	IsError     bool              `json:"isError,omitempty"`     // a result with isError or a JSON-RPC error
	Code        int               `json:"code,omitempty"`        // of a JSON-RPC error
	Error       string            `json:"error,omitempty"`       // error text sent to the client

	Change *Change `json:"change,omitempty"`

	Dropped   uint64 `json:"dropped,omitempty"`   // events that the subscriber missed before this one
	Truncated bool   `json:"truncated,omitempty"` // logs and metadata were too large and were removed
}

// Change is the change described by an Event that is not about a request.
type Change struct {
	Name   string `json:"name,omitempty"`
	From   string `json:"from,omitempty"` // state, hash or revision before
	To     string `json:"to,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Hold describes the time for which an answer was held.
type Hold struct {
	ID      uint64 `json:"id"`
	Micros  int64  `json:"micros,omitempty"`
	Outcome string `json:"outcome,omitempty"` // released, edited, dropped, expired, cancelled
}

// Digest identifies arguments without revealing them. Equal arguments have equal
// digests during the life of the Ring.
type Digest struct {
	Bytes int    `json:"bytes"`
	Hash  string `json:"hash"` // 16 hex digits
}

// Limits of one Event, so that one large Event cannot evict all others from the Ring.
const (
	maxText       = 2 << 10
	maxEventBytes = 64 << 10
)

// limit returns e with long texts and reports cut to the limits.
func (e Event) limit() Event {
	for _, s := range []*string{&e.Project, &e.Session, &e.Client, &e.Method, &e.Server, &e.Source, &e.Called, &e.Section, &e.Error} {
		*s = cut(*s, maxText)
	}
	if e.Change != nil {
		c := *e.Change
		for _, s := range []*string{&c.Name, &c.From, &c.To, &c.Reason} {
			*s = cut(*s, maxText)
		}
		e.Change = &c
	}
	if e.size() > maxEventBytes {
		e.Runs, e.Hooks, e.Truncated = removeDetails(e.Runs), removeHookDetails(e.Hooks), true
		e.Refs, e.Shown, e.Stale = e.Refs[:min(len(e.Refs), maxParts)], e.Shown[:min(len(e.Shown), maxParts)], e.Stale[:min(len(e.Stale), maxParts)]
	}
	return e
}

// cut shortens s at a character boundary.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len("...")
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	return s[:end] + "..."
}

// Limits of a truncated Event.
const (
	maxParts     = 16
	maxStages    = 64 // in all parts
	maxStageText = 256
	maxHooks     = 16
	maxHookText  = 128
)

// removeDetails copies reports without their logs and metadata.
func removeDetails(runs []flow.RunReport) []flow.RunReport {
	var out []flow.RunReport
	left := maxStages
	for _, r := range runs[:min(len(runs), maxParts)] {
		short := flow.RunReport{Model: cut(r.Model, maxStageText), Type: cut(r.Type, maxStageText)}
		for _, s := range r.Stages[:min(len(r.Stages), left)] {
			s.Meta, s.Log = nil, nil
			s.Role, s.Error, s.Reason = cut(s.Role, maxStageText), cut(s.Error, maxStageText), cut(s.Reason, maxStageText)
			short.Stages = append(short.Stages, s)
			left--
		}
		out = append(out, short)
	}
	return out
}

// removeHookDetails copies reports without their logs and metadata.
func removeHookDetails(hooks []flow.HookReport) []flow.HookReport {
	var out []flow.HookReport
	for _, h := range hooks[:min(len(hooks), maxHooks)] {
		h.Meta, h.Log = nil, nil
		h.Role, h.Error, h.Rewrite = cut(h.Role, maxHookText), cut(h.Error, maxHookText), cut(h.Rewrite, maxHookText)
		out = append(out, h)
	}
	return out
}

// size estimates the memory of an Event in bytes.
func (e Event) size() int {
	const fixed, perString = 512, 16
	n := fixed + len(e.Project) + len(e.Session) + len(e.Client) + len(e.Method) + len(e.Server) +
		len(e.Source) + len(e.Called) + len(e.Section) + len(e.Error)
	for _, s := range e.Refs {
		n += perString + len(s)
	}
	for _, s := range e.Shown {
		n += perString + len(s)
	}
	for _, s := range e.Stale {
		n += perString + len(s)
	}
	if e.Change != nil {
		n += len(e.Change.Name) + len(e.Change.From) + len(e.Change.To) + len(e.Change.Reason)
	}
	for _, r := range e.Runs {
		n += reportSize(r)
	}
	for _, h := range e.Hooks {
		n += hookSize(h)
	}
	return n
}

func hookSize(h flow.HookReport) int {
	const perHook = 192
	return perHook + len(h.Role) + len(h.ModuleHash) + len(h.Outcome) + len(h.Error) + len(h.Rewrite) + metaSize(h.Meta) + logSize(h.Log)
}

func metaSize(meta map[string]string) (n int) {
	const perEntry = 48
	for k, v := range meta {
		n += perEntry + len(k) + len(v)
	}
	return n
}

func logSize(log []abi.LogLine) (n int) {
	const perLine = 48
	for _, l := range log {
		n += perLine + len(l.Level) + len(l.Text)
	}
	return n
}

func reportSize(r flow.RunReport) int {
	const perRun, perStage = 64, 256
	n := perRun + len(r.Model) + len(r.Type)
	for _, s := range r.Stages {
		n += perStage + len(s.Role) + len(s.ModuleHash) + len(s.Outcome) + len(s.Error) + len(s.Reason)
		n += metaSize(s.Meta) + logSize(s.Log)
	}
	return n
}
