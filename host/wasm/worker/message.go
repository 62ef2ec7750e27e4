package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
)

func writeCall(w *writer, c *abi.Call) {
	w.text(c.Role)
	writeContext(w, &c.Context)
	w.bytes(c.Config)
	writeContents(w, c.Input, c.Original)
	writeList(w, c.Marks, writeMark)
	writeTree(w, &c.Tree)
	w.text(c.Session)
	w.bytes(c.Arguments)
	w.int(int(c.LLMWaited))
}

func readCall(r *reader, c *abi.Call) {
	c.Role = r.text()
	readContext(r, &c.Context)
	c.Config = r.bytes()
	c.Input, c.Original = readContents(r)
	c.Marks = readList(r, maxList, readMark)
	readTree(r, maxList, &c.Tree)
	c.Session = r.text()
	c.Arguments = r.bytes()
	c.LLMWaited = time.Duration(r.int())
}

// writeContext writes the fields: JSON would take a fifth of a short call.
func writeContext(w *writer, x *abi.Context) {
	for _, s := range []string{x.ABI, x.Role, string(x.Kind), x.Hook, x.Project, string(x.ContentType), x.Source, x.MIME, x.Hint, x.Part.Kind} {
		w.text(s)
	}
	l := &x.Limits
	for _, n := range []int{x.RoleIndex, x.Part.Index, x.Part.Count, x.Stage.Index, x.Stage.Count,
		l.OutputBytes, l.Sections, l.MemoryBytes, l.LLMMillis, l.LLMRequests, l.TimeMillis} {
		w.int(n)
	}
}

func readContext(r *reader, x *abi.Context) {
	x.ABI, x.Role, x.Kind, x.Hook, x.Project = r.text(), r.text(), abi.RoleKind(r.text()), r.text(), r.text()
	x.ContentType, x.Source, x.MIME, x.Hint, x.Part.Kind = abi.ContentType(r.text()), r.text(), r.text(), r.text(), r.text()
	l := &x.Limits
	for _, n := range []*int{&x.RoleIndex, &x.Part.Index, &x.Part.Count, &x.Stage.Index, &x.Stage.Count,
		&l.OutputBytes, &l.Sections, &l.MemoryBytes, &l.LLMMillis, &l.LLMRequests, &l.TimeMillis} {
		*n = r.int()
	}
}

// callBytes estimates the size of a call.
func callBytes(input, original []byte, tree *abi.Tree) int {
	return len(input) + len(original) + 200*len(tree.Sections) + 2<<10
}

// writeContents writes the input and the original, which are mostly the same bytes.
func writeContents(w *writer, input, original []byte) {
	same := len(input) == len(original) && (len(input) == 0 || unsafe.SliceData(input) == unsafe.SliceData(original)) && (input == nil) == (original == nil)
	w.bool(same)
	w.content(input)
	if !same {
		w.content(original)
	}
}

func readContents(r *reader) (input, original []byte) {
	same := r.bool()
	input = r.content()
	if same {
		return input, input
	}
	return input, r.content()
}

func writeMark(w *writer, m *abi.Mark) {
	for _, n := range []int{m.Offset, m.Section, m.Lines, m.Bytes} {
		w.int(n)
	}
}

func readMark(r *reader, m *abi.Mark) {
	for _, n := range []*int{&m.Offset, &m.Section, &m.Lines, &m.Bytes} {
		*n = r.int()
	}
}

func writeOutput(w *writer, out *abi.Output, tree *abi.Tree) {
	w.bool(out.Pass)
	w.bytes(out.Bytes)
	writeList(w, out.Marks, writeMark)
	same := len(out.Tree.Sections) == len(tree.Sections) && unsafe.SliceData(out.Tree.Sections) == unsafe.SliceData(tree.Sections)
	w.bool(same) // the run added no section
	if same {
		w.text(out.Tree.Type)
		w.text(out.Tree.Syntax)
	} else {
		writeTree(w, &out.Tree)
	}
	writeMeta(w, out.Meta)
	w.bool(out.Private)
	w.bool(out.Provisional)
}

