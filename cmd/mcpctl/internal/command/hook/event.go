package hook

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// event is what the client tells about the result of one tool.
type event struct {
	tool     string
	hint     string // path, URI or command among the arguments; may be empty
	response []byte // JSON, in the shape of the tool's result
}

// readEvent reads the event of a PostToolUse hook.
func readEvent(b []byte) (event, error) {
	if err := jsonspan.Valid(b); err != nil {
		return event{}, fmt.Errorf("standard input is not the JSON of a hook: %w", err)
	}
	if name, _ := text(b, "/hook_event_name"); string(name) != "PostToolUse" {
		return event{}, fmt.Errorf("the event is %q, want PostToolUse", name)
	}
	m, ok := jsonspan.Lookup(b, "/tool_response")
	tool, err := text(b, "/tool_name")
	if !ok || err != nil {
		return event{}, fmt.Errorf("the event has no tool_name and tool_response")
	}
	e := event{tool: string(tool), response: b[m.Start:m.End]}
	for _, argument := range []string{"file_path", "path", "url", "command"} {
		if hint, err := text(b, "/tool_input/"+argument); err == nil {
			e.hint = string(hint)
			break
		}
	}
	if e.tool == "Read" && (has(b, "/tool_input/offset") || has(b, "/tool_input/limit")) {
		e.response = nil // the model asked for these lines
	}
	return e, nil
}

// has reports whether there is a value other than null at a JSON pointer.
func has(b []byte, pointer string) bool {
	m, ok := jsonspan.Lookup(b, pointer)
	return ok && string(b[m.Start:m.End]) != "null"
}

// text returns the string at a JSON pointer.
func text(b []byte, pointer string) ([]byte, error) {
	m, ok := jsonspan.Lookup(b, pointer)
	if !ok {
		return nil, fmt.Errorf("%s is missing", pointer)
	}
	return jsonspan.Unquote(b[m.Start:m.End])
}

// isTrue reports whether there is true at a JSON pointer.
func isTrue(b []byte, pointer string) bool {
	m, ok := jsonspan.Lookup(b, pointer)
	return ok && string(b[m.Start:m.End]) == "true"
}

// texts returns the JSON pointers of the texts that the model reads, nil if the result must pass
// unchanged. own is the name of the server entry of mcpctl, whose results went through it.
func (e event) texts(own string) []string {
	switch r := e.response; {
	case r == nil, isTrue(r, "/isImage"), isTrue(r, "/interrupted"):
		return nil
	case e.tool == "Bash":
		return []string{"/stdout", "/stderr"}
	case e.tool == "Read":
		if kind, _ := text(r, "/type"); string(kind) != "text" {
			return nil
		}
		return []string{"/file/content"}
	case e.tool == "Grep":
		return []string{"/content"}
	case e.tool == "WebFetch":
		return []string{"/result"}
	case strings.HasPrefix(e.tool, "mcp__"+own+"__"):
		return nil
	case strings.HasPrefix(e.tool, "mcp__"):
		return blockTexts(r)
	}
	return nil
}

// blockTexts returns the pointers of the texts in the result of an MCP tool: a list of blocks, or
// an object with such a list.
func blockTexts(r []byte) (pointers []string) {
	list := ""
	if has(r, "/content") {
		list = "/content"
	}
	for i := 0; ; i++ {
		block := fmt.Sprintf("%s/%d", list, i)
		if !has(r, block) {
			return pointers
		}
		if kind, _ := text(r, block+"/type"); string(kind) == "text" {
			pointers = append(pointers, block+"/text")
		}
	}
}

// shortened are the members of a result by which the client says that it has only the beginning of
// a text, by the pointer of the text. The first one names a file with the whole text.
var shortened = map[string][]string{
	"/stdout":       {"/persistedOutputPath", "/persistedOutputSize"},
	"/file/content": {"/file/filePath", "/file/truncatedByTokenCap"},
}

// complete returns the whole of a text of which the result has only the beginning, and ok if that
// is so and the file with the text can be read.
func (e event) complete(pointer string, begin []byte) (whole []byte, ok bool) {
	marks := shortened[pointer]
	if marks == nil || !has(e.response, marks[1]) {
		return nil, false
	}
	name, err := text(e.response, marks[0])
	if err != nil {
		return nil, false
	}
	info, err := os.Stat(string(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxEvent {
		return nil, false
	}
	whole, err = os.ReadFile(string(name))
	if err != nil || !bytes.HasPrefix(whole, begin) || !utf8.Valid(whole) {
		return nil, false // it has changed meanwhile, or is no text
	}
	return whole, true
}

// instead is the text that the model reads in place of one.
type instead struct {
	text    []byte
	isWhole bool // it stands for the whole text, of which the result has only the beginning
}

// replace returns the response with other texts, by JSON pointer. Everything else stays byte for
// byte, but the counts of lines in a result of Read, and what says that a text is not the whole.
func (e event) replace(texts map[string]instead) []byte {
	out := e.response
	for pointer, t := range texts {
		out = withValue(out, pointer, jsonspan.AppendQuote(nil, t.text))
		if pointer == "/file/content" {
			lines := fmt.Append(nil, bytes.Count(t.text, []byte("\n"))+1)
			out = withValue(withValue(out, "/file/numLines", lines), "/file/totalLines", lines)
		}
		for _, mark := range shortened[pointer] {
			if t.isWhole && mark != "/file/filePath" {
				out = without(out, mark)
			}
		}
	}
	return out
}

// withValue returns b with another value at a JSON pointer, if there is one.
func withValue(b []byte, pointer string, value []byte) []byte {
	m, ok := jsonspan.Lookup(b, pointer)
	if !ok {
		return b
	}
	return slices.Concat(b[:m.Start], value, b[m.End:])
}

// without returns b without the member of an object at a JSON pointer, with the comma before it, or
// the one after it if it is the first.
func without(b []byte, pointer string) []byte {
	m, ok := jsonspan.Lookup(b, pointer)
	if !ok {
		return b
	}
	start, end := m.KeyStart, m.End
	if before := bytes.TrimRight(b[:start], " \t\r\n"); before[len(before)-1] == ',' {
		start = len(before) - 1
	} else if after := jsonspan.SkipBlank(b, end); b[after] == ',' {
		end = after + 1
	}
	return slices.Concat(b[:start], b[end:])
}
