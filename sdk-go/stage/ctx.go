package stage

import "github.com/mcpctl/mcpctl/sdk-go/internal/raw"

// Ctx is all that a stage can see and do. It is valid during the call only.
type Ctx struct {
	Input    Buf // the content as the previous stage left it
	Original Buf // the content before the first stage; costs nothing unless read
	Config   Buf // config as JSON; String, Int and others read single keys
	Context  Buf // what Role, Source and others are read from, as JSON

	Out      Out      // the new content
	Sections Sections // the drill-down tree
	Log      Log
	Cache    Cache
	LLM      LLM

	call *call
}

func newCtx(k *call) *Ctx {
	return &Ctx{
		Input:    Buf{raw.BufInput, k},
		Original: Buf{raw.BufOriginal, k},
		Config:   Buf{raw.BufConfig, k},
		Context:  Buf{raw.BufContext, k},
		Out:      Out{k},
		Sections: Sections{k},
		LLM:      LLM{k},
		call:     k,
	}
}

// Meta sets metadata of the run: text or JSON, seen in events and metrics, never
// by the client. The key "type" names the detected type of the content, for
// example "json-array" or "markdown".
//
// Errors: Limit beyond 64 keys or 16 KiB.
func (c *Ctx) Meta(key, value string) error { return check(raw.MetaSet(key, value)) }

// Put copies text into a Buf of the host, for methods that take one.
//
// Errors: Limit beyond 16 MiB in one call.
func (c *Ctx) Put(text string) (Buf, error) { return c.call.handle(raw.BufPut(text)) }

// Session is an opaque name of the session. A call that asks for it is not
// cached, so do not ask without need.
func (c *Ctx) Session() string { return Buf{raw.BufSession, c.call}.String() }

// handle makes a Buf of an import's result.
func (k *call) handle(result int32) (Buf, error) {
	if result < 0 {
		return Buf{}, newError(result)
	}
	return Buf{result, k}, nil
}
