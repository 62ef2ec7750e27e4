package controller

import (
	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Ctx is the API of a hook. It is valid during the call only.
//
// Effects apply once the hook has returned nil or Pass. After an error all of them are
// dropped, except log, cache, proposed prompts and LLM requests.
type Ctx struct {
	stage.Base
	Client stage.Buf // the client's call in the two call hooks: {"name":...,"arguments":{...}}
	Answer Out       // the answer; in Initialize, the instructions
	State  State     // the values of this session
}

func newCtx(b *stage.Base) *Ctx {
	c := &Ctx{Base: *b, Answer: Out{target: raw.OutAnswer, at: new(place)}}
	c.Client, _ = c.handle(raw.BufCall)
	return c
}

// handle returns the Buf of an import's result.
func (c *Ctx) handle(result int32) (stage.Buf, error) {
	b, err := entry.Handle(&c.Base, result)
	return b.(stage.Buf), err
}

// Hook returns the current hook, such as OnInitialize.
func (c *Ctx) Hook() string { return c.text("/hook") }

// Gated reports whether the project is gated, which is the default.
func (c *Ctx) Gated() bool { return c.flag("/gated") }

// TimeMillis returns the time of the request in Unix milliseconds. It is an input and
// does not change during the hook.
func (c *Ctx) TimeMillis() int64 { v, _ := c.Context.JSON().Int("/timeMs"); return v }

// Position returns the position among the controllers of the project.
func (c *Ctx) Position() stage.Position {
	return stage.Position{Index: c.number("/controller/index"), Count: c.number("/controller/count")}
}

// Protocol returns the MCP version of the session.
func (c *Ctx) Protocol() string { return c.text("/protocol") }

// ClientInfo has the properties of the client.
type ClientInfo struct {
	Name, Version     string
	ListChanged       bool // it reads the list of tools again after a notification of a change
	StructuredOnly    bool // if a result has structuredContent, it shows nothing else
	InstructionsChars int  // characters left for this controller's instructions
}

// ClientInfo returns the properties of the client.
func (c *Ctx) ClientInfo() ClientInfo {
	return ClientInfo{
		Name: c.text("/client/name"), Version: c.text("/client/version"),
		ListChanged: c.flag("/client/listChanged"), StructuredOnly: c.flag("/client/structuredOnly"),
		InstructionsChars: c.number("/client/instructionsChars"),
	}
}

// Tool returns the label server/tool of the call, or the name of a virtual tool. It is
// empty outside the call hooks.
func (c *Ctx) Tool() string { return c.text("/call/tool") }

// Called has the properties of the call in the two call hooks.
type Called struct {
	ID        string // the id of the call, which is the same in its two hooks
	Tool      string // label, or name of a virtual tool
	Wire      string // the name that the client uses
	Virtual   bool
	Rewritten bool // an earlier controller rewrote the call
	Listed    bool // the session has listed its tools
	ReadOnly  bool // the definition declares the tool as read-only
}

// Called returns the properties of the call.
func (c *Ctx) Called() Called {
	return Called{
		ID: c.text("/call/id"), Tool: c.text("/call/tool"), Wire: c.text("/call/wire"), Virtual: c.flag("/call/virtual"),
		Rewritten: c.flag("/call/rewritten"), Listed: c.flag("/call/listed"), ReadOnly: c.flag("/call/readOnly"),
	}
}

// Result has the properties of the answer in ToolResult.
type Result struct {
	IsError       bool
	ProtocolError bool   // a JSON-RPC error: Input is {"error":{...}}
	AnsweredBy    string // the server
	Bytes         int
	Contents      []Content // the stored parts
}

// Content is a stored part of an answer.
type Content struct {
	Ref   string // for OpenContent and Section
	Kind  string // text or structured
	Index int
	Bytes int
	MIME  string
}

// Result returns the properties of the answer.
func (c *Ctx) Result() Result {
	r := Result{
		IsError: c.flag("/result/isError"), ProtocolError: c.flag("/result/protocolError"),
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

// The fields of the context; a field that the host does not set has the zero value.

func (c *Ctx) text(pointer string) string { s, _ := c.Context.JSON().String(pointer); return s }

func (c *Ctx) number(pointer string) int { v, _ := c.Context.JSON().Int(pointer); return int(v) }

func (c *Ctx) flag(pointer string) bool { return c.number(pointer) != 0 }

// decimal returns a small number in decimal. strconv would add a quarter of a megabyte to
// some modules.
func decimal(n int) string {
	if n < 10 {
		return "0123456789"[n : n+1]
	}
	return decimal(n/10) + decimal(n%10)
}
