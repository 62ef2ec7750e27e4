package wasm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Instructions for raw.
const (
	unreachable = 0x00
	loopVoid    = 0x03
	br          = 0x0c
	end         = 0x0b
	i32const    = 0x41
	drop        = 0x1a
	memoryGrow  = 0x40
	voidBlock   = 0x40
)

// TestFailures checks the error texts that follow `stage "x": `.
func TestFailures(t *testing.T) {
	write := func(s *script) *script { s.call("out_write", 0, 0); return s }
	put := func(text string) *script {
		s := (&script{}).data(0, text)
		s.call("out_write", 0, len(text))
		return s
	}
	manifest := func(role string) string {
		return `{"name":"script","abi":"1.0","roles":[{"name":"script","kind":"stage","capabilities":["cache"]` + role + `}]}`
	}
	reason := (&script{}).data(0, "maxLines 0 not in 1..1000")
	reason.call("fail", 0, 25)
	panics := (&script{}).data(0, "panic: boom")
	panics.call("fail", 0, 11)
	evil := (&script{}).data(0, "a\n\x1b[31mred\x1b[0m\u202e")
	evil.call("fail", 0, 17)
	badRead := &script{}
	badRead.call("buf_read", 0, 0, -256, 512)
	badLog := &script{}
	badLog.call("log", 1, 200_000, -1)
	exit := &script{}
	exit.callOf(module.WASINamespace, "proc_exit", 0, 0)
	exit7 := &script{}
	exit7.callOf(module.WASINamespace, "proc_exit", 0, 7)
	abort := (&script{}).data(0, "\x06\x00\x00\x00o\x00h\x00!\x00").data(20, "\x08\x00\x00\x00a\x00.\x00t\x00s\x00")
	abort.callOf("env", "abort", 0, 4, 24, 12, 5)
	full := &script{}
	full.repeat(20, func() { full.callOf(abi.NSCore, "out_write", binary.TypeI32, 0, 60_000) })
	grow := (&script{}).raw(i32const).raw(sleb(2000)...).raw(memoryGrow, 0, drop, unreachable)
	overlap := (&script{}).data(0, "lightsrooms")
	overlap.call("section_add", -1, -1, 0, 0, 0, 0)
	overlap.call("section_add", 0, 1, 0, 1300, 0, 6)
	overlap.call("section_add", 0, 1, 1204, 1400, 6, 5)

	tests := []struct {
		rule string
		s    *script
		want string
		kind error
	}{
		{"trap", (&script{}).raw(unreachable), "guest trapped: unreachable", abi.ErrGuest},
		{"trap with a reason", panics.raw(unreachable), "guest trapped: panic: boom", abi.ErrGuest},
		{"out of bounds", (&script{}).raw(i32const, 0x7f, 0x28, 2, 0, drop), "guest trapped: out of bounds memory access", abi.ErrGuest},
		{"division", (&script{}).raw(i32const, 1, i32const, 0, 0x6d, drop), "guest trapped: integer divide by zero", abi.ErrGuest},
		{"bad pointer", badRead, "guest trapped: bad pointer in buf_read(0, 0, 4294967040, 512)", abi.ErrGuest},
		{"bad length", badLog, "guest trapped: bad pointer in log(1, 200000, -1)", abi.ErrGuest},
		{"memory", grow, "guest trapped: unreachable at 1 MiB (limit 64 MiB, set limits.memory)", abi.ErrLimit},
		{"FAIL with a reason", reason.returns(2), "maxLines 0 not in 1..1000", abi.ErrRefused},
		{"a reason is one line without escapes", evil.returns(2), `a\n\u001b[31mred\u001b[0m\u202e`, abi.ErrGuest},
		{"FAIL without a reason", write(&script{}).returns(2), "failed without a reason", abi.ErrRefused},
		{"unknown return code", write(&script{}).returns(7), "returned 7, want 0, 1 or 2", abi.ErrGuest},
		{"negative return code", write(&script{}).returns(-1), "returned -1, want 0, 1 or 2", abi.ErrGuest},
		{"proc_exit(0) is a failure", exit, "guest exited with status 0 in mid-call", abi.ErrGuest},
		{"proc_exit(7)", exit7, "guest exited with status 7 in mid-call", abi.ErrGuest},
		{"abort of AssemblyScript", abort, "guest aborted: oh! in a.ts:12:5", abi.ErrGuest},
		{"DONE without output", &script{}, "returned DONE without output", abi.ErrGuest},
		{"DONE against the manifest", write(&script{manifest: manifest(`,"transforms":false`)}), "returned DONE, the manifest declares transforms: false", abi.ErrGuest},
		{"not UTF-8", put("abc\xffdef"), "output is not UTF-8 at byte 3", abi.ErrGuest},
		{"LIMIT ignored", full, "output over 1,054,576 bytes (set limits.output)", abi.ErrLimit},
		{"sections overlap below a group", write(overlap), `sections "lights" and "rooms" overlap at byte 1,204`, abi.ErrGuest},
	}
	for _, c := range tests {
		t.Run(c.rule, func(t *testing.T) {
			c.s.noResult = true
			got := newBench(t, nil).run(t, c.s, content(strings.Repeat("0123456789", 150)))
			if got.err == nil || got.err.Error() != c.want {
				t.Fatalf("got  %v\nwant %s", got.err, c.want)
			}
			if !errors.Is(got.err, c.kind) {
				t.Errorf("kind of %v is not %v", got.err, c.kind)
			}
			if isRefusal := strings.HasPrefix(c.rule, "FAIL") || strings.HasPrefix(c.rule, "a reason"); errors.Is(got.err, abi.ErrRefused) != isRefusal {
				t.Errorf("%v is a refusal: %v", got.err, !isRefusal)
			}
			if got.out.Bytes != nil || got.out.Pass || got.out.Tree.Sections != nil || got.out.Meta != nil {
				t.Errorf("a failed run left %+v", got.out)
			}
		})
	}
}

