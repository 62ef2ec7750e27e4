package proxy

import (
	"encoding/json"
	"regexp"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// maxHint bounds a hint; longer text is no path.
const maxHint = 1024

// hintNames are names of arguments that say what a result is: which file, which
// address.
var hintNames = map[string]bool{
	"path": true, "file": true, "uri": true, "url": true, "filename": true, "href": true,
	"filePath": true, "file_path": true, "filepath": true, "fileName": true, "file_name": true,
	"pathname": true, "document": true, "source": true, "resource": true,
}

// pathForm matches text that is a path or URI by its form: a scheme, a slash
// between words, or one word with a suffix.
var pathForm = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*://\S+|[^\s{}<>]*/[^\s{}<>]*|[^\s/{}<>]+\.[A-Za-z][A-Za-z0-9]{0,7})$`)

// hint returns the first argument that is called like a path or URI, else the
// first that looks like one, else "". It helps to detect what a result is and
// proves nothing.
func (c *call) hint() string {
	looks := ""
	for _, f := range c.args.Fields() {
		text, ok := hintText(f.Value)
		if !ok {
			continue
		}
		if hintNames[f.Name] {
			return text
		}
		if looks == "" && pathForm.MatchString(text) {
			looks = text
		}
	}
	return looks
}

// hintText returns the text of a string value short enough to be a hint.
func hintText(value json.RawMessage) (string, bool) {
	if len(value) > maxHint || jsonspan.KindAt(value, 0) != jsonspan.String {
		return "", false
	}
	text, err := jsonspan.Unquote(value)
	return string(text), err == nil && len(text) > 0
}
