package stage

import (
	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Base is what a stage and a controller have in common: what they are called
// for, their config, log, cache and LLM. It is valid during the call only.
type Base struct {
	Input    Buf // the content as the previous stage left it; of a controller, the input of the hook
	Original Buf // Input before the first stage or controller; costs nothing unless read
	Config   Buf // config as JSON; String, Int and others read single keys
	Context  Buf // what Role, Project and others are read from, as JSON

	Log   Log
	Cache Cache
	LLM   LLM

	call *call
}

// Ctx is all that a stage can see and do. It is valid during the call only.
type Ctx struct {
	Base
	Out      Out      // the new content
	Sections Sections // the drill-down tree
}

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

// Package controller makes its calls and handles of ours.
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
// example "json-array" or "markdown".
//
// Errors: Limit beyond 64 keys or 16 KiB.
func (c *Base) Meta(key, value string) error { return check(raw.MetaSet(key, value)) }

// Put copies text into a Buf of the host, for methods that take one.
//
// Errors: Limit beyond 16 MiB in one call.
func (c *Base) Put(text string) (Buf, error) { return c.call.handle(raw.BufPut(text)) }

// Session is an opaque name of the session. A call of a stage that asks for it is
// not cached, so do not ask without need.
func (c *Base) Session() string { return Buf{raw.BufSession, c.call}.String() }

// handle makes a Buf of an import's result.
func (k *call) handle(result int32) (Buf, error) {
	if result < 0 {
		return Buf{}, newError(result)
	}
	return Buf{result, k}, nil
}
