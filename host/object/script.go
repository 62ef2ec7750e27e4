package object

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Script is what a scripted client does in a session: its calls, one after the
// other, and the answers of a fake LLM meanwhile.
type Script struct {
	Client  ScriptClient
	Answers Value // the list of rules, as LoadLLMScript reads it; null: none is written
	Calls   []ScriptCall
}

// ForConsole reports whether the script has more than calls: a client, answers of
// an LLM, or what calls are expected to answer.
func (s *Script) ForConsole() bool {
	return s.Client != ScriptClient{} || s.Answers.Type != Null || slices.ContainsFunc(s.Calls, func(c ScriptCall) bool { return c.Expect != "" })
}

// ScriptClient is what the client says that it is; empty fields are not said.
type ScriptClient struct{ Name, Version string }

// ScriptCall is one call of a tool.
type ScriptCall struct {
	Tool      string   // server/tool, or the name that a client sees
	Arguments Value    // a Map, or null
	Sections  []string // of the answer, read one after the other
	Expect    string   // text that the answer must hold, or ScriptExpectError; empty: any that is no error
	At        Position
}

// Args are the arguments of the call as a client sends them, numbers as they are
// written; nil if the script has none.
func (c ScriptCall) Args() (args map[string]any, err error) {
	if c.Arguments.Type == Null {
		return nil, nil
	}
	text, err := c.Arguments.MarshalJSON()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&args)
	return args, err
}

// ScriptExpectError is the Expect of a call that must be answered by an error.
const ScriptExpectError = "error"

// ParseScript reads a script: a list of calls, or a mapping with client, llm and
// calls; YAML or JSON. file is the name that errors show.
//
// Errors: Errors with every mistake of the file.
// Limits: those of Decode.
func ParseScript(file string, text []byte) (s Script, err error) {
	var errs Errors
	src := newSource(file, string(text))
	docs := parseFile(src, text, &errs)
	r := &reader{src: src, errs: &errs}
	switch {
	case len(docs) == 0 && len(errs) == 0:
		r.fail(Position{}, "", "has no calls, want a list of them")
	case len(docs) > 1:
		r.fail(Position{docs[1].line, 1}, "", "has a second document, want one")
	case len(docs) == 1:
		s = r.script(docs[0].root)
	}
	errs.Sort()
	return s, errs.Err()
}

func (r *reader) script(v Value) (s Script) {
	if v.Type == List { // the calls alone
		return Script{Calls: r.scriptCalls(v, "")}
	}
	f := r.mapping(v, "")
	if client, ok := f.get("client"); ok {
		c := r.mapping(client, "client")
		s.Client.Name, _ = c.str("name")
		s.Client.Version, _ = c.str("version")
		c.done()
	}
	f.llmAnswers("llm") // read for its mistakes: the provider reads it again
	s.Answers, _ = f.get("llm")
	if calls, ok := f.need("calls"); ok && f.typed(calls, "calls", List) {
		s.Calls = r.scriptCalls(calls, "calls")
	}
	f.done()
	return s
}

func (r *reader) scriptCalls(list Value, path string) (calls []ScriptCall) {
	if len(list.Items) == 0 {
		r.fail(list.At, path, "has no calls")
	}
	for i, item := range list.Items {
		calls = append(calls, r.scriptCall(item, at(path, i)))
	}
	return calls
}

func (r *reader) scriptCall(v Value, path string) ScriptCall {
	f := r.mapping(v, path)
	c := ScriptCall{At: v.At}
	c.Tool, _ = f.str("tool")
	if tool, ok := f.need("tool"); ok && tool.Type == String && tool.Text == "" {
		f.fail(tool.At, f.path+"tool", "is empty, want server/tool")
	}
	if args, ok := f.get("arguments"); ok && f.typed(args, "arguments", Map) {
		c.Arguments = args
	}
	c.Sections = f.strs("sections")
	if at := slices.Index(c.Sections, ""); at >= 0 {
		f.fail(v.At, f.path+"sections", "holds an empty one, want an id, a path or ?words")
	}
	c.Expect, _ = f.str("expect")
	f.done()
	return c
}
