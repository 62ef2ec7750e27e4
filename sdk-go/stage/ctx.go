package stage

import (
	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Base has the members that a stage and a controller share: input, context, config,
// log, cache and LLM. It is valid during the call only.
type Base struct {
	Input    Buf // the output of the previous stage; for a controller, the input of the hook
	Original Buf // Input before the first stage or controller; it costs nothing unless read
	Config   Buf // the config as JSON; String, Int and others read single keys
	Context  Buf // the context as JSON; Role, Project and others read single fields

	Log   Log
	Cache Cache
	LLM   LLM

	call *call
}

// Ctx is the API of a stage. It is valid during the call only.
type Ctx struct {
	Base
	Out      Out      // the output
	Sections Sections // the drill-down tree
}

// Arguments returns the arguments of the call as a JSON object: those that the server got
// and, under "_question", the question that the model gave. It is empty if the manifest
// does not list the capability "arguments", if the call has none, or if they are too large
// or withheld by a filter; the stage must be useful then, too.
func (c *Ctx) Arguments() Buf { return Buf{raw.BufArguments, c.call} }

// Question returns the question in the arguments, "" if there is none.
func (c *Ctx) Question() string {
	question, err := c.Arguments().JSON().String("/" + questionKey)
	if err != nil {
		return ""
	}
	return question
}

// questionKey is the argument in which a model says what it wants to know.
const questionKey = "_question"

func newBase(k *call) Base {
	return Base{
		Input:    Buf{raw.BufInput, k},
		Original: Buf{raw.BufOriginal, k},
		Config:   Buf{raw.BufConfig, k},
		Context:  Buf{raw.BufContext, k},
		LLM:      LLM{k},
		call:     k,
	}
}

func newCtx(k *call) *Ctx { return &Ctx{Base: newBase(k), Out: Out{k}, Sections: Sections{k}} }

// Package controller uses the calls and handles of this package.
func init() {
	entry.Serve = func(f func(base any) error) int32 {
		k := &call{}
		return k.finish(k.guard(func() error {
			b := newBase(k)
			return f(&b)
		}))
	}
	entry.Handle = func(base any, result int32) (any, error) { return base.(*Base).call.handle(result) }
	entry.ID = func(buf any) int32 { return buf.(Buf).id() }
	entry.Check = check
	entry.Take = take
}

// Meta sets metadata of the run: text or JSON, seen in events and metrics, never
// by the client. The key "type" names the detected type of the content, for
// example "json-array" or "markdown"; "syntax" declares how its sections are separated
// and named (see "The syntax of a content" in docs/authoring.md).
//
// Errors: Limit beyond 64 keys or 16 KiB; BadArg if a syntax is invalid.
func (c *Base) Meta(key, value string) error { return check(raw.MetaSet(key, value)) }

// Put copies text into a new Buf, for methods that take one.
//
// Errors: Limit beyond 16 MiB in one call.
func (c *Base) Put(text string) (Buf, error) { return c.call.handle(raw.BufPut(text)) }

// Session returns an opaque name of the session. The host does not cache a stage's
// result if the stage reads it, so do not read it without need.
func (c *Base) Session() string { return Buf{raw.BufSession, c.call}.String() }

// handle returns the Buf of an import's result.
func (k *call) handle(result int32) (Buf, error) {
	if result < 0 {
		return Buf{}, newError(result)
	}
	return Buf{result, k}, nil
}
