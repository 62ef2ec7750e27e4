// Package controllertest runs a controller in plain Go, without WebAssembly. It is the
// host of one session.
//
//	func TestBrake(t *testing.T) {
//		s := &controllertest.Session{Role: "brake", Tools: []controllertest.Tool{{Name: "files/read"}}}
//		s.Call("files/read", `{"path":"a"}`)
//		s.Call("files/read", `{"path":"a"}`)
//		got := s.Call("files/read", `{"path":"a"}`)
//		if got.Outcome != stagetest.Done {
//			t.Errorf("third call: %s, want done", got.Outcome)
//		}
//	}
//
// The test host has the checks and limits of the host, and a hook that fails changes
// nothing. It does not limit memory and time, and the memory is not new for each hook.
// It has one controller; the fields of the Session can have the effects of others.
package controllertest

import (
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// Session is one client's connection to a project, as a controller sees it. The zero
// Session has a gated project "test" without tools and prompts.
//
// Fields may be changed between hooks. It is not safe for concurrent use; hooks of
// several Sessions wait for each other.
type Session struct {
	Role          string   // as registered; may be empty in a program with one controller
	Config        string   // JSON object with defaults; empty means {}
	Notifications []string // methods that the manifest lists

	Project    string // empty means "test"
	NotGated   bool   // the project has gated: false
	Name       string // opaque result of Ctx.Session; empty means "session"
	Client     controller.ClientInfo
	Protocol   string // empty means 2025-11-25
	TimeMillis int64  // of the next request; 0 means 1763719800000

	Tools   []Tool              // of servers and of other controllers; read_section always exists
	Servers []controller.Server // nil means the servers of Tools, ready
	Prompts []Prompt
	System  map[string]string // texts of system prompts by name, such as mcpctl-system/gate-instructions

	Contents []Content // stored content; Result adds to it
	// Section returns the text of read_section; nil means the whole content.
	Section func(ref, section string) string

	LLM      func(stagetest.Question) stagetest.Reply // nil if none is configured
	Cache    map[string]string                        // cached values
	CacheWay stagetest.CacheWay
	Limits   stage.Limits // 0 means the host's default

	State     map[string]string // values of this session
	Proposals []Proposal        // proposed prompts

	own    []Tool // virtual tools of this controller in the order they were first added
	edits  edits  // of the latest list
	listed bool   // by the client
	asked  bool   // the list was created, for any reason
	calls  int
	last   *call           // latest call while a server may answer it
	read   map[string]bool // prompts whose body was read
}

// Effects are the effects of a hook as the host applies them. After Fail, only Reason,
// Log and Kept are set.
type Effects struct {
	Outcome stagetest.Outcome
	Reason  string // of Fail

	Answer string          // of Done: the answer of a call, or text for the instructions
	Kind   controller.Kind // kind of the answer of a call

	Before, After []string // text blocks before and after the result
	Notes         []Note
	Rewrite       *Rewrite // of a call that passed
	Listed        []Tool   // the client's list, after ToolsList and Lookup

	Meta        map[string]string
	Kept        map[string]string // values that it stored in the cache
	Log         []stagetest.LogLine
	Provisional bool // an answer of the LLM was missing
}

// Note is a notification for the client.
type Note struct{ Method, Params string }

// Rewrite is the new target of a call.
type Rewrite struct {
	Tool      string // label
	Arguments string
}

// Proposal is a prompt that is waiting for review.
type Proposal struct {
	ID, Name, Content string
	Priority          int
}

// call is a call of the client.
type call struct {
	tool      Tool // that a server answers
	client    []byte
	rewritten bool
	id        string
}

// Initialize runs the hook of the client's initialize. Without params it uses Client.
func (s *Session) Initialize(params string) Effects {
	if params == "" {
		params = s.initializeParams()
	}
	return s.hook(controller.OnInitialize, params, nil, nil).effects
}

// ToolsList creates the list for the client.
func (s *Session) ToolsList() Effects {
	e := s.list("list")
	s.listed = true
	return e
}

// Lookup creates the list for the host, before a call of a tool that was not listed.
func (s *Session) Lookup() Effects { return s.list("lookup") }

func (s *Session) list(reason string) Effects {
	s.edits, s.asked = edits{}, true
	r := s.hook(controller.OnToolsList, `{"reason":"`+reason+`"}`, nil, nil)
	if r.effects.Outcome != stagetest.Fail {
		s.edits = r.edits
		s.addVirtualTools(r.edits.added)
	}
	r.effects.Listed = s.visibleTools()
	return r.effects
}

// Call runs the hook of a tools/call by label, name of a virtual tool or wire name. The
// arguments are a JSON object, or empty for {}. A name that was not listed is looked
// up; an unknown name fails.
func (s *Session) Call(tool, arguments string) Effects {
	s.last = nil
	t, ok := s.findTool(tool)
	if !ok && !s.asked {
		s.Lookup()
		t, ok = s.findTool(tool)
	}
	if !ok {
		return failed("unknown tool " + strconv.Quote(tool))
	}
	if arguments == "" {
		arguments = "{}"
	}
	s.calls++
	c := &call{tool: t, id: "c" + strconv.Itoa(s.calls), client: clientCall(t.Wire, arguments)}
	r := s.hook(controller.OnToolCall, arguments, c, nil)
	if r.effects.Outcome == stagetest.Done {
		return r.effects
	}
	if to := r.effects.Rewrite; to != nil {
		c.tool, _ = s.findTool(to.Tool)
		c.rewritten = true
	}
	if c.tool.Kind == controller.UpstreamTool {
		s.last = c
	}
	return r.effects
}

// Result runs the hook of the server's answer to the latest Call that the controller
// has not answered: a tools/call result, or {"error":{...}}. Its parts are stored, each
// under the Ref of its text.
func (s *Session) Result(result string) Effects {
	if s.last == nil {
		return failed("no call that a server answers")
	}
	c := s.last
	s.last = nil
	info := s.store(c, result)
	return s.hook(controller.OnToolResult, result, c, &info).effects
}

// Close ends the session. Its state is dropped after the hook. The reason is client,
// idle or shutdown; empty means client.
func (s *Session) Close(reason string) Effects {
	if reason == "" {
		reason = "client"
	}
	e := s.hook(controller.OnClose, `{"reason":"`+reason+`"}`, nil, nil).effects
	s.State, s.own, s.edits, s.listed, s.asked, s.last = nil, nil, edits{}, false, false, nil
	return e
}

func failed(reason string) Effects { return Effects{Outcome: stagetest.Fail, Reason: reason} }
