package controller

import (
	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Ctx is all that a hook can see and do. It is valid during the call only.
//
// Nothing that it does is in force before the hook has returned nil or Pass: an
// error takes all of it back, but log, cache, proposed prompts and LLM requests.
type Ctx struct {
	stage.Base
	Client stage.Buf // in the two call hooks what the client called: {"name":...,"arguments":{...}}
	Answer Out       // the answer, or of Initialize the instructions
	State  State     // what is kept for this session
}

func newCtx(b *stage.Base) *Ctx {
	c := &Ctx{Base: *b, Answer: Out{target: raw.OutAnswer, at: new(place)}}
	c.Client, _ = c.handle(raw.BufCall)
	return c
}

// handle makes a Buf of an import's result.
func (c *Ctx) handle(result int32) (stage.Buf, error) {
	b, err := entry.Handle(&c.Base, result)
	return b.(stage.Buf), err
}

// Hook is the hook that runs: OnInitialize and the others.
func (c *Ctx) Hook() string { return c.text("/hook") }

// Gated tells whether the project is gated; one that does not say is.
func (c *Ctx) Gated() bool { return c.yes("/gated") }

// TimeMillis is the time of the request, Unix. It is an input, fixed for the hook.
func (c *Ctx) TimeMillis() int64 { v, _ := c.Context.JSON().Int("/timeMs"); return v }

// Position is the position among the controllers of the project.
func (c *Ctx) Position() stage.Position {
	return stage.Position{Index: c.number("/controller/index"), Count: c.number("/controller/count")}
}

// Protocol is the version of MCP that the session speaks.
func (c *Ctx) Protocol() string { return c.text("/protocol") }

// ClientInfo is what is known of the client.
type ClientInfo struct {
	Name, Version     string
	ListChanged       bool // it reads the list of tools anew when it has changed
	StructuredOnly    bool // where there is structuredContent, it shows nothing else
	InstructionsChars int  // left of its limit for this controller's instructions
}

// ClientInfo tells who asks.
func (c *Ctx) ClientInfo() ClientInfo {
	return ClientInfo{
		Name: c.text("/client/name"), Version: c.text("/client/version"),
		ListChanged: c.yes("/client/listChanged"), StructuredOnly: c.yes("/client/structuredOnly"),
		InstructionsChars: c.number("/client/instructionsChars"),
	}
}

// Tool is the label server/tool of the call, or the name of a virtual tool; empty
// out of the call hooks.
func (c *Ctx) Tool() string { return c.text("/call/tool") }

// Called is what is known of the call in the two call hooks.
type Called struct {
	ID        string // the same in the two hooks of a call, another one for each call
	Tool      string // label, or name of a virtual tool
	Wire      string // as the client calls it
	Virtual   bool
	Rewritten bool // by a controller before
	Listed    bool // the session has listed its tools
	ReadOnly  bool // the tool says that it only reads
}

// Called tells what was called.
func (c *Ctx) Called() Called {
	return Called{
		ID: c.text("/call/id"), Tool: c.text("/call/tool"), Wire: c.text("/call/wire"), Virtual: c.yes("/call/virtual"),
		Rewritten: c.yes("/call/rewritten"), Listed: c.yes("/call/listed"), ReadOnly: c.yes("/call/readOnly"),
	}
}

// Result is what is known of the answer in ToolResult.
type Result struct {
	IsError       bool
	ProtocolError bool   // a JSON-RPC error: Input is {"error":{...}}
	AnsweredBy    string // the server
	Bytes         int
	Contents      []Content // its parts, as they were stored
}

// Content is a stored part of an answer.
type Content struct {
	Ref   string // for OpenContent and Section
	Kind  string // text or structured
	Index int
	Bytes int
	MIME  string
}

// Result tells about the answer.
func (c *Ctx) Result() Result {
	r := Result{
		IsError: c.yes("/result/isError"), ProtocolError: c.yes("/result/protocolError"),
		AnsweredBy: c.text("/result/answeredBy"), Bytes: c.number("/result/bytes"),
	}
	n, _ := c.Context.JSON().Len("/result/contents")
	for i := range n {
		at := "/result/contents/" + decimal(i)
		r.Contents = append(r.Contents, Content{
			Ref: c.text(at + "/ref"), Kind: c.text(at + "/kind"), Index: c.number(at + "/index"),
			Bytes: c.number(at + "/bytes"), MIME: c.text(at + "/mime"),
		})
	}
	return r
}

// The fields of the context; a host that lacks one gives the zero value.

func (c *Ctx) text(pointer string) string { s, _ := c.Context.JSON().String(pointer); return s }

func (c *Ctx) number(pointer string) int { v, _ := c.Context.JSON().Int(pointer); return int(v) }

func (c *Ctx) yes(pointer string) bool { return c.number(pointer) != 0 }

// decimal spells a small number; strconv would be a quarter of a megabyte in some
// modules.
func decimal(n int) string {
	if n < 10 {
		return "0123456789"[n : n+1]
	}
	return decimal(n/10) + decimal(n%10)
}