// readOutput reads the output of a call.
//
// Errors: abi.ErrGuest if it does not follow the rules for outputs.
func readOutput(r *reader, call *abi.Call, out *abi.Output) error {
	limits := &call.Context.Limits
	out.Pass, out.Bytes = r.bool(), r.bytes()
	out.Marks = readList(r, maxList, readMark)
	same := r.bool()
	if same {
		out.Tree = abi.Tree{Type: r.text(), Syntax: r.text(), Sections: call.Tree.Sections}
	} else {
		readTree(r, limits.Sections+len(call.Tree.Sections), &out.Tree)
	}
	out.Meta = readMeta(r)
	out.Private, out.Provisional = r.bool(), r.bool()
	if r.err != nil {
		return r.err
	}
	size := len(out.Bytes)
	if out.Pass {
		size = len(call.Input)
	}
	switch {
	case out.Pass && out.Bytes != nil:
		return forged("an output that is passed has bytes")
	case len(out.Bytes) > limits.OutputBytes:
		return forged("the output is over its limits")
	case !utf8.Valid(out.Bytes):
		return forged("the output is not UTF-8")
	case !same && !areSections(out.Tree.Sections, len(call.Original)):
		return forged("a section is none of the original")
	case !utf8.ValidString(out.Tree.Type) || !utf8.ValidString(out.Tree.Syntax):
		return forged("the type of the tree is not UTF-8")
	case slices.ContainsFunc(out.Marks, func(m abi.Mark) bool {
		return m.Offset < 0 || m.Offset > size || m.Section < -1 || m.Section >= len(out.Tree.Sections) || m.Lines < 0 || m.Bytes < 0
	}):
		return forged("an index mark is outside the output")
	}
	return nil
}

// errForged is the kind of errors about an answer that package imports never returns: the
// process is under the control of a guest.
var errForged = fmt.Errorf("%w: invalid result", abi.ErrGuest)

func forged(what string) error {
	return fault.NewHost(errForged, "process of the guest returned an invalid result: %s", what)
}

func writeMeta(w *writer, meta map[string]string) {
	w.int(len(meta))
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		w.text(k)
		w.text(meta[k])
	}
}

func readMeta(r *reader) map[string]string {
	n, size := r.count(2), 0
	if n > abi.LimitMetaKeys {
		r.fail()
	}
	if n == 0 || r.err != nil {
		return nil
	}
	meta := make(map[string]string)
	for range n {
		k, v := r.text(), r.text()
		if size += len(k) + len(v); size > abi.LimitMetaBytes || !utf8.ValidString(k) || !utf8.ValidString(v) {
			r.fail()
			return nil
		}
		meta[k] = v
	}
	return meta
}

// writeReport writes the log and the figures of a run.
func writeReport(w *writer, log []abi.LogLine, s *abi.RunStats) {
	writeList(w, log, func(w *writer, l *abi.LogLine) {
		w.text(l.Level)
		w.text(l.Text)
	})
	for _, n := range []int{int(s.Guest), s.MemoryBytes, int(s.Fuel), s.HostCalls, s.LLMRequests} {
		w.int(n)
	}
}

func readReport(r *reader) (log []abi.LogLine, s abi.RunStats) {
	log = readList(r, 2*abi.LimitLogLines, func(r *reader, l *abi.LogLine) {
		l.Level, l.Text = r.text(), r.text()
		if limit := abi.LimitLogLineBytes; len(l.Text) > limit || !isOneLine(l.Text) {
			l.Text = fault.Printable([]byte(l.Text), limit)
		}
	})
	s.Guest, s.MemoryBytes, s.Fuel, s.HostCalls, s.LLMRequests = time.Duration(max(r.int(), 0)), max(r.int(), 0), int64(max(r.int(), 0)), max(r.int(), 0), max(r.int(), 0)
	return log, s
}

func isOneLine(s string) bool { return fault.Printable([]byte(s), 4*len(s)+16) == s }

func writeHookCall(w *writer, c *abi.HookCall) {
	w.json(&c.Context)
	w.int(c.Context.Limits.TimeMillis)
	w.bytes(c.Config)
	writeContents(w, c.Input, c.Original)
	w.text(c.Name)
	w.text(c.Session)
	w.bytes(c.Client)
}

func readHookCall(r *reader, c *abi.HookCall) {
	r.json(&c.Context)
	c.Context.Limits.TimeMillis = r.int()
	c.Config = r.bytes()
	c.Input, c.Original = readContents(r)
	c.Name, c.Session, c.Client = r.text(), r.text(), r.bytes()
}

