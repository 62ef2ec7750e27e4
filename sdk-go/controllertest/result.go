package controllertest

import (
	"encoding/json"
	"fmt"
)

// field is an optional or required member of an object, with the kind of its value.
type field struct {
	name string
	is   string
	must bool
}

// blockFields are the fields of the content types of MCP.
var blockFields = map[string][]field{
	"text":          {{"text", "a string", true}},
	"image":         {{"data", "a string", true}, {"mimeType", "a string", true}},
	"audio":         {{"data", "a string", true}, {"mimeType", "a string", true}},
	"resource_link": {{"uri", "a string", true}, {"name", "a string", true}},
	"resource":      {{"resource", "an object", true}},
}

// checkResult returns the reason why b is not the result of a tools/call, or "".
func checkResult(b []byte) string {
	if !json.Valid(b) {
		return "it is no JSON"
	}
	var result map[string]json.RawMessage
	if kindOf(b) != "an object" {
		return "it is " + kindOf(b) + ", want an object"
	}
	_ = json.Unmarshal(b, &result) // valid, and an object
	if why := checkFields(result, "", field{"isError", "a bool", false}, field{"structuredContent", "an object", false}, field{"content", "an array", true}); why != "" {
		return why
	}
	var blocks []json.RawMessage
	_ = json.Unmarshal(result["content"], &blocks)
	for i, b := range blocks {
		if why := checkBlock(b, fmt.Sprintf("content[%d]", i)); why != "" {
			return why
		}
	}
	return ""
}

func checkBlock(b json.RawMessage, place string) string {
	if kindOf(b) != "an object" {
		return place + " is " + kindOf(b) + ", want an object"
	}
	var block map[string]json.RawMessage
	_ = json.Unmarshal(b, &block)
	if why := checkFields(block, place+".", field{"type", "a string", true}); why != "" {
		return why
	}
	var name string
	_ = json.Unmarshal(block["type"], &name)
	return checkFields(block, place+".", blockFields[name]...)
}

func checkFields(object map[string]json.RawMessage, place string, fields ...field) string {
	for _, f := range fields {
		value, ok := object[f.name]
		switch {
		case !ok && f.must:
			return place + f.name + " missing"
		case ok && kindOf(value) != f.is:
			return place + f.name + " is " + kindOf(value) + ", want " + f.is
		}
	}
	return ""
}

// kindOf returns the name of the kind of a JSON value.
func kindOf(b []byte) string {
	for _, c := range b {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '{':
			return "an object"
		case '[':
			return "an array"
		case '"':
			return "a string"
		case 't', 'f':
			return "a bool"
		case 'n':
			return "null"
		}
		return "a number"
	}
	return "no JSON"
}
