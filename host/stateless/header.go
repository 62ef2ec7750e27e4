package stateless

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Headers of a request, in their canonical form. They repeat parts of the body for
// programs between client and server that do not read it.
const (
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
	paramHeader   = "Mcp-Param-" // and the name that the schema of the tool gives
)

// namedBy is the member of params that the header Mcp-Name repeats, by method.
var namedBy = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

// SetHeaders sets the headers of a request with the version and params given.
func SetHeaders(h http.Header, version, method string, params json.RawMessage) {
	h[versionHeader] = []string{version}
	h[methodHeader] = []string{method}
	if member, ok := namedBy[method]; ok {
		h[nameHeader] = []string{encodeValue(jsonedit.MemberText(params, member))}
	}
}

// CheckHeaders checks that the headers of a request agree with its body. Otherwise programs
// that trust the headers and this one could act on different requests.
//
// Errors: with CodeHeaderMismatch.
func CheckHeaders(h http.Header, version string, msg jsonrpc.Message) *jsonrpc.Error {
	if bad := checkHeader(h, versionHeader, version, plain); bad != nil {
		return bad
	}
	if bad := checkHeader(h, methodHeader, msg.Method, plain); bad != nil {
		return bad
	}
	if member, ok := namedBy[msg.Method]; ok {
		return checkHeader(h, nameHeader, jsonedit.MemberText(msg.Params, member), decodeValue)
	}
	return nil
}

// plain is the decoder of headers that are never encoded.
func plain(value string) (string, error) { return value, nil }

func checkHeader(h http.Header, name, body string, decode func(string) (string, error)) *jsonrpc.Error {
	values := h[name]
	if len(values) != 1 {
		return mismatch("%d headers %s, want one", len(values), name)
	}
	value, err := decode(strings.Trim(values[0], " \t"))
	switch {
	case err != nil:
		return mismatch("header %s: %v", name, err)
	case value != body:
		return mismatch("header %s is %q, but the body has %q", name, clip([]byte(value)), clip([]byte(body)))
	}
	return nil
}

// CheckParamHeaders checks the headers of a tools/call that repeat its arguments, as the
// input schema of the tool requires with x-mcp-header. A schema that uses the annotation
// against its rules requires no headers.
//
// Errors: with CodeHeaderMismatch.
func CheckParamHeaders(h http.Header, schema, arguments json.RawMessage) *jsonrpc.Error {
	params, err := ParamHeaders(schema)
	if err != nil {
		return nil // no client may call this tool with headers
	}
	for _, p := range params {
		name := http.CanonicalHeaderKey(paramHeader + p.Name)
		want, ok := p.value(arguments)
		values := h[name]
		switch {
		case !ok && len(values) == 0:
			continue
		case !ok:
			return mismatch("header %s is set, but the arguments have no %s", name, p)
		case len(values) != 1:
			return mismatch("%d headers %s, want one with the argument %s", len(values), name, p)
		}
		got, err := decodeValue(strings.Trim(values[0], " \t"))
		if err != nil {
			return mismatch("header %s: %v", name, err)
		}
		if got != want && !sameInteger(got, want) {
			return mismatch("header %s is %q, but the argument %s is %q", name, clip([]byte(got)), p, clip([]byte(want)))
		}
	}
	return nil
}

// SetParamHeaders sets the headers that repeat arguments of a tools/call.
func SetParamHeaders(h http.Header, params []Param, arguments json.RawMessage) {
	for _, p := range params {
		if value, ok := p.value(arguments); ok {
			h[http.CanonicalHeaderKey(paramHeader+p.Name)] = []string{encodeValue(value)}
		}
	}
}

// Param is an argument of a tool that a header repeats.
type Param struct {
	Name string   // after Mcp-Param-
	Path []string // keys from the arguments to the value
}

func (p Param) String() string { return strings.Join(p.Path, ".") }

// value returns the text of the argument. ok is false if it is absent, null or no scalar.
func (p Param) value(arguments json.RawMessage) (text string, ok bool) {
	at := jsonspan.Member{End: len(arguments)}
	for _, key := range p.Path {
		if at.End == 0 || jsonspan.KindAt(arguments, at.Start) != jsonspan.Object {
			return "", false
		}
		at = jsonedit.MemberAt(arguments, at.Start, key)
	}
	if at.End == 0 {
		return "", false
	}
	switch raw := arguments[at.Start:at.End]; jsonspan.KindAt(raw, 0) {
	case jsonspan.String:
		return jsonedit.Text(raw, jsonspan.Member{End: len(raw)}), true
	case jsonspan.Number, jsonspan.Bool:
		return string(raw), true
	}
	return "", false
}

