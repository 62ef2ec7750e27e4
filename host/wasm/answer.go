package wasm

import (
	"bytes"
	"fmt"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// objectDepth is how deep an object may be that a controller makes, as one that
// a client sends.
const objectDepth = 128

// strictObject copies a JSON object that a guest made and that is decided on or
// sent on: no key twice, as deep as a client's may be, without newlines, which
// would end a frame.
//
// Errors: the text says what it is instead.
func strictObject(b []byte) ([]byte, error) {
	start := jsonspan.SkipBlank(b, 0)
	if k := jsonspan.KindAt(b, start); k != jsonspan.Object {
		return nil, fmt.Errorf("is %s, want an object", article(k))
	}
	end, err := jsonspan.Scan(b, start, jsonspan.Rules{MaxDepth: objectDepth, UniqueKeys: true})
	if err != nil {
		return nil, err
	}
	if after := jsonspan.SkipBlank(b, end); after != len(b) {
		return nil, fmt.Errorf("has more behind its end at byte %d", after)
	}
	if err := jsonspan.ValidUTF8(b); err != nil {
		return nil, err
	}
	return oneLine(bytes.Clone(b[start:end])), nil
}

func article(k jsonspan.Kind) string {
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

// oneLine replaces line ends in JSON, which stand between its tokens only.
func oneLine(b []byte) []byte {
	for i, c := range b {
		if c == '\n' || c == '\r' {
			b[i] = ' '
		}
	}
	return b
}

// notAResult says why b is not the result of a tools/call, or "". Its values may
// be as servers send them, what a client reads first must be there once.
func notAResult(b []byte) string {
	if err := jsonspan.Valid(b); err != nil {
		return err.Error()
	}
	start := jsonspan.SkipBlank(b, 0)
	if k := jsonspan.KindAt(b, start); k != jsonspan.Object {
		return fmt.Sprintf("it is %s, want an object", article(k))
	}
	if why := demand(b, start, "", field{"isError", jsonspan.Bool, false}, field{"structuredContent", jsonspan.Object, false},
		field{"content", jsonspan.Array, true}); why != "" {
		return why
	}
	content, _ := jsonspan.Lookup(b[start:], "/content")
	i, why := 0, ""
	jsonspan.Children(b, start+content.Start, func(m jsonspan.Member) bool {
		why = notABlock(b[m.Start:m.End], fmt.Sprintf("content[%d]", i))
		i++
		return why == ""
	})
	return why
}

// field is a member that an object may have or must have.
type field struct {
	name string
	kind jsonspan.Kind
	must bool
}

// blockFields are those of the types of content that MCP knows. Others are the
// client's affair.
var blockFields = map[string][]field{
	"text":          {{"text", jsonspan.String, true}},
	"image":         {{"data", jsonspan.String, true}, {"mimeType", jsonspan.String, true}},
	"audio":         {{"data", jsonspan.String, true}, {"mimeType", jsonspan.String, true}},
	"resource_link": {{"uri", jsonspan.String, true}, {"name", jsonspan.String, true}},
	"resource":      {{"resource", jsonspan.Object, true}},
}

func notABlock(b []byte, place string) string {
	if k := jsonspan.KindAt(b, 0); k != jsonspan.Object {
		return fmt.Sprintf("%s is %s, want an object", place, article(k))
	}
	if why := demand(b, 0, place+".", field{"type", jsonspan.String, true}); why != "" {
		return why
	}
	m, _ := jsonspan.Lookup(b, "/type")
	name, err := jsonspan.Unquote(b[m.Start:m.End])
	if err != nil {
		return fmt.Sprintf("%s.type: %v", place, err)
	}
	return demand(b, 0, place+".", blockFields[string(name)]...)
}

// demand says what is wrong with the fields of the object at start, or "".
func demand(b []byte, start int, place string, fields ...field) string {
	for _, f := range fields {
		n, kind := 0, jsonspan.Invalid
		jsonspan.Children(b, start, func(m jsonspan.Member) bool {
			if jsonspan.KeyIs(b[m.KeyStart:m.KeyEnd], f.name) {
				n, kind = n+1, jsonspan.KindAt(b, m.Start)
			}
			return true
		})
		switch {
		case n == 0 && f.must:
			return place + f.name + " missing"
		case n > 1:
			return place + f.name + " appears twice"
		case n == 1 && kind != f.kind:
			return fmt.Sprintf("%s%s is %s, want %s", place, f.name, article(kind), article(f.kind))
		}
	}
	return ""
}
