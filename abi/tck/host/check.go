// Package host holds guests that check a host: each calls imports in sequence and fails,
// naming the call, if a result is not the one that the ABI requires. A host that passes
// all of them, with the input of their archives, conforms to the ABI.
//
// NAME.txtar is the source; the command in the directory gen generates NAME.wat and
// NAME.wasm. The README of abi/tck describes how to run them.
package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/abi/tck/internal/archive"
)

//go:generate go run ./gen

// Check describes one guest.
type Check struct {
	Role   string // stage, filter, bare, asking or controller
	Hook   string // of a controller
	Input  string
	Memory string // the beginning of its memory
	Calls  []Call

	Initialize []Call // before the first call; a wrong result traps
}

// Call is one call of an import.
type Call struct {
	Line   string // in the archive
	Times  int    // over 1: the results are ignored
	Import abi.Import
	Args   []Arg
	Want   int32
}

// Arg is a number, or a text for two parameters.
type Arg struct {
	Number int32
	Text   string
	IsText bool
}

var known = []string{"role", "hook", "input", "memory", "calls", "llm", "cache", "session", "arguments", "limits", "initialize", "prompts", "fail-part"}

// Parse reads an archive.
//
// Errors: the text includes the invalid line.
func Parse(a archive.Archive) (Check, error) {
	c := Check{Role: "stage", Hook: a.Get("hook")}
	for _, f := range a.Files {
		if !slices.Contains(known, f.Name) {
			return c, fmt.Errorf("file %s unknown", f.Name)
		}
	}
	if a.Has("role") {
		c.Role = a.Get("role")
	}
	if c.Hook != "" {
		c.Role = "controller"
	}
	for _, text := range []struct {
		name string
		to   *string
	}{{"input", &c.Input}, {"memory", &c.Memory}} {
		if !a.Has(text.name) {
			continue
		}
		s, err := strconv.Unquote(a.Get(text.name))
		if err != nil {
			return c, fmt.Errorf("%s: %w, want a quoted text", text.name, err)
		}
		*text.to = s
	}
	var err error
	if c.Initialize, err = parseCalls(a.Get("initialize")); err != nil {
		return c, err
	}
	c.Calls, err = parseCalls(a.Get("calls"))
	return c, err
}

func parseCalls(text string) (calls []Call, err error) {
	for line := range strings.Lines(text) {
		call, err := parseCall(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// parseCall reads a line such as "buf_find 0 0 \"x\" = 3" or "1024 * buf_view 0 0 0".
func parseCall(line string) (Call, error) {
	c := Call{Line: line, Times: 1}
	words, err := splitWords(line)
	if err != nil {
		return c, err
	}
	if len(words) > 2 && words[1] == "*" {
		if c.Times, err = strconv.Atoi(words[0]); err != nil {
			return c, err
		}
		words = words[2:]
	}
	i := slices.IndexFunc(abi.Imports, func(i abi.Import) bool { return len(words) > 0 && i.Name == words[0] })
	if i < 0 {
		return c, fmt.Errorf("no import of that name")
	}
	c.Import = abi.Imports[i]
	words = words[1:]
	if n := len(words); n >= 2 && words[n-2] == "=" {
		want, err := strconv.ParseInt(words[n-1], 10, 32)
		if err != nil {
			return c, err
		}
		c.Want, words = int32(want), words[:n-2]
	} else if c.Times == 1 {
		return c, fmt.Errorf("no result wanted")
	}
	params := 0
	for _, w := range words {
		a, err := parseArg(w)
		if err != nil {
			return c, err
		}
		if params++; a.IsText {
			params++
		}
		c.Args = append(c.Args, a)
	}
	if params != len(c.Import.Params) {
		return c, fmt.Errorf("%d parameters, %s has %d", params, c.Import.Name, len(c.Import.Params))
	}
	return c, nil
}

func parseArg(word string) (a Arg, err error) {
	if a.IsText = word[0] == '"'; a.IsText {
		a.Text, err = strconv.Unquote(word)
		return a, err
	}
	v, err := strconv.ParseInt(word, 10, 32)
	a.Number = int32(v)
	return a, err
}

// splitWords splits a line at blanks outside quoted texts.
func splitWords(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		word, _, _ := strings.Cut(line, " ")
		if line[0] == '"' {
			if word, err = strconv.QuotedPrefix(line); err != nil {
				return nil, err
			}
		}
		words, line = append(words, word), line[len(word):]
	}
	return words, nil
}

// Manifest returns the manifest of the guest. The role to run is check.
func (c Check) Manifest() string {
	const other = `,{"name":"other","kind":"stage","capabilities":["cache","llm"]}`
	const steer = `,{"name":"steer","kind":"controller","capabilities":["session"]}`
	role := map[string]string{
		"stage":      `{"name":"check","kind":"stage","capabilities":["cache","llm"]}` + steer,
		"filter":     `{"name":"check","kind":"filter"}` + other,
		"bare":       `{"name":"check","kind":"stage"}` + other + steer,
		"asking":     `{"name":"check","kind":"stage","capabilities":["arguments"]}` + other + steer,
		"controller": `{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}`,
	}[c.Role]
	version := "1.0"
	if c.Role == "asking" {
		version = "1.2"
	}
	return `{"name":"check","abi":"` + version + `","roles":[` + role + `]}`
}