// maxSchemaDepth bounds the nesting of properties with annotations.
const maxSchemaDepth = 16

// ParamHeaders returns the arguments of a tool that headers repeat: the properties of its
// input schema with the annotation x-mcp-header.
//
// Errors: if the annotation breaks the rules of the specification. The tool then cannot be
// called over HTTP.
func ParamHeaders(schema json.RawMessage) ([]Param, error) {
	if !strings.Contains(string(schema), `x-mcp-header`) {
		return nil, nil
	}
	var params []Param
	err := findParams(schema, nil, &params)
	return params, err
}

// findParams adds the annotated properties of a schema, at the path to its value.
func findParams(schema json.RawMessage, path []string, params *[]Param) (err error) {
	if len(path) > maxSchemaDepth || !isObject(schema) {
		return nil
	}
	properties := jsonedit.Member(schema, "properties")
	if properties.End == 0 || jsonspan.KindAt(schema, properties.Start) != jsonspan.Object {
		return nil
	}
	jsonedit.Members(schema[properties.Start:properties.End], func(key []byte, m jsonspan.Member) bool {
		property := schema[properties.Start+m.Start : properties.Start+m.End]
		at := append(slices.Clone(path), jsonedit.KeyText(key))
		if jsonedit.Has(property, "x-mcp-header") {
			err = addParam(property, Param{Name: jsonedit.MemberText(property, "x-mcp-header"), Path: at}, params)
		}
		if err == nil {
			err = findParams(property, at, params)
		}
		return err == nil
	})
	return err
}

// addParam adds an annotated property after checking it.
func addParam(property json.RawMessage, p Param, params *[]Param) error {
	isSame := func(other Param) bool { return strings.EqualFold(other.Name, p.Name) }
	switch kind := jsonedit.MemberText(property, "type"); {
	case p.Name == "" || strings.ContainsFunc(p.Name, func(r rune) bool { return !isTokenRune(r) }):
		return errors.New("x-mcp-header of " + p.String() + " is no name of a header")
	case slices.ContainsFunc(*params, isSame):
		return errors.New("x-mcp-header " + p.Name + " is used twice")
	case kind != "string" && kind != "integer" && kind != "boolean":
		return errors.New("x-mcp-header of " + p.String() + ": its type is no string, integer or boolean")
	}
	*params = append(*params, p)
	return nil
}

// isTokenRune reports whether a rune may be in the name of an HTTP header (RFC 9110, 5.6.2).
func isTokenRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

const encodedPrefix, encodedSuffix = "=?base64?", "?="

// encodeValue returns a text as the value of a header.
func encodeValue(text string) string {
	isPlain := func(r rune) bool { return r >= ' ' && r <= '~' }
	if !strings.ContainsFunc(text, func(r rune) bool { return !isPlain(r) }) && strings.TrimSpace(text) == text && !isEncoded(text) {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

func isEncoded(value string) bool {
	return len(value) >= len(encodedPrefix)+len(encodedSuffix) && strings.HasPrefix(value, encodedPrefix) && strings.HasSuffix(value, encodedSuffix)
}

// decodeValue returns the text of the value of a header.
func decodeValue(value string) (string, error) {
	if !isEncoded(value) {
		if strings.ContainsFunc(value, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }) {
			return "", errors.New("holds a character that no header may hold")
		}
		return value, nil
	}
	text, err := base64.StdEncoding.Strict().DecodeString(value[len(encodedPrefix) : len(value)-len(encodedSuffix)])
	if err != nil {
		return "", errors.New("is no valid Base64")
	}
	return string(text), nil
}

// maxDigits bounds the numbers that are compared by value.
const maxDigits = 64

// sameInteger reports whether two texts are the same whole number, such as 42 and 42.0.
func sameInteger(x, y string) bool {
	if len(x) > maxDigits || len(y) > maxDigits || strings.ContainsAny(x+y, "eE/xXpP_") {
		return false
	}
	a, ok := new(big.Rat).SetString(x)
	b, ok2 := new(big.Rat).SetString(y)
	return ok && ok2 && a.Cmp(b) == 0
}

func mismatch(format string, args ...any) *jsonrpc.Error {
	return jsonrpc.Errorf(CodeHeaderMismatch, "header mismatch: "+format, args...)
}
