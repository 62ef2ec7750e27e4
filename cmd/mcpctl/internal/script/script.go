// Package script reads the scripts of `mcpctl console --script` and of the benchmark of
// proxymodels: the tool calls of a simulated client.
package script

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Script is the list of calls that a simulated client makes in one session, and the
// answers that a fake LLM gives meanwhile.
type Script struct {
	Client  Client
	Answers strictyaml.Value // the list of rules, as llmconfig.LoadScript reads it; null if absent
	Calls   []Call
}

// NeedsConsole reports whether the script contains more than calls: a client, answers of
// an LLM, or expectations.
func (s *Script) NeedsConsole() bool {
	return s.Client != Client{} || s.Answers.Type != strictyaml.Null || slices.ContainsFunc(s.Calls, func(c Call) bool { return c.Expect != "" })
}

// Client is the name and version that the client sends. Empty fields are not sent.
type Client struct{ Name, Version string }

// Call is one call of a tool.
type Call struct {
	Tool      string           // server/tool, or the name that a client sees
	Arguments strictyaml.Value // a Map, or null
	Sections  []string         // sections of the answer to read, in order
	Expect    string           // text that the answer must contain, or ExpectError; empty accepts any answer that is not an error
	At        strictyaml.Position
}

// Args returns the arguments of the call as a client sends them, with numbers
// unchanged. It returns nil if the script has no arguments.
func (c Call) Args() (args map[string]any, err error) {
	if c.Arguments.Type == strictyaml.Null {
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

// ExpectError is the Expect of a call whose answer must be an error.
const ExpectError = "error"

// Parse reads a script in YAML or JSON: a list of calls, or a mapping with client, llm
// and calls. Errors show the name file.
//
// It returns strictyaml.Errors with all errors of the file.
func Parse(file string, text []byte) (s Script, err error) {
	var errs strictyaml.Errors
	src := strictyaml.NewSource(file, string(text))
	docs := strictyaml.Parse(src, text, &errs)
	r := strictyaml.NewReader(src, &errs)
	switch {
	case len(docs) == 0 && len(errs) == 0:
		r.Fail(strictyaml.Position{}, "", "has no calls, want a list of them")
	case len(docs) > 1:
		r.Fail(strictyaml.Position{Line: docs[1].Line, Column: 1}, "", "has a second document, want one")
	case len(docs) == 1:
		s = readScript(r, docs[0].Root)
	}
	errs.Sort()
	return s, errs.Err()
}

func readScript(r *strictyaml.Reader, v strictyaml.Value) (s Script) {
	if v.Type == strictyaml.List { // only calls
		return Script{Calls: readCalls(r, v, "")}
	}
	m := r.Mapping(v, "")
	if client, ok := m.Get("client"); ok {
		c := m.Mapping(client, "client")
		s.Client.Name, _ = c.Text("name")
		s.Client.Version, _ = c.Text("version")
		c.Done()
	}
	llmconfig.ReadAnswers(m, "llm") // only reports errors: the provider reads the answers again
	s.Answers, _ = m.Get("llm")
	if calls, ok := m.Need("calls"); ok && m.HasType(calls, "calls", strictyaml.List) {
		s.Calls = readCalls(r, calls, "calls")
	}
	m.Done()
	return s
}

func readCalls(r *strictyaml.Reader, list strictyaml.Value, path string) (calls []Call) {
	if len(list.Items) == 0 {
		r.Fail(list.At, path, "has no calls")
	}
	for i, item := range list.Items {
		calls = append(calls, readCall(r.Mapping(item, strictyaml.ItemPath(path, i))))
	}
	return calls
}

func readCall(m *strictyaml.Mapping) Call {
	c := Call{At: m.Value().At}
	c.Tool, _ = m.Text("tool")
	if tool, ok := m.Need("tool"); ok && tool.Type == strictyaml.String && tool.Text == "" {
		m.Fail(tool.At, m.Path("tool"), "is empty, want server/tool")
	}
	if args, ok := m.Get("arguments"); ok && m.HasType(args, "arguments", strictyaml.Map) {
		c.Arguments = args
	}
	c.Sections = m.Texts("sections")
	if slices.Contains(c.Sections, "") {
		m.Fail(c.At, m.Path("sections"), "contains an empty item, want an id, a path or ?words")
	}
	c.Expect, _ = m.Text("expect")
	m.Done()
	return c
}
