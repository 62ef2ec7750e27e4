package worker

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// fill sets every field of v to a value that is not zero, so that the test of a type fails
// for a field that its functions forget.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.String:
		v.SetString("text " + string(rune('a'+*n%26)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":1}`))
			return
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte{'b', byte('a' + *n%26)})
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, n)
			fill(value, n)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Chan, reflect.Interface: // stay in their process
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

// filled returns a value of which every field is set.
func filled[T any]() T {
	var v T
	n := 0
	fill(reflect.ValueOf(&v).Elem(), &n)
	return v
}

// payload returns what was written after the header.
func payload(w *writer) *reader { return &reader{b: w.b[headerBytes:]} }

func checkEqual(t *testing.T, r *reader, got, want any) {
	t.Helper()
	if err := r.done(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
}

func TestCall(t *testing.T) {
	want := filled[abi.Call]()
	w := newWriter(0)
	writeCall(w, &want)
	var got abi.Call
	r := payload(w)
	readCall(r, &got)
	checkEqual(t, r, got, want)
}

func TestCallOfOriginal(t *testing.T) {
	content := make([]byte, 1<<20)
	w := newWriter(0)
	writeCall(w, &abi.Call{Input: content, Original: content})
	if len(w.b) > len(content)+1000 {
		t.Errorf("the content was sent twice: %d bytes", len(w.b))
	}
	var got abi.Call
	r := payload(w)
	readCall(r, &got)
	checkEqual(t, r, got, abi.Call{Input: content, Original: content})
}

func TestContentsInArea(t *testing.T) {
	want := abi.Call{Input: bytes.Repeat([]byte("input "), minShared), Original: bytes.Repeat([]byte("original "), minShared), Config: []byte("{}")}
	a := &area{mem: make([]byte, areaBytes)}
	w := newWriter(0)
	w.area = a
	writeCall(w, &want)
	if len(w.b) > 1000 || a.used != len(want.Input)+len(want.Original) {
		t.Errorf("%d bytes in the frame, %d in the area", len(w.b), a.used)
	}
	var got abi.Call
	r := payload(w)
	r.area = a.mem
	readCall(r, &got)
	checkEqual(t, r, got, want)

	w.b = w.b[:headerBytes]
	w.content(want.Input[:minShared-1]) // small
	w.content(make([]byte, areaBytes))  // too large for the rest
	if len(w.b) < areaBytes+minShared {
		t.Errorf("%d bytes in the frame", len(w.b))
	}
	for _, position := range [][2]int{{-1, 5}, {0, -1}, {areaBytes, 1}, {1, areaBytes}, {0, areaBytes + 1}} {
		w.b = w.b[:headerBytes]
		w.int(inArea)
		w.int(position[0])
		w.int(position[1])
		r := payload(w)
		r.area = a.mem
		if r.content(); r.err == nil {
			t.Errorf("accepted: %d bytes at %d", position[1], position[0])
		}
	}
}

func TestHookCall(t *testing.T) {
	want := filled[abi.HookCall]()
	w := newWriter(0)
	writeHookCall(w, &want)
	var got abi.HookCall
	r := payload(w)
	readHookCall(r, &got)
	checkEqual(t, r, got, want)
}

func TestRequest(t *testing.T) {
	want := filled[abi.LLMRequest]()
	w := newWriter(0)
	writeRequest(w, &want)
	got := abi.LLMRequest{Project: want.Project, Module: want.Module} // the parent knows them
	r := payload(w)
	readRequest(r, &got)
	checkEqual(t, r, got, want)
}

// limits are those of the outputs below.
var limits = abi.GuestLimits{OutputBytes: 1000, Sections: 10}

func TestOutput(t *testing.T) {
	call := abi.Call{Input: []byte("text"), Original: []byte(`"text of the original"`), Context: abi.Context{Limits: limits}, Tree: abi.Tree{Sections: make([]abi.Section, 3)}}
	changed := filled[abi.Output]()
	changed.Pass = false
	changed.Tree.Sections = []abi.Section{
		{Parent: -1, Kind: abi.SectionExact, Start: 0, End: 22, ID: "all", Title: "All", Summary: "a summary"},
		{Parent: 0, Kind: abi.SectionGroup, ID: "group"},
		{Parent: 1, Kind: abi.SectionDecoded, Start: 5, End: 7, Literal: [2]int{0, 22}, Title: "of"},
		{Parent: 2, Kind: abi.SectionDerived, End: 3, Body: []byte("own")},
		{Parent: -1, Kind: abi.SectionDerived, Body: []byte{}},
	}
	changed.Marks = []abi.Mark{{Offset: 1, Section: 1, Lines: 3, Bytes: 4}, {Offset: 2, Section: -1}}
	passed := abi.Output{Pass: true, Tree: call.Tree}
	for _, want := range []abi.Output{changed, passed} {
		want.Log, want.Stats = nil, abi.RunStats{} // in the report
		w := newWriter(0)
		writeOutput(w, &want, &call.Tree)
		var got abi.Output
		r := payload(w)
		if err := readOutput(r, &call, &got); err != nil {
			t.Error(err)
		}
		checkEqual(t, r, got, want)
	}
}

func TestReport(t *testing.T) {
	want, log := filled[abi.RunStats](), filled[[]abi.LogLine]()
	w := newWriter(0)
	writeReport(w, log, &want)
	r := payload(w)
	gotLog, got := readReport(r)
	checkEqual(t, r, got, want)
	checkEqual(t, r, gotLog, log)
}

// hookJob is the job of the hooks below.
var hookJob = &Job{Limits: limits}

func TestHookOutput(t *testing.T) {
	want := filled[abi.HookOutput]()
	want.Log, want.Stats = nil, abi.RunStats{}
	want.Answer = []byte(`{"content":[]}`)
	want.State["deleted"] = nil
	for i := range want.Notes {
		want.Notes[i].Method = abi.NoteMessage
	}
	w := newWriter(0)
	writeHookOutput(w, &want)
	var got abi.HookOutput
	r := payload(w)
	if err := readHookOutput(r, hookJob, &got); err != nil {
		t.Error(err)
	}
	checkEqual(t, r, got, want)
}

// What a process can send that no guest can cause.
func TestForgedOutput(t *testing.T) {
	call := abi.Call{Input: []byte("text"), Original: []byte("text"), Context: abi.Context{Limits: limits}}
	section := func(change func(s *abi.Section)) abi.Output {
		list := []abi.Section{{Parent: -1, End: 4}, {Parent: 0, Start: 1, End: 2}}
		change(&list[1])
		return abi.Output{Bytes: []byte("x"), Tree: abi.Tree{Sections: list}}
	}
	if !areSections(section(func(*abi.Section) {}).Tree.Sections, 4) {
		t.Error("sections that are valid are refused")
	}
	for what, out := range map[string]abi.Output{
		"a section of an unknown kind":   section(func(s *abi.Section) { s.Kind = -5 }),
		"a section that is its parent":   section(func(s *abi.Section) { s.Parent = 1 }),
		"a section with parent -2":       section(func(s *abi.Section) { s.Parent = -2 }),
		"a section of no bytes":          section(func(s *abi.Section) { s.End = 1 }),
		"a section before the start":     section(func(s *abi.Section) { s.Start = -1 }),
		"a section after the end":        section(func(s *abi.Section) { s.End = 5 }),
		"an exact section with a body":   section(func(s *abi.Section) { s.Body = []byte("x") }),
		"a group with bytes":             section(func(s *abi.Section) { s.Kind = abi.SectionGroup }),
		"a derived section without body": section(func(s *abi.Section) { s.Kind, s.Start = abi.SectionDerived, 0 }),
		"a string after the end":         section(func(s *abi.Section) { s.Kind, s.Literal = abi.SectionDecoded, [2]int{2, 9} }),
		"a section outside its string":   section(func(s *abi.Section) { s.Kind, s.Literal = abi.SectionDecoded, [2]int{2, 3} }),
		"a body that is not UTF-8":       section(func(s *abi.Section) { *s = abi.Section{Kind: abi.SectionDerived, End: 1, Body: []byte("\xff")} }),
		"an id that is not UTF-8":        section(func(s *abi.Section) { s.ID = "\xff" }),
		"a title that is not UTF-8":      section(func(s *abi.Section) { s.Title = "\xff" }),
		"a summary that is not UTF-8":    section(func(s *abi.Section) { s.Summary = "\xff" }),
		"a type that is not UTF-8":       {Bytes: []byte("x"), Tree: abi.Tree{Type: "\xff"}},

		"bytes of a passed output":  {Pass: true, Bytes: []byte("x")},
		"too many bytes":            {Bytes: make([]byte, 1001)},
		"too many sections":         {Bytes: []byte("x"), Tree: abi.Tree{Sections: make([]abi.Section, 11)}},
		"too many values":           {Bytes: []byte("x"), Meta: map[string]string{"a": strings.Repeat("x", abi.LimitMetaBytes)}},
		"a value that is not UTF-8": {Bytes: []byte("x"), Meta: map[string]string{"a": "\xff"}},
		"an index of -1 lines":      {Bytes: []byte("x"), Marks: []abi.Mark{{Section: -1, Lines: -1}}},
		"no UTF-8":                  {Bytes: []byte("\xff")},
		"a mark after the end":      {Bytes: []byte("x"), Marks: []abi.Mark{{Offset: 2, Section: -1}}},
		"a mark of no section":      {Bytes: []byte("x"), Marks: []abi.Mark{{Section: 1}}},
	} {
		w := newWriter(0)
		writeOutput(w, &out, &call.Tree)
		var got abi.Output
		if err := readOutput(payload(w), &call, &got); err == nil {
			t.Errorf("accepted: %s", what)
		}
	}
	for what, out := range map[string]abi.HookOutput{
		"a whole answer that is no JSON":    {Done: true, Whole: true, Answer: []byte("x")},
		"an answer that would end a frame":  {Done: true, Whole: true, Answer: []byte("{\n}")},
		"an answer that is not UTF-8":       {Done: true, Answer: []byte("\xff")},
		"a definition that is no JSON":      {Tools: []abi.VirtualTool{{Name: "a", Definition: []byte("}")}}},
		"a patch that is no JSON":           {Patches: []abi.ToolPatch{{Tool: "a", Patch: []byte("}")}}},
		"arguments that are no JSON":        {Rewrite: &abi.CallRewrite{Tool: "a", Arguments: []byte("}")}},
		"params of a note that are no JSON": {Notes: []abi.Note{{Method: abi.NoteMessage, Params: []byte("}")}}},
		"a note that is not declared":       {Notes: []abi.Note{{Method: "notifications/resources/updated"}}},
		"too many notes":                    {Notes: slices.Repeat([]abi.Note{{Method: abi.NoteMessage}}, abi.LimitNotifications+1)},
		"a block that is not UTF-8":         {Before: [][]byte{[]byte("\xff")}},
	} {
		w := newWriter(0)
		writeHookOutput(w, &out)
		var got abi.HookOutput
		if err := readHookOutput(payload(w), hookJob, &got); err == nil {
			t.Errorf("accepted: %s", what)
		}
	}
}

// FuzzFrames reads damaged frames: no panic, and memory in proportion to the frame.
func FuzzFrames(f *testing.F) {
	call, hook, out, hookOut := filled[abi.Call](), filled[abi.HookCall](), filled[abi.Output](), filled[abi.HookOutput]()
	for _, write := range []func(w *writer){
		func(w *writer) { writeCall(w, &call) }, func(w *writer) { writeHookCall(w, &hook) },
		func(w *writer) { writeOutput(w, &out, &call.Tree) }, func(w *writer) { writeHookOutput(w, &hookOut) },
		func(w *writer) { writeReport(w, out.Log, &out.Stats) }, func(w *writer) { writeError(w, errFrame) },
	} {
		w := newWriter(0)
		write(w)
		f.Add(w.b[headerBytes:])
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		for _, read := range []func(r *reader){
			func(r *reader) { readCall(r, new(abi.Call)) },
			func(r *reader) { readHookCall(r, new(abi.HookCall)) },
			func(r *reader) { _ = readOutput(r, &call, new(abi.Output)) },
			func(r *reader) { _ = readHookOutput(r, hookJob, new(abi.HookOutput)) },
			func(r *reader) { readReport(r) },
			func(r *reader) { readRequest(r, new(abi.LLMRequest)) },
			func(r *reader) { _ = readError(r) },
		} {
			r := &reader{b: frame, area: frame}
			read(r)
			if r.err != nil && len(r.b) > 0 {
				t.Error("bytes are read after an error")
			}
		}
	})
}
