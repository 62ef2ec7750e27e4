package stateless

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Client is what a client says about itself in each request.
type Client struct {
	Info         json.RawMessage
	Capabilities json.RawMessage
	LogLevel     string // "" for no log messages
}

// Describe returns the params of a request with the description of the client in _meta.
// Other keys of _meta stay, except those that are reserved for the protocol.
func (c Client) Describe(params json.RawMessage) json.RawMessage {
	fields := []jsonedit.Field{
		jsonedit.String(metaVersion, Version),
		jsonedit.Raw(metaClient, c.Info),
		jsonedit.Raw(metaCapabilities, c.Capabilities),
	}
	if c.LogLevel != "" {
		fields = append(fields, jsonedit.String(metaLogLevel, c.LogLevel))
	}
	if !isObject(params) {
		return jsonedit.Object(jsonedit.Raw("_meta", jsonedit.Object(fields...)))
	}
	p := jsonedit.Patch{Source: params}
	if meta := jsonedit.Member(params, "_meta"); meta.End > 0 && jsonspan.KindAt(params, meta.Start) == jsonspan.Object {
		p.EditObject(meta.Start, isReserved, fields...)
	} else {
		p.EditObject(0, func(key []byte) bool { return jsonspan.KeyIs(key, "_meta") }, jsonedit.Raw("_meta", jsonedit.Object(fields...)))
	}
	return p.Apply()
}

// isReserved reports whether a key of _meta, as it is spelled, is reserved for the protocol.
func isReserved(key []byte) bool {
	if !bytes.ContainsRune(key, '\\') { // the usual case
		return bytes.HasPrefix(key[1:], []byte(metaPrefix))
	}
	return strings.HasPrefix(jsonedit.KeyText(key), metaPrefix)
}

// Repeat returns the params of a request with the input that its answer has asked for.
// state is that of the answer, nil if it had none.
func Repeat(params json.RawMessage, responses []jsonedit.Field, state json.RawMessage) json.RawMessage {
	add := []jsonedit.Field{jsonedit.Raw("inputResponses", jsonedit.Object(responses...))}
	if state != nil {
		add = append(add, jsonedit.Raw("requestState", state))
	}
	if !isObject(params) {
		return jsonedit.Object(add...)
	}
	p := jsonedit.Patch{Source: params}
	p.EditObject(0, nil, add...)
	return p.Apply()
}

// Input is a result that asks the client for input.
type Input struct {
	Requests []InputRequest
	State    json.RawMessage // a string, nil if absent
}

// InputRequest is one question of a server.
type InputRequest struct {
	Key    string
	Method string
	Params json.RawMessage // nil if absent
}

// ReadInput reads a result that asks for input. ok is false for any other result.
func ReadInput(result json.RawMessage) (in Input, ok bool) {
	if jsonedit.MemberText(result, "resultType") != "input_required" {
		return in, false
	}
	if m := jsonedit.Member(result, "requestState"); m.End > 0 {
		in.State = result[m.Start:m.End]
	}
	requests := jsonedit.Member(result, "inputRequests")
	raw := result[requests.Start:requests.End]
	jsonedit.Members(raw, func(key []byte, m jsonspan.Member) bool {
		one := raw[m.Start:m.End]
		r := InputRequest{Key: jsonedit.KeyText(key), Method: jsonedit.MemberText(one, "method")}
		if p := jsonedit.Member(one, "params"); p.End > 0 {
			r.Params = one[p.Start:p.End]
		}
		in.Requests = append(in.Requests, r)
		return true
	})
	return in, true
}

// Listen returns the params of subscriptions/listen for the changes of the lists that a
// server declares in its capabilities, and of the resources with the given URIs.
func Listen(capabilities json.RawMessage, uris []string) json.RawMessage {
	var fields []jsonedit.Field
	for _, list := range []string{"tools", "prompts", "resources"} {
		declared := jsonedit.Member(capabilities, list)
		changes := jsonedit.Member(capabilities[declared.Start:declared.End], "listChanged")
		if string(capabilities[declared.Start:declared.End][changes.Start:changes.End]) == "true" {
			fields = append(fields, jsonedit.Raw(list+"ListChanged", []byte("true")))
		}
	}
	if len(uris) > 0 {
		var all [][]byte
		for _, uri := range uris {
			all = append(all, jsonedit.Quote(uri))
		}
		fields = append(fields, jsonedit.Raw("resourceSubscriptions", jsonedit.Array(all...)))
	}
	if len(fields) == 0 {
		return nil
	}
	return jsonedit.Object(jsonedit.Raw("notifications", jsonedit.Object(fields...)))
}

// Untag returns the params of a notification without the id of its subscription.
func Untag(params json.RawMessage) json.RawMessage {
	meta := jsonedit.Member(params, "_meta")
	if meta.End == 0 || !jsonedit.Has(params[meta.Start:meta.End], metaSubscription) {
		return params
	}
	p := jsonedit.Patch{Source: params}
	p.EditObject(meta.Start, func(key []byte) bool { return jsonspan.KeyIs(key, metaSubscription) })
	return p.Apply()
}
