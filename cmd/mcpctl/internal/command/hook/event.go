package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// event is a PostToolUse event: the result of one of the client's own tools.
type event struct {
	tool     string
	hint     string // path, URI or command among the arguments; may be empty
	response []byte // JSON, in the shape of the tool's result
}

// readEvent reads the event of a PostToolUse hook. It refuses objects with duplicate keys: of
// those the client reads the last value, and a replacement would change the first.
func readEvent(b []byte) (event, error) {
	if err := jsonspan.Valid(b); err != nil {
		return event{}, fmt.Errorf("standard input is not the JSON of a hook: %w", err)
	}
	if _, err := jsonspan.Scan(b, 0, jsonspan.Rules{UniqueKeys: true}); err != nil {
		return event{}, errors.New("an object of the event has duplicate keys") // err quotes the key
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

// text returns the string at a JSON pointer. Lone surrogates, which a client leaves where it cuts a
// text, become U+FFFD.
func text(b []byte, pointer string) ([]byte, error) {
	m, ok := jsonspan.Lookup(b, pointer)
	if !ok {
		return nil, fmt.Errorf("%s is missing", pointer)
	}
	t, err := jsonspan.Unquote(b[m.Start:m.End])
	if err == nil {
		return t, nil
	}
	var s string
	err = json.Unmarshal(b[m.Start:m.End], &s)
	return []byte(s), err
}

// read returns a text of the result: a string, or a list of strings, which the client joins to
// lines.
func (e event) read(pointer string) ([]byte, error) {
	m, ok := jsonspan.Lookup(e.response, pointer)
	if !ok || jsonspan.KindAt(e.response, m.Start) != jsonspan.Array {
		return text(e.response, pointer)
	}
	var lines []string
	if err := json.Unmarshal(e.response[m.Start:m.End], &lines); err != nil {
		return nil, err
	}
	return []byte(strings.Join(lines, "\n")), nil
}

// isTrue reports whether there is true at a JSON pointer.
func isTrue(b []byte, pointer string) bool {
	m, ok := jsonspan.Lookup(b, pointer)
	return ok && string(b[m.Start:m.End]) == "true"
}

// texts returns the JSON pointers of the texts that the model reads, nil if the result must pass
// unchanged. own is the project's name, which is that of its server entry: results of that entry
// are transformed already.
func (e event) texts(own string) []string {
	isMCP := strings.HasPrefix(e.tool, "mcp__")
	switch r := e.response; {
	case r == nil:
		return nil
	case strings.HasPrefix(e.tool, "mcp__"+notInToolName.ReplaceAllString(own, "_")+"__"):
		return nil
	case jsonspan.KindAt(r, 0) == jsonspan.String && (isMCP || slices.Contains([]string{"Bash", "Read", "Grep", "Glob", "WebFetch"}, e.tool)):
		return []string{""}
	case isMCP:
		return blockTexts(r)
	case e.tool == "Bash":
		if isTrue(r, "/isImage") || isTrue(r, "/interrupted") {
			return nil
		}
		return []string{"/stdout", "/stderr"}
	case e.tool == "Read":
		if kind, _ := text(r, "/type"); string(kind) != "text" {
			return nil
		}
		return []string{"/file/content"}
	case e.tool == "Grep": // lines, or only names of files
		return []string{"/content", "/filenames"}
	case e.tool == "Glob":
		return []string{"/filenames"}
	case e.tool == "WebFetch":
		return []string{"/result"}
	}
	return nil
}

// notInToolName matches the characters of a server's name that Claude Code replaces in the names of
// its tools.
var notInToolName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// blockTexts returns the pointers of the texts in the result of an MCP tool: a list of blocks, or
// an object with such a list.
func blockTexts(r []byte) (pointers []string) {
	list := ""
	if has(r, "/content") {
		list = "/content"
	}
	for i := 0; ; i++ {
		block := fmt.Sprintf("%s/%d", list, i)
		if _, ok := jsonspan.Lookup(r, block); !ok {
			return pointers
		}
		for _, t := range []string{"/text", "/resource/text"} {
			if has(r, block+t) {
				pointers = append(pointers, block+t)
			}
		}
	}
}

// shortened are the members of a result by which the client says that it has only the beginning of
// a text, by the pointer of the text. The first one names a file with the whole text.
var shortened = map[string][]string{
	"/stdout":       {"/persistedOutputPath", "/persistedOutputSize"},
	"/file/content": {"/file/filePath", "/file/truncatedByTokenCap"},
}

// isBeginning reports whether the result has only the beginning of a text.
func (e event) isBeginning(pointer string) bool {
	marks := shortened[pointer]
	if marks == nil {
		return false
	}
	m, ok := jsonspan.Lookup(e.response, marks[1])
	return ok && !slices.Contains([]string{"null", "false"}, string(e.response[m.Start:m.End]))
}

// complete reads the file with the whole text, of which the result has only the beginning. ok is
// false if the file cannot be read or does not start with begin. Claude Code removes the byte order
// mark and carriage returns from begin.
func (e event) complete(pointer string, begin []byte) (whole []byte, ok bool) {
	marks := shortened[pointer]
	name, err := text(e.response, marks[0])
	if err != nil {
		return nil, false
	}
	info, err := os.Stat(string(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxEvent {
		return nil, false
	}
	whole, err = os.ReadFile(string(name))
	if err != nil || !utf8.Valid(whole) {
		return nil, false
	}
	if !bytes.HasPrefix(whole, begin) {
		whole = bytes.ReplaceAll(bytes.TrimPrefix(whole, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	}
	return whole, bytes.HasPrefix(whole, begin) // otherwise it has changed meanwhile
}

// instead is the text that the model reads in place of one.
type instead struct {
	text    []byte
	isWhole bool // text was made from the whole text, and not from the beginning in the result
}

// replace returns the response with new texts, by JSON pointer. A list of names becomes a list
// with one string. replace also updates the counts of lines in a result of Read, and removes the
// members that mark a shortened text. All other bytes are unchanged.
func (e event) replace(texts map[string]instead) []byte {
	out := e.response
	for pointer, t := range texts {
		value := jsonspan.AppendQuote(nil, t.text)
		if m, ok := jsonspan.Lookup(out, pointer); ok && jsonspan.KindAt(out, m.Start) == jsonspan.Array {
			value = slices.Concat([]byte("["), value, []byte("]"))
		}
		out = withValue(out, pointer, value)
		if pointer == "/file/content" && (t.isWhole || !e.isBeginning(pointer)) {
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
