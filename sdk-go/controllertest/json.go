package controllertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// marshal returns the JSON of a value that always encodes, without escapes for HTML.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("controllertest: " + err.Error()) // a definition of the test is not JSON
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func quote(s string) string { return string(marshal(s)) }

// mergePatch applies a merge patch (RFC 7396) to a JSON text.
func mergePatch(target, patch string) string {
	var t, p any
	decode(target, &t)
	decode(patch, &p)
	return string(marshal(mergeValues(t, p)))
}

func mergeValues(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	t, ok := target.(map[string]any)
	if !ok {
		t = map[string]any{}
	}
	for key, value := range p {
		if value == nil {
			delete(t, key)
			continue
		}
		t[key] = mergeValues(t[key], value)
	}
	return t
}

// decode decodes JSON with numbers as json.Number.
func decode(text string, v any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	return d.Decode(v)
}

// maxDepth is the maximum depth of an object from a controller.
const maxDepth = 128

// checkObject returns the reason why text is not an acceptable JSON object, or "". An
// acceptable object has a bounded depth and no duplicate keys.
func checkObject(text string) string {
	if kindOf([]byte(text)) != "an object" {
		return "is " + kindOf([]byte(text)) + ", want an object"
	}
	if !json.Valid([]byte(text)) || !utf8.ValidString(text) {
		return "is not JSON"
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return checkValue(d, 0)
}

// checkValue reads one value, which is valid JSON, and returns the reason why it is not
// acceptable, or "".
func checkValue(d *json.Decoder, depth int) string {
	open, _ := d.Token()
	if open != json.Delim('{') && open != json.Delim('[') {
		return ""
	}
	if depth == maxDepth {
		return "is deeper than 128"
	}
	seen := map[json.Token]bool{}
	for d.More() {
		if open == json.Delim('{') {
			key, _ := d.Token()
			if seen[key] {
				return fmt.Sprintf("has duplicate key %q", key)
			}
			seen[key] = true
		}
		if why := checkValue(d, depth+1); why != "" {
			return why
		}
	}
	_, _ = d.Token()
	return ""
}