// spin never ends.
func spin() *script { return (&script{noResult: true}).raw(loopVoid, voidBlock, br, 0, end) }

// TestTimeBudget verifies that a ProxyModel can only reduce the time of a stage.
func TestTimeBudget(t *testing.T) {
	for _, c := range []struct {
		name string
		ms   int
		want time.Duration
	}{{"default", 0, 2 * time.Second}, {"less", 50, 50 * time.Millisecond}, {"more", 60_000, 2 * time.Second}} {
		if got := timeBudget(2*time.Second, abi.GuestLimits{TimeMillis: c.ms}); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestEndlessLoopIsStopped runs a local module without an end.
func TestEndlessLoopIsStopped(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Time = 50 * time.Millisecond })
	m, err := b.Load(t.Context(), "loop", spin().wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, _ := m.Guest("loop")
	_, err = g.Run(t.Context(), content("x"))
	if err == nil || !strings.Contains(err.Error(), "guest trapped after ") || !strings.Contains(err.Error(), "(limit 50ms, set limits.time)") || !errors.Is(err, abi.ErrLimit) {
		t.Errorf("got %v", err)
	}
	patient := newBench(t, nil)
	g = patient.localGuest(t, "loop", spin().wasm())
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("client went away")
	time.AfterFunc(10*time.Millisecond, func() { cancel(gone) })
	if _, err = g.Run(ctx, content("x")); !errors.Is(err, gone) {
		t.Errorf("given up by the caller: got %v", err)
	}
}

// TestEndlessCallsAreStopped verifies that a trusted module is stopped in an import.
func TestEndlessCallsAreStopped(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Time = 50 * time.Millisecond })
	s := (&script{noResult: true}).raw(loopVoid, voidBlock)
	s.callOf(abi.NSCore, "buf_len", binary.TypeI32, 0)
	s.raw(br, 0, end)
	_, err := b.guest(t, "flood", s.wasm()).Run(t.Context(), content("x"))
	if !errors.Is(err, abi.ErrLimit) {
		t.Errorf("got %v", err)
	}
}

