// Package randomhook is a controller that calls random imports and logs their results. The
// same code runs as a guest and natively over the same hooks, and both must have the same
// log and effects (abi/controller_test.go).
package randomhook

import (
	"errors"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	controller.Register("random", controller.Hooks{Initialize: run, ToolsList: run, ToolCall: run, ToolResult: run, Close: run})
}

// Before is called with each hook; natively it records the context of the hook.
var Before = func(*controller.Ctx) {}

// walk is the state of one run: the random numbers and the targets of output.
type walk struct {
	c     *controller.Ctx
	state uint64
	out   []controller.Out
}

var steps = []func(w *walk){
	(*walk).get, (*walk).set, (*walk).set, (*walk).drop, (*walk).tools, (*walk).servers, (*walk).prompts,
	(*walk).hide, (*walk).patch, (*walk).add, (*walk).add, (*walk).open, (*walk).open, (*walk).write, (*walk).write, (*walk).write, (*walk).span,
	(*walk).kind, (*walk).whole, (*walk).rewrite, (*walk).rewrite, (*walk).notify, (*walk).body, (*walk).propose,
	(*walk).content, (*walk).section, (*walk).about, (*walk).meta, (*walk).index,
}

func run(c *controller.Ctx) error {
	Before(c)
	w := &walk{c: c, state: uint64(c.Int("seed", 1))*2654435761 + 88172645463325252 + uint64(len(c.Hook())*7919) + uint64(c.Input.Len())}
	w.out = []controller.Out{c.Answer}
	for range c.Int("steps", 20) {
		steps[w.dice(len(steps))](w)
	}
	switch w.dice(8) {
	case 0, 1, 2:
		return controller.Pass
	case 3:
		return errors.New("dice fell off the table")
	}
	return nil
}

// dice returns a random number below n (xorshift).
func (w *walk) dice(n int) int {
	w.state ^= w.state << 13
	w.state ^= w.state >> 7
	w.state ^= w.state << 17
	return int(w.state % uint64(n))
}

func pick[T any](w *walk, list []T) T { return list[w.dice(len(list))] }

// say writes a line.
func (w *walk) say(values ...any) {
	line := ""
	for _, v := range values {
		switch v := v.(type) {
		case string:
			line += v
		case int:
			line += strconv.Itoa(v)
		case bool:
			line += strconv.FormatBool(v)
		case nil:
			line += "ok"
		case error:
			var e *stage.Error
			if errors.As(v, &e) {
				line += strconv.Itoa(int(e.Code))
			} else {
				line += v.Error()
			}
		}
		line += " "
	}
	w.c.Log.Info(line)
}

var (
	keys    = []string{"", "a", "b", "c", "\xff", strings.Repeat("k", 256), strings.Repeat("k", 257), "big"}
	names   = []string{"files/read", "files__read", "files/write", "own", "other", "read_section", "nobody", "", "begin_session", "x-2"}
	texts   = []string{"", "hello", "é", "a b", "\xff", "a\nb", strings.Repeat("w", 5000), strings.Repeat("é", 20000)}
	objects = []string{
		`{}`, ` {"a": [1, {"b": null}]} `, `{"a":1,"a":2}`, `{"a":{"b":1,"\u0062":2}}`, `[]`, `"x"`, `null`, `{`, ``, `{"a":"` + "\xff" + `"}`, `{"a":1} x`, "{\"a\":\n1}",
		`{"deep":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`, `{"deep":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`,
	}
	patches     = append([]string{`{"outputSchema":null}`, `{"name":"x"}`, `{"inputSchema":null}`, `{"inputSchema":{"type":"object"}}`, `{"description":"` + strings.Repeat("d", 70000) + `"}`}, objects...)
	definitions = append([]string{
		`{"name":"own","inputSchema":{"type":"object"}}`, `{"name":"x-2","inputSchema":{},"description":"d"}`, `{"name":"other","inputSchema":{}}`, `{"name":"read_section","inputSchema":{}}`,
		`{"name":"own","inputSchema":[]}`, `{"name":"own"}`, `{"inputSchema":{}}`, `{"name":"a b","inputSchema":{}}`, `{"name":"","inputSchema":{}}`, `{"name":7,"inputSchema":{}}`,
		`{"name":"own","inputSchema":{},"description":7}`, `{"name":"files__read","inputSchema":{}}`, `{"name":"own","inputSchema":{},"description":"` + strings.Repeat("d", 70000) + `"}`,
	}, objects...)
	methods = []string{"notifications/tools/list_changed", "notifications/message", "notifications/other", "notifications/granted", "", "notifications/prompts/list_changed"}
	results = append([]string{
		`{"content":[]}`, `{"content":[{"type":"text","text":"x"}],"isError":true}`, `{"content":[{"type":"text"}]}`, `{"content":[{"text":"x"}]}`, `{"content":{}}`,
		`{"content":[{"type":"image","data":"","mimeType":"image/png"},{"type":"later"}],"structuredContent":{"a":1}}`, `{"content":[7]}`, `{"content":[],"isError":1}`, ` {"content":[]} `,
		`{"content":[],"structuredContent":[]}`,
	}, objects...)
	refs      = []string{"", "abcdefghijklmnop", "nothing-of-it-16", "x"}
	prompts   = []string{"lights", "scenes", "dead", "mcpctl-system/gate-instructions", "mcpctl-system/none", "", "nobody"}
	proposals = append([]string{
		`{"name":"new","content":"text","priority":3}`, `{"name":"newer","content":"text"}`, `{"name":"","content":"text"}`, `{"name":"new"}`, `{"name":"n","content":"c","priority":11}`, `{"name":7,"content":"c"}`,
	}, objects...)
)

