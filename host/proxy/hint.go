package proxy

import (
	"encoding/json"
	"regexp"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// maxHint is the length of the longest hint. Longer text is no path.
const maxHint = 1024

// hintNames are names of arguments that identify a file or an address.
var hintNames = map[string]bool{
	"path": true, "file": true, "uri": true, "url": true, "filename": true, "href": true,
	"filePath": true, "file_path": true, "filepath": true, "fileName": true, "file_name": true,
	"pathname": true, "document": true, "source": true, "resource": true,
}

// pathPattern matches text that looks like a path or URI: a scheme, a slash between
// words, or one word with a file extension.
var pathPattern = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*://\S+|[^\s{}<>]*/[^\s{}<>]*|[^\s/{}<>]+\.[A-Za-z][A-Za-z0-9]{0,7})$`)

// hintOf returns the first argument with the name of a path or URI, otherwise the first
// one that looks like one, otherwise "". It helps to detect the type of a result.
func hintOf(args jsonrpc.Object) string {
	looks := ""
	for _, f := range args.Fields() {
		text, ok := hintText(f.Value)
		if !ok {
			continue
		}
		if hintNames[f.Name] {
			return text
		}
		if looks == "" && pathPattern.MatchString(text) {
			looks = text
		}
	}
	return looks
}

// hintText returns the text of a string value that is short enough for a hint.
func hintText(value json.RawMessage) (string, bool) {
	if len(value) > maxHint || jsonspan.KindAt(value, 0) != jsonspan.String {
		return "", false
	}
	text, err := jsonspan.Unquote(value)
	return string(text), err == nil && len(text) > 0
}