func TestDoneAndPass(t *testing.T) {
	b := newBench(t, nil)
	meta := (&script{}).data(0, "typejson-arrayé")
	meta.call("meta_set", 0, 4, 4, 10)
	meta.call("section_add", -1, 1, 0, 2, 0, 4)
	meta.call("out_write", 14, 1) // half of é
	meta.call("out_write", 15, 1)
	meta.call("log", 2, 0, 4)
	got := b.run(t, meta, content("hello"))
	if got.err != nil || string(got.out.Bytes) != "é" || got.out.Tree.Type != "json-array" || got.out.Meta["type"] != "json-array" {
		t.Errorf("DONE: err %v, output %q, tree %+v, meta %v", got.err, got.out.Bytes, got.out.Tree, got.out.Meta)
	}
	if s := got.out.Tree.Sections; len(s) != 1 || s[0].ID != "type" || s[0].End != 2 {
		t.Errorf("sections %+v", s)
	}
	if l := got.out.Log; len(l) != 1 || l[0] != (abi.LogLine{Level: "warn", Text: "type"}) {
		t.Errorf("log %v", l)
	}
	empty := &script{}
	empty.call("out_write", 0, 0)
	if got := b.run(t, empty, content("hello")); got.err != nil || got.out.Bytes == nil || len(got.out.Bytes) != 0 {
		t.Errorf("an empty output: err %v, output %v", got.err, got.out.Bytes)
	}
	syntax := (&script{}).data(0, "syntax[]")
	syntax.call("meta_set", 0, 6, 6, 2)
	syntax.call("out_write", 0, 0)
	if got := b.run(t, syntax, content("hello")); got.err != nil || got.out.Tree.Syntax != "[]" || len(got.out.Meta) != 0 {
		t.Errorf("syntax: err %v, tree %+v, meta %v", got.err, got.out.Tree, got.out.Meta)
	}
	invalid := (&script{}).data(0, "syntax[{")
	invalid.call("meta_set", 0, 6, 6, 2)
	invalid.call("out_write", 0, 0)
	if got := b.run(t, invalid, content("hello")); got.err != nil || got.out.Tree.Syntax != "" {
		t.Errorf("invalid syntax: err %v, tree %+v", got.err, got.out.Tree)
	}
	pass := (&script{}).data(0, "dropped")
	pass.call("out_write", 0, 7)
	pass.call("section_add", -1, 1, 0, 2, 0, 4)
	got = b.run(t, pass.returns(1), content("hello"))
	if got.err != nil || !got.out.Pass || got.out.Bytes != nil || len(got.out.Tree.Sections) != 1 {
		t.Errorf("PASS: err %v, %+v", got.err, got.out)
	}
}