func (w *walk) get() {
	key := pick(w, keys)
	v, ok := w.c.State.Get(key)
	w.say("get", len(key), len(v), ok)
}

func (w *walk) set() {
	key, value := pick(w, keys), pick(w, texts[:3])
	if w.c.Bool("big", false) && key == "big" {
		value = strings.Repeat("b", 600_000+w.dice(3)*200_000)
	}
	w.say("set", len(key), len(value), w.c.State.Set(key, value))
}

func (w *walk) drop() {
	key := pick(w, keys)
	w.say("drop", len(key), w.c.State.Delete(key))
}

func (w *walk) tools() {
	for t := range w.c.Tools() {
		schema, err := t.Field("/inputSchema/type")
		w.say("tool", t.Name, t.Wire, string(t.Kind), t.Own, t.Hidden, t.Stale, schema, err)
	}
}

func (w *walk) servers() {
	for s := range w.c.Servers() {
		w.say("server", s.Name, s.State, s.Tools, s.Error)
	}
}

func (w *walk) prompts() {
	for p := range w.c.Prompts() {
		w.say("prompt", p.Name, p.Project, p.Priority, p.Summary, strings.Join(p.Chapters, "|"), p.Bytes, p.Hash, p.Link, p.LinkStatus)
	}
}

func (w *walk) hide() {
	name := pick(w, names)
	w.say("hide", name, w.c.HideTool(name))
}

func (w *walk) patch() {
	name, patch := pick(w, names), pick(w, patches)
	w.say("patch", name, len(patch), w.c.PatchTool(name, patch))
}

func (w *walk) add() {
	definition := pick(w, definitions)
	w.say("add", len(definition), w.c.AddTool(definition))
}

func (w *walk) open() {
	open := w.c.Before
	if w.dice(2) == 0 {
		open = w.c.After
	}
	o, err := open()
	if err == nil {
		w.out = append(w.out, o)
	}
	w.say("open", len(w.out), err)
}

// to returns the answer, the latest block or a closed block.
func (w *walk) to() controller.Out {
	if w.dice(4) == 0 {
		return pick(w, w.out)
	}
	return w.out[(len(w.out)-1)*w.dice(2)]
}

func (w *walk) write() {
	text := pick(w, texts)
	if text == "\xff" && w.dice(4) > 0 {
		text = "x"
	}
	n, err := w.to().WriteString(text)
	w.say("write", len(text), n, err)
}

func (w *walk) span() {
	b := pick(w, []stage.Buf{w.c.Input, w.c.Client, w.c.Config, {}})
	w.say("span", w.to().Span(b, w.dice(4)-1, w.dice(9)-1))
}

func (w *walk) kind() {
	k := w.dice(10) - 1
	w.say("kind", k, w.c.AnswerIs(controller.Kind(k)))
}

func (w *walk) whole() {
	if w.dice(3) > 0 {
		return
	}
	text := pick(w, results)
	_, err := w.c.Answer.WriteString(text)
	w.say("whole", w.c.AnswerIs(controller.WholeResult), err)
}

func (w *walk) rewrite() {
	name, text := pick(w, names), pick(w, objects)
	b, err := w.c.Put(text)
	w.say("rewrite", name, len(text), w.c.Rewrite(name, b, 0, -1), w.c.Rewrite(name, w.c.Input, w.dice(2), -1), err)
	b.Free()
}

func (w *walk) notify() {
	method, params := pick(w, methods), pick(w, objects)
	w.say("notify", method, len(params), w.c.Notify(method, params))
}

func (w *walk) body() {
	name := pick(w, prompts)
	b, err := w.c.PromptBody(name)
	stored, errStored := w.c.PromptStored(name)
	w.say("body", name, b.String(), err, stored.String(), errStored)
	b.Free()
	stored.Free()
}

func (w *walk) propose() {
	proposal := pick(w, proposals)
	id, err := w.c.ProposePrompt(proposal)
	w.say("propose", len(proposal), len(id) > 0, err)
}

func (w *walk) content() {
	ref := pick(w, refs)
	b, err := w.c.OpenContent(ref)
	_, errMeta := w.c.ContentMeta(ref)
	w.say("content", ref, b.String(), err, errMeta)
}

func (w *walk) section() {
	ref := pick(w, refs)
	b, err := w.c.Section(ref, "setup")
	w.say("section", ref, b.String(), err)
}

func (w *walk) about() {
	c := w.c
	i, k, r := c.ClientInfo(), c.Called(), c.Result()
	w.say("about", c.Role(), c.Hook(), c.Project(), c.Gated(), int(c.TimeMillis()), c.Protocol(), c.Tool(), c.Session())
	w.say("client", i.Name, i.Version, i.ListChanged, i.StructuredOnly, i.InstructionsChars)
	w.say("called", k.Tool, k.Wire, k.Virtual, k.Rewritten, k.Listed, k.ReadOnly, c.Client.String())
	w.say("result", r.IsError, r.ProtocolError, r.AnsweredBy, r.Bytes, len(r.Contents))
	for _, part := range r.Contents {
		w.say("part", part.Ref, part.Kind, part.Index, part.Bytes, part.MIME)
	}
}

func (w *walk) meta() { w.say("meta", w.c.Meta(pick(w, texts[:5]), pick(w, texts[:5]))) }

// index calls a function that only stages have.
func (w *walk) index() { w.say("index", stageOnly()) }
