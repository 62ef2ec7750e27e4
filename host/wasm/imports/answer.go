package imports

import (
	"bytes"
	"fmt"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// maxObjectDepth is the depth of objects from controllers; it is the same as for
// objects from clients.
const maxObjectDepth = 128

// strictObject copies a JSON object from a guest that the host evaluates or sends. It
// has no duplicate keys, the depth of a client's object, and no line ends, which would
// end a frame.
//
// Errors: the text follows the name of the value.
func strictObject(b []byte) ([]byte, error) {
	start := jsonspan.SkipBlank(b, 0)
	if k := jsonspan.KindAt(b, start); k != jsonspan.Object {
		return nil, fmt.Errorf("is %s, want an object", withArticle(k))
	}
	end, err := jsonspan.Scan(b, start, jsonspan.Rules{MaxDepth: maxObjectDepth, UniqueKeys: true})
	if err != nil {
		return nil, err
	}
	if after := jsonspan.SkipBlank(b, end); after != len(b) {
		return nil, fmt.Errorf("has more after its end at byte %d", after)
	}
	if err := jsonspan.ValidUTF8(b); err != nil {
		return nil, err
	}
	return joinLines(bytes.Clone(b[start:end])), nil
}

func withArticle(k jsonspan.Kind) string {
	switch k {
	case jsonspan.Invalid:
		return "no JSON"
	case jsonspan.Array, jsonspan.Object:
		return fmt.Sprint("an ", k)
	case jsonspan.Null:
		return "null"
	}
	return fmt.Sprint("a ", k)
}

// joinLines replaces the line ends in JSON, which occur only between tokens.
func joinLines(b []byte) []byte {
	for i, c := range b {
		if c == '\n' || c == '\r' {
			b[i] = ' '
		}
	}
	return b
}

// checkToolResult returns why b is not the result of a tools/call, or "". It checks the
// members that a client reads first; other values may be as servers send them.
func checkToolResult(b []byte) string {
	if err := jsonspan.Valid(b); err != nil {
		return err.Error()
	}
	start := jsonspan.SkipBlank(b, 0)
	if k := jsonspan.KindAt(b, start); k != jsonspan.Object {
		return fmt.Sprintf("it is %s, want an object", withArticle(k))
	}
	if why := checkFields(b, start, "", field{"isError", jsonspan.Bool, false}, field{"structuredContent", jsonspan.Object, false},
		field{"content", jsonspan.Array, true}); why != "" {
		return why
	}
	content, _ := jsonspan.Lookup(b[start:], "/content")
	i, why := 0, ""
	jsonspan.Children(b, start+content.Start, func(m jsonspan.Member) bool {
		why = checkContent(b[m.Start:m.End], fmt.Sprintf("content[%d]", i))
		i++
		return why == ""
	})
	return why
}

// field is a member that an object may have or must have.
type field struct {
	name     string
	kind     jsonspan.Kind
	required bool
}

// contentFields are the required members of the content types of MCP. Other types are
// not checked.
var contentFields = map[string][]field{
	"text":          {{"text", jsonspan.String, true}},
	"image":         {{"data", jsonspan.String, true}, {"mimeType", jsonspan.String, true}},
	"audio":         {{"data", jsonspan.String, true}, {"mimeType", jsonspan.String, true}},
	"resource_link": {{"uri", jsonspan.String, true}, {"name", jsonspan.String, true}},
	"resource":      {{"resource", jsonspan.Object, true}},
}

// checkContent returns why b is not a content block, or "".
func checkContent(b []byte, place string) string {
	if k := jsonspan.KindAt(b, 0); k != jsonspan.Object {
		return fmt.Sprintf("%s is %s, want an object", place, withArticle(k))
	}
	if why := checkFields(b, 0, place+".", field{"type", jsonspan.String, true}); why != "" {
		return why
	}
	m, _ := jsonspan.Lookup(b, "/type")
	name, err := jsonspan.Unquote(b[m.Start:m.End])
	if err != nil {
		return fmt.Sprintf("%s.type: %v", place, err)
	}
	return checkFields(b, 0, place+".", contentFields[string(name)]...)
}

// checkFields returns the first problem with the fields of the object at start, or "".
func checkFields(b []byte, start int, place string, fields ...field) string {
	for _, f := range fields {
		n, kind := 0, jsonspan.Invalid
		jsonspan.Children(b, start, func(m jsonspan.Member) bool {
			if jsonspan.KeyIs(b[m.KeyStart:m.KeyEnd], f.name) {
				n, kind = n+1, jsonspan.KindAt(b, m.Start)
			}
			return true
		})
		switch {
		case n == 0 && f.required:
			return place + f.name + " missing"
		case n > 1:
			return place + f.name + " appears twice"
		case n == 1 && kind != f.kind:
			return fmt.Sprintf("%s%s is %s, want %s", place, f.name, withArticle(kind), withArticle(f.kind))
		}
	}
	return ""
}
