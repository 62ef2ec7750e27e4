package stateless

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// listTTL is how long a client may keep a list before it asks again. Servers start and
// projects change at any time, and few clients listen for changes.
const listTTL = 5 * time.Second

// ttls are the times for which a client may keep results, by method. Other results have none.
var ttls = map[string]time.Duration{
	"server/discover":          listTTL,
	"tools/list":               listTTL,
	"prompts/list":             listTTL,
	"resources/list":           listTTL,
	"resources/templates/list": listTTL,
	"resources/read":           0,
}

// CompleteResult adds the members that a result must have in this version: its type, the
// description of the server in _meta, and how long it may be kept. The hints of the server
// that answered are kept. server is the object of the description.
//
// Of an earlier version's server no other type is accepted: it would tell the client to
// answer questions that this proxy has not checked.
func CompleteResult(method string, result, server json.RawMessage) json.RawMessage {
	if !isObject(result) {
		return result
	}
	c := completion{Patch: jsonedit.Patch{Source: result}}
	var meta jsonspan.Member
	members := 0
	jsonedit.Members(result, func(key []byte, m jsonspan.Member) bool {
		members++
		switch jsonedit.KeyText(key) {
		case "resultType":
			c.kind = m
		case "ttlMs":
			c.ttl = m
		case "cacheScope":
			c.scope = m
		case "_meta":
			meta = m
		}
		return true
	})
	c.set("resultType", c.kind, jsonedit.Text(result, c.kind) == "complete", complete)
	if ttl, ok := ttls[method]; ok {
		n, err := strconv.ParseInt(string(result[c.ttl.Start:c.ttl.End]), 10, 64)
		c.set("ttlMs", c.ttl, err == nil && n >= 0, strconv.AppendInt(nil, ttl.Milliseconds(), 10))
		// A result is that of one user, also if the server says otherwise: filters and
		// prompts are a project's own.
		c.set("cacheScope", c.scope, jsonedit.Text(result, c.scope) == "private", private)
	}
	description := jsonedit.Raw(metaServer, server)
	switch {
	case meta.End == 0:
		c.added = append(c.added, jsonedit.Raw("_meta", jsonedit.Object(description)))
	case jsonspan.KindAt(result, meta.Start) == jsonspan.Object:
		c.EditObject(meta.Start, func(key []byte) bool { return jsonspan.KeyIs(key, metaServer) }, description)
	}
	if len(c.added) > 0 {
		head := jsonedit.Object(c.added...)
		head = head[1 : len(head)-1]
		if members > 0 {
			head = append(head, ',')
		}
		c.Replace(jsonspan.Member{Start: 1, End: 1}, head)
	}
	return c.Apply()
}

// Values of resultType and cacheScope. Nothing changes them.
var complete, private = jsonedit.Quote("complete"), jsonedit.Quote("private")

// completion collects the edits of one result, which is read in one pass.
type completion struct {
	jsonedit.Patch
	kind, ttl, scope jsonspan.Member // End is 0 if absent
	added            []jsonedit.Field
}

// set gives a member its value, unless the one it has is valid.
func (c *completion) set(name string, m jsonspan.Member, isValid bool, value []byte) {
	switch {
	case m.End == 0:
		c.added = append(c.added, jsonedit.Raw(name, value))
	case !isValid:
		c.Replace(m, value)
	}
}

// InputRequired returns the result that asks the client for input. requests are the
// requests by key.
func InputRequired(requests []jsonedit.Field, state string, server json.RawMessage) json.RawMessage {
	return jsonedit.Object(
		jsonedit.String("resultType", "input_required"),
		jsonedit.Raw("inputRequests", jsonedit.Object(requests...)),
		jsonedit.String("requestState", state),
		jsonedit.Raw("_meta", jsonedit.Object(jsonedit.Raw(metaServer, server))),
	)
}

// MissingCapability returns the error for a request of a server that needs a capability which
// the client has not declared.
func MissingCapability(method, capability string) *jsonrpc.Error {
	e := jsonrpc.Errorf(CodeMissingCapability, "the server needs %s of the client, which has not declared the capability %s", method, capability)
	e.Data = jsonedit.Object(jsonedit.Raw("requiredCapabilities", jsonedit.Object(jsonedit.Raw(capability, []byte("{}")))))
	return e
}

// codeOldNotFound is the code of earlier versions for a resource that does not exist.
const codeOldNotFound = -32002

// ModernError returns an error object with the codes of this version.
func ModernError(raw json.RawMessage) json.RawMessage {
	if jsonrpc.ReadError(raw).Code != codeOldNotFound {
		return raw
	}
	p := jsonedit.Patch{Source: raw}
	p.Replace(jsonedit.Member(raw, "code"), strconv.AppendInt(nil, jsonrpc.CodeInvalidParams, 10))
	return p.Apply()
}

// Tag returns the params of a notification with the id of the subscription to which it
// belongs.
func Tag(params json.RawMessage, subscription jsonrpc.ID) json.RawMessage {
	id := jsonedit.Raw(metaSubscription, subscription.Append(nil))
	if !isObject(params) {
		return jsonedit.Object(jsonedit.Raw("_meta", jsonedit.Object(id)))
	}
	p := jsonedit.Patch{Source: params}
	if meta := jsonedit.Member(params, "_meta"); meta.End > 0 && jsonspan.KindAt(params, meta.Start) == jsonspan.Object {
		p.EditObject(meta.Start, func(key []byte) bool { return jsonspan.KeyIs(key, metaSubscription) }, id)
	} else {
		p.EditObject(0, func(key []byte) bool { return jsonspan.KeyIs(key, "_meta") }, jsonedit.Raw("_meta", jsonedit.Object(id)))
	}
	return p.Apply()
}
