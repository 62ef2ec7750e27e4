package jsonrpc

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// fold maps all spellings that a lax reader treats as the same key to one text. It folds
// the case of every script, so that U+017F becomes s, U+212A k and U+0131 i. Keys that are
// equal under strings.EqualFold have the same fold.
//
// A name that equals its fold is returned without a copy.
func fold(name []byte) []byte {
	hasUpper := false
	for _, c := range name {
		if c >= 0x80 {
			return []byte(strings.ToLower(strings.ToUpper(string(name))))
		}
		hasUpper = hasUpper || 'A' <= c && c <= 'Z'
	}
	if hasUpper {
		return bytes.ToLower(name)
	}
	return name
}

func byFold(names ...string) map[string]string {
	m := make(map[string]string, len(names))
	for _, name := range names {
		m[string(fold([]byte(name)))] = name
	}
	return m
}

var envelopeNames = byFold(envelopeKeys[:]...)

// paramNames lists the params of MCP's methods that the proxy or a server decides on.
// Another spelling of one is refused even if it occurs alone, because the proxy would
// ignore "Arguments" and a lax server would use it.
var paramNames = byFold(
	"_meta", "name", "arguments", "uri", "cursor", "ref", "argument", "context", "level", "requestId", "reason",
	"progressToken", "progress", "total", "message", "protocolVersion", "capabilities", "clientInfo", "task", "taskId",
)

var metaNames = byFold("progressToken")

// scanParams checks a client's params as described at DecodeParams, and returns their end.
func scanParams(b []byte, at int) (end int, err error) {
	if end, err = jsonspan.Scan(b, at, jsonspan.Rules{MaxDepth: maxDepth, UniqueKeys: true}); err != nil {
		return 0, Errorf(CodeInvalidParams, "params: %v", err)
	}
	var bad *Error
	if bad = checkSpelling(b, at, "params", paramNames); bad != nil {
		return 0, bad
	}
	jsonspan.Children(b, at, func(m jsonspan.Member) bool {
		switch key := b[m.KeyStart:m.KeyEnd]; {
		case jsonspan.KeyIs(key, "_meta"):
			bad = checkSpelling(b, m.Start, "params._meta", metaNames)
		case jsonspan.KeyIs(key, "arguments"):
			bad = checkSpelling(b, m.Start, "params.arguments", nil)
		}
		return bad == nil
	})
	if bad != nil {
		return 0, bad
	}
	return end, nil
}

// checkSpelling refuses two keys of the valid object at b[at] that have the same fold, and
// a key that has the fold of a known key but is not equal to it.
func checkSpelling(b []byte, at int, where string, known map[string]string) *Error {
	var seen folds
	var bad *Error
	jsonspan.Children(b, at, func(m jsonspan.Member) bool {
		if m.KeyEnd == 0 {
			return false // an array
		}
		name, err := jsonspan.Unquote(b[m.KeyStart:m.KeyEnd])
		if err != nil {
			bad = Errorf(CodeInvalidParams, "%s: %v", where, err)
			return false
		}
		folded := fold(name)
		switch twin := known[string(folded)]; {
		case twin != "" && twin != string(name):
			bad = Errorf(CodeInvalidParams, "%s: key %q: want %q in this spelling", where, name, twin)
		case !seen.add(folded):
			bad = Errorf(CodeInvalidParams, "%s: key %q is there in two spellings", where, name)
		}
		return bad == nil
	})
	return bad
}

// folds is a set of folded keys. It is a list while it is short.
type folds struct {
	few  [12][]byte
	n    int // of few
	many map[string]struct{}
}

// add adds a key. It returns false if the set contains the key.
func (f *folds) add(key []byte) bool {
	for _, have := range f.few[:f.n] {
		if bytes.Equal(have, key) {
			return false
		}
	}
	if f.n < len(f.few) {
		f.few[f.n] = key
		f.n++
		return true
	}
	if f.many == nil {
		f.many = make(map[string]struct{})
	}
	if _, found := f.many[string(key)]; found {
		return false
	}
	f.many[string(key)] = struct{}{}
	return true
}