// TestTreeOfEarlierStage verifies that sections of an earlier stage are kept.
func TestTreeOfEarlierStage(t *testing.T) {
	c := content("0123456789")
	c.Tree = abi.Tree{Type: "prose", Sections: []abi.Section{{Parent: -1, End: 4, ID: "a", Title: "A"}, {Parent: -1, Start: 4, End: 10, ID: "b"}}}
	before := slices.Clone(c.Tree.Sections)
	b := newBench(t, nil)
	idle := &script{}
	idle.call("buf_len", 5)
	got := b.run(t, idle.returns(1), c)
	if got.results[0] != 64 || !slices.EqualFunc(got.out.Tree.Sections, before, sameSection) || got.out.Tree.Type != "prose" {
		t.Errorf("idle: buffer 5 of %d bytes, tree %+v", got.results[0], got.out.Tree)
	}
	more := (&script{}).data(0, "AB")
	child := more.call("section_add", 0, 0, 1, 3, 0, 1)
	more.call("section_summary", 1, 0, 0, 3)
	oldID := more.call("section_id", 0, 0, 1)
	more.call("buf_read", 5, 0, 1000, 96)
	got = b.run(t, more.returns(1), c)
	if got.err != nil {
		t.Fatal(got.err)
	}
	tree := got.out.Tree.Sections
	if got.results[child] != 2 || len(tree) != 3 || tree[1].Summary != "012" || tree[2].ID != "a" || tree[2].Parent != 0 {
		t.Errorf("tree %+v", tree)
	}
	if got.results[oldID] != badArg {
		t.Error("the id of an earlier section may not change")
	}
	if !slices.EqualFunc(c.Tree.Sections, before, sameSection) {
		t.Errorf("the caller's tree was changed: %+v", c.Tree.Sections)
	}
	record := func(i int) (v [8]int) {
		for f := range v {
			v[f] = int(int32(got.u32(1000 + 32*i + 4*f)))
		}
		return v
	}
	want := [][8]int{{-1, 0, 0, 4, 0, 1, 0, 0}, {-1, 0, 4, 10, 0, 0, 1, 0}, {0, 0, 1, 3, 1, 0, 0, 0}}
	for i, w := range want {
		if record(i) != w {
			t.Errorf("record %d is %v, want %v", i, record(i), w)
		}
	}
}

func sameSection(a, b abi.Section) bool {
	return a.Parent == b.Parent && a.Kind == b.Kind && a.Start == b.Start && a.End == b.End && a.ID == b.ID && a.Title == b.Title && a.Summary == b.Summary
}

// TestSectionKinds verifies that the kind of a section depends on its buffer.
func TestSectionKinds(t *testing.T) {
	const text = `{"a":"x\nyz","b":["plain"]}`
	s := (&script{}).data(0, "/a/b/0own")
	s.call("section_add", -1, 0, 1, 12, 0, 0)           // 0: exact through buffer 0
	view := s.call("buf_view", 1, 13, 13)               // "b":["plain"]
	s.call("section_add", -1, view, 4, 13, 0, 0)        // 1: exact through a view, at 17
	a := s.call("json_get", 0, 0, 2)                    // x\nyz
	s.call("section_add", 0, a, 0, 2, 0, 0)             // 2: decoded
	tail := s.call("buf_view", a, 2, -1)                // yz
	s.call("section_add", 0, tail, 1, 2, 0, 0)          // 3: decoded, at 3
	plain := s.call("json_text", view, 5, 12)           // plain, through a view
	s.call("section_add", 1, plain, 0, 5, 0, 0)         // 4: decoded, literal at 18
	own := s.call("buf_put", 6, 3)                      // own
	s.call("section_add", 0, own, 1, 3, 0, 0)           // 5: derived
	nested := s.call("json_get", a, 0, 0)               // not JSON
	body := s.call("section_text", 4, 3)                // plain
	again := s.call("section_add", 4, body, 2, 4, 0, 0) // 6: decoded, inside 4
	got := newBench(t, nil).run(t, s.returns(1), content(text))
	if got.err != nil {
		t.Fatal(got.err)
	}
	if got.results[nested] != badArg || got.results[again] != 6 {
		t.Fatalf("results %v", got.results)
	}
	want := []abi.Section{
		{Parent: -1, Start: 1, End: 12},
		{Parent: -1, Start: 17, End: 26},
		{Parent: 0, Kind: abi.SectionDecoded, Start: 0, End: 2, Literal: [2]int{5, 12}},
		{Parent: 0, Kind: abi.SectionDecoded, Start: 3, End: 4, Literal: [2]int{5, 12}},
		{Parent: 1, Kind: abi.SectionDecoded, Start: 0, End: 5, Literal: [2]int{18, 25}},
		{Parent: 0, Kind: abi.SectionDerived, Start: 0, End: 2, Body: []byte("wn")},
		{Parent: 4, Kind: abi.SectionDecoded, Start: 2, End: 4, Literal: [2]int{18, 25}},
	}
	for i, w := range want {
		g := got.out.Tree.Sections[i]
		if g.Parent != w.Parent || g.Kind != w.Kind || g.Start != w.Start || g.End != w.End || g.Literal != w.Literal || string(g.Body) != string(w.Body) {
			t.Errorf("section %d is %+v, want %+v", i, g, w)
		}
	}
}