func writeHookOutput(w *writer, out *abi.HookOutput) {
	w.bool(out.Done)
	w.bytes(out.Answer)
	w.bool(out.Whole)
	w.bool(out.Error)
	w.bool(out.Stages)
	writeList(w, out.Before, writeBytes)
	writeList(w, out.After, writeBytes)
	w.int(len(out.State))
	for _, k := range slices.Sorted(maps.Keys(out.State)) {
		w.text(k)
		w.bytes(out.State[k])
	}
	writeList(w, out.Hidden, func(w *writer, s *string) { w.text(*s) })
	writeList(w, out.Patches, func(w *writer, p *abi.ToolPatch) {
		w.text(p.Tool)
		w.bytes(p.Patch)
	})
	writeList(w, out.Tools, func(w *writer, t *abi.VirtualTool) {
		w.text(t.Name)
		w.bytes(t.Definition)
	})
	w.bool(out.Rewrite != nil)
	if out.Rewrite != nil {
		w.text(out.Rewrite.Tool)
		w.bytes(out.Rewrite.Arguments)
	}
	writeList(w, out.Notes, func(w *writer, n *abi.Note) {
		w.text(n.Method)
		w.bytes(n.Params)
	})
	writeMeta(w, out.Meta)
	w.bool(out.Provisional)
}

func writeBytes(w *writer, b *[]byte) { w.bytes(*b) }

func readBytes(r *reader, b *[]byte) { *b = r.bytes() }

// readHookOutput reads the output of a hook.
//
// Errors: abi.ErrGuest if it does not follow the rules for outputs.
func readHookOutput(r *reader, j *Job, out *abi.HookOutput) error {
	total := len(r.b)
	isForged := false
	object := func() json.RawMessage { // one line of JSON, or nil
		b := r.bytes()
		isForged = isForged || b != nil && !isJSONLine(b)
		return b
	}
	out.Done, out.Answer, out.Whole, out.Error, out.Stages = r.bool(), r.bytes(), r.bool(), r.bool(), r.bool()
	isForged = out.Whole && !isJSONLine(out.Answer)
	out.Before, out.After = readList(r, abi.LimitBlocks, readBytes), readList(r, abi.LimitBlocks, readBytes)
	n := r.count(2)
	if n > 2*abi.LimitStateKeys { // set and deleted ones
		r.fail()
	} else if n > 0 {
		out.State = make(map[string][]byte)
		for range n {
			k := r.text()
			out.State[k] = r.bytes()
		}
	}
	out.Hidden = readList(r, maxList, func(r *reader, s *string) { *s = r.text() })
	out.Patches = readList(r, maxList, func(r *reader, p *abi.ToolPatch) { p.Tool, p.Patch = r.text(), object() })
	out.Tools = readList(r, maxList, func(r *reader, t *abi.VirtualTool) { t.Name, t.Definition = r.text(), object() })
	if r.bool() {
		out.Rewrite = &abi.CallRewrite{Tool: r.text(), Arguments: object()}
	}
	out.Notes = readList(r, abi.LimitNotifications, func(r *reader, n *abi.Note) { n.Method, n.Params = r.text(), object() })
	out.Meta = readMeta(r)
	out.Provisional = r.bool()
	if r.err != nil {
		return r.err
	}
	for _, text := range slices.Concat(out.Before, out.After, [][]byte{out.Answer}) {
		isForged = isForged || !utf8.Valid(text)
	}
	switch {
	case slices.ContainsFunc(out.Notes, func(n abi.Note) bool { return !imports.MayNotify(&j.Role, n.Method) }):
		return forged("a notification that the role does not declare")
	case isForged:
		return forged("it is not JSON or not UTF-8")
	case total > j.Limits.OutputBytes+maxHookBytes:
		return forged("it is over the limits of a hook")
	}
	return nil
}

// maxList is more than the elements of any list.
const maxList = 100_000

// maxHookBytes is more than the changes of a hook have together, without its answer.
const maxHookBytes = 64 << 20

func isJSONLine(b []byte) bool {
	return jsonspan.Valid(b) == nil && utf8.Valid(b) && !bytes.ContainsAny(b, "\n\r")
}

func writeRequest(w *writer, q *abi.LLMRequest) {
	w.int(q.Tier)
	w.int(q.MaxTokens)
	w.bool(q.JSON)
	w.bool(q.Background)
	w.text(q.System)
	writeList(w, q.Parts, func(w *writer, p *abi.LLMPart) {
		w.bytes(p.Text)
		w.bool(p.Quoted)
	})
}

// readRequest reads a request without its project and module.
func readRequest(r *reader, q *abi.LLMRequest) {
	q.Tier, q.MaxTokens, q.JSON, q.Background = r.int(), r.int(), r.bool(), r.bool()
	q.System = r.text()
	q.Parts = readList(r, maxList, func(r *reader, p *abi.LLMPart) { p.Text, p.Quoted = r.bytes(), r.bool() })
}

func writeAnswer(w *writer, a *abi.LLMAnswer) {
	w.bytes(a.Text)
	w.bool(a.Cut)
}

func readAnswer(r *reader) (a abi.LLMAnswer) {
	a.Text, a.Cut = r.bytes(), r.bool()
	return a
}
