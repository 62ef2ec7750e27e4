// Package controllertest runs a controller in plain Go, without WebAssembly: it is
// the host of one session, as far as a controller can tell.
//
//	func TestBrake(t *testing.T) {
//		s := &controllertest.Session{Role: "brake", Tools: []controllertest.Tool{{Name: "files/read"}}}
//		s.Call("files/read", `{"path":"a"}`)
//		s.Call("files/read", `{"path":"a"}`)
//		got := s.Call("files/read", `{"path":"a"}`)
//		if got.Outcome != stagetest.Done {
//			t.Errorf("third call: %s, want it to be answered", got.Outcome)
//		}
//	}
//
// The imports are answered with the checks and limits of the host, and a hook that
// fails changes nothing. What it does not have is what only a guest has: a bounded
// memory, a bounded time and a memory that is clean for each hook. It has one
// controller; what others have left is set in the fields of the Session.
package controllertest

import (
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// Session is one client's connection to a project, and all of it that a controller
// can see. The zero Session has a project "test", gated, without tools and prompts.
//
// Fields may be changed between hooks. Not safe for concurrent use; hooks of
// several Sessions take turns.
type Session struct {
	Role          string   // as registered; of a program with one controller it may be empty
	Config        string   // JSON object with defaults filled in; empty: {}
	Notifications []string // methods that its manifest lists

	Project    string // empty: "test"
	NotGated   bool   // the project says gated: false
	Name       string // opaque, what Ctx.Session gives; empty: "session"
	Client     controller.ClientInfo
	Protocol   string // empty: 2025-11-25
	TimeMillis int64  // of the next request; 0: 1763719800000

	Tools   []Tool              // of servers and of other controllers; read_section is always there
	Servers []controller.Server // nil: those of Tools, ready
	Prompts []Prompt
	System  map[string]string // texts of system prompts by name, such as mcpctl-system/gate-instructions

	Contents []Content // what is stored; Result adds to it
	// Section answers what read_section would; nil: the whole content.
	Section func(ref, section string) string

	LLM      func(stagetest.Question) stagetest.Reply // nil if none is configured
	Cache    map[string]string                        // what the controller keeps between sessions
	CacheWay stagetest.CacheWay
	Limits   stage.Limits // those that are 0 are the host's defaults

	State     map[string]string // what the controller keeps for this session
	Proposals []Proposal        // prompts that it has proposed

	own    []Tool // virtual tools of this controller, in the order they were first added
	edits  edits  // of the list as it was made last
	listed bool   // by the client
	asked  bool   // the list was made, for whatever reason
	calls  int
	last   *call           // the latest one, while a server may answer it
	read   map[string]bool // prompts whose body was read
}

// Effects is what a hook has done, as the host puts it in force. After Fail, only
// Reason, Log and Kept are set.
type Effects struct {
	Outcome stagetest.Outcome
	Reason  string // of Fail: what a person reads

	Answer string          // of Done: the answer of a call, or text for the instructions
	Kind   controller.Kind // what the answer of a call is

	Before, After []string // text blocks beside the result
	Notes         []Note
	Rewrite       *Rewrite // of a call that passed
	Listed        []Tool   // what the client reads in its list, after ToolsList and Lookup

	Meta        map[string]string
	Kept        map[string]string // what it has put into the cache
	Log         []stagetest.LogLine
	Provisional bool // an answer of the LLM was missing
}

// Note is a notification for the client.
type Note struct{ Method, Params string }

// Rewrite is where a call goes instead.
type Rewrite struct {
	Tool      string // label
	Arguments string
}

// Proposal is a prompt that waits for review.
type Proposal struct {
	ID, Name, Content string
	Priority          int
}

// call is what the client called.
type call struct {
	tool      Tool // that a server answers
	client    []byte
	rewritten bool
	id        string
}

// Initialize is the client's initialize; without params it says what Client says.
func (s *Session) Initialize(params string) Effects {
	if params == "" {
		params = s.initializeParams()
	}
	return s.hook(controller.OnInitialize, params, nil, nil).effects
}

// ToolsList makes the list for the client.
func (s *Session) ToolsList() Effects {
	e := s.list("list")
	s.listed = true
	return e
}

// Lookup makes the list for the host, before a call of a tool that no list had.
func (s *Session) Lookup() Effects { return s.list("lookup") }

func (s *Session) list(reason string) Effects {
	s.edits, s.asked = edits{}, true
	r := s.hook(controller.OnToolsList, `{"reason":"`+reason+`"}`, nil, nil)
	if r.effects.Outcome != stagetest.Fail {
		s.edits = r.edits
		s.adopt(r.edits.added)
	}
	r.effects.Listed = s.visible()
	return r.effects
}

// Call is a tools/call by label, name of a virtual tool or wire name, with
// arguments as a JSON object; without any they are {}. A name that no list had yet
// is looked up; one that is not there then fails.
func (s *Session) Call(tool, arguments string) Effects {
	s.last = nil
	t, ok := s.find(tool)
	if !ok && !s.asked {
		s.Lookup()
		t, ok = s.find(tool)
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
		c.tool, _ = s.find(to.Tool)
		c.rewritten = true
	}
	if c.tool.Kind == controller.UpstreamTool {
		s.last = c
	}
	return r.effects
}

// Result is the server's answer to the latest Call, which the controller has not
// answered itself: a tools/call result, or {"error":{...}}. Its parts are stored,
// each under the Ref of its text.
func (s *Session) Result(result string) Effects {
	if s.last == nil {
		return failed("no call that a server answers")
	}
	c := s.last
	s.last = nil
	info := s.store(c, result)
	return s.hook(controller.OnToolResult, result, c, &info).effects
}

// Close ends the session: its state is dropped after the hook. The reason is
// client, idle or shutdown; empty: client.
func (s *Session) Close(reason string) Effects {
	if reason == "" {
		reason = "client"
	}
	e := s.hook(controller.OnClose, `{"reason":"`+reason+`"}`, nil, nil).effects
	s.State, s.own, s.edits, s.listed, s.asked, s.last = nil, nil, edits{}, false, false, nil
	return e
}

func failed(reason string) Effects { return Effects{Outcome: stagetest.Fail, Reason: reason} }