// TestInputThatIsNotOriginal verifies that sections of a changed input are derived.
func TestInputThatIsNotOriginal(t *testing.T) {
	s := &script{}
	s.call("section_add", -1, 0, 0, 3, 0, 0)
	s.call("section_add", -1, 1, 0, 2, 0, 0)
	c := content("abc")
	c.Original = []byte("abX")
	got := newBench(t, nil).run(t, s.returns(1), c)
	if k := got.out.Tree.Sections; k[0].Kind != abi.SectionDerived || k[1].Kind != abi.SectionExact {
		t.Errorf("kinds %v and %v", k[0].Kind, k[1].Kind)
	}
}

// TestMarks verifies that a mark is copied with the byte at its offset.
func TestMarks(t *testing.T) {
	input := func() abi.Call {
		c := content("0123456789")
		c.Marks = []abi.Mark{{Offset: 0, Section: -1}, {Offset: 5, Section: -1, Lines: 7}, {Offset: 10, Section: -1}}
		return c
	}
	tests := []struct {
		rule string
		s    func(s *script)
		pass bool
		want []int
	}{
		{"PASS keeps them", func(s *script) {}, true, []int{0, 5, 10}},
		{"DONE without a span drops them", func(s *script) { s.call("out_write", 0, 3) }, false, nil},
		{"complete span copies all", func(s *script) { s.call("out_write", 0, 3); s.call("out_span", 0, 0, -1) }, false, []int{3, 8, 13}},
		{"adjacent spans copy each once", func(s *script) { s.call("out_span", 0, 0, 5); s.call("out_span", 0, 5, 5) }, false, []int{0, 5, 10}},
		{"part copies its own", func(s *script) { s.call("out_span", 0, 4, 3) }, false, []int{1}},
		{"view copies its own", func(s *script) { s.call("out_span", s.call("buf_view", 0, 4, 6), 0, -1) }, false, []int{1, 6}},
		{"original copies none", func(s *script) { s.call("out_span", 1, 0, -1) }, false, nil},
		{"new mark at end of output", func(s *script) { s.call("out_span", 0, 1, 3); s.call("out_index", -1, 9, 100) }, false, []int{3}},
	}
	for _, c := range tests {
		s := &script{}
		c.s(s)
		if c.pass {
			s.returns(1)
		}
		got := newBench(t, nil).run(t, s, input())
		if got.err != nil {
			t.Fatal(c.rule, got.err)
		}
		var at []int
		for _, m := range got.out.Marks {
			at = append(at, m.Offset)
		}
		if !slices.Equal(at, c.want) {
			t.Errorf("%s: marks at %v, want %v", c.rule, at, c.want)
		}
	}
}

func TestBuffersOfCall(t *testing.T) {
	c := content("now")
	c.Original, c.Config, c.Session = []byte("then"), []byte(`{"a":1}`), "s-1"
	c.Context.Hint = "a<b>.json"
	read := func(buf int) ran {
		s := &script{}
		s.call("buf_read", buf, 0, 0, 2000)
		return newBench(t, nil).run(t, s.returns(1), c)
	}
	text := func(r ran) string { return string(r.memory[:r.results[0]]) }
	const context = `{"abi":"1.2","role":"script","roleIndex":0,"kind":"stage","hook":"stage","project":"home","contentType":"toolResult",` +
		`"source":"files/read","mime":"","hint":"a<b>.json","part":{"kind":"","index":0,"count":0},"stage":{"index":0,"count":0},` +
		`"limits":{"outputBytes":1048588,"sections":65536,"memoryBytes":67108864,"llmMs":3000,"llmRequests":32}}`
	for buf, want := range map[int]string{0: "now", 1: "then", 2: `{"a":1}`, 3: context, 4: "files/read", 5: "", 6: "s-1", 7: "", 9: ""} {
		got := read(buf)
		if text(got) != want {
			t.Errorf("buffer %d is %q, want %q", buf, text(got), want)
		}
		if got.out.Private != (buf == abi.BufSession) {
			t.Errorf("buffer %d: private %v", buf, got.out.Private)
		}
	}
}

// TestArgumentsOfCall verifies that only a stage with the capability reads the arguments,
// wherever it runs.
func TestArgumentsOfCall(t *testing.T) {
	const arguments = `{"query":"boat"}`
	for _, tc := range []struct{ role, want string }{
		{`"kind":"stage","capabilities":["arguments"]`, arguments},
		{`"kind":"stage","capabilities":["cache"]`, ""},
		{`"kind":"stage"`, ""},
		{`"kind":"filter"`, ""},
	} {
		file := new(hosttest.Module).Call(abi.FuncOutWrite, ">").Call(abi.FuncOutSpan, abi.BufArguments, 0, -1).
			Manifest(`{"name":"echo","abi":"1.2","roles":[{"name":"echo",` + tc.role + `}]}`).File()
		c := content("x")
		c.Arguments = []byte(arguments)
		out, err := newBench(t, nil).guest(t, "echo", file).Run(t.Context(), c)
		if err != nil || string(out.Bytes) != ">"+tc.want {
			t.Errorf("%s: %q, %v", tc.role, out.Bytes, err)
		}
	}
}

// TestCacheNamespace verifies that values are private to module, role, project and config.
func TestCacheNamespace(t *testing.T) {
	b := newBench(t, nil)
	file := func() []byte {
		s := (&script{}).data(0, "kv")
		s.call("cache_set", 0, 1, 1, 1)
		return s.returns(1).wasm()
	}()
	g := b.guest(t, "script", file)
	for _, change := range []func(*abi.Call){func(*abi.Call) {}, func(c *abi.Call) { c.Context.Project = "work" }, func(c *abi.Call) { c.Config = []byte(`{"x":1}`) }} {
		c := content("x")
		change(&c)
		if _, err := g.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(b.kv.values); n != 3 {
		t.Errorf("%d namespaces, want 3", n)
	}
}

func TestLog(t *testing.T) {
	b := newBench(t, nil)
	s := (&script{}).data(0, "two\nlines\x1b]0;x\x07").data(100, "out\npart").data(200, "\x64\x00\x00\x00\x08\x00\x00\x00")
	s.call("log", 0, 0, 15)
	s.callOf(module.WASINamespace, "fd_write", binary.TypeI32, 1, 200, 1, 300)
	s.callOf(module.WASINamespace, "fd_write", binary.TypeI32, 2, 200, 1, 300)
	s.repeat(1100, func() { s.callOf(abi.NSCore, "log", binary.TypeI32, 1, 0, 3) })
	got := b.run(t, s.returns(1), content("x"))
	l := got.out.Log
	if got.err != nil || len(l) != 1001 {
		t.Fatalf("err %v, %d lines", got.err, len(l))
	}
	want := []abi.LogLine{{Level: "debug", Text: `two\nlines\u001b]0;x\u0007`}, {Level: "info", Text: "out"}, {Level: "warn", Text: "out"}}
	if !slices.Equal(l[:3], want) {
		t.Errorf("lines %q", l[:3])
	}
	if last := l[1000]; last.Text != "dropped 105 lines" { // 1,102 lines and two parts
		t.Errorf("last line %q", last)
	}
}

func TestClosedModule(t *testing.T) {
	b := newBench(t, nil)
	m, err := b.Load(t.Context(), "script", (&script{noResult: true}).returns(1).wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("script")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Guest("other"); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("unknown role: %v", err)
	}
	m.Close()
	m.Close()
	if _, err := g.Run(t.Context(), content("x")); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("run of a closed module: %v", err)
	}
}
