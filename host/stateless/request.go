package stateless

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Keys of params._meta that describe a request.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaClient       = metaPrefix + "clientInfo"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaLogLevel     = metaPrefix + "logLevel"
	metaServer       = metaPrefix + "serverInfo"
	metaSubscription = metaPrefix + "subscriptionId"
)

// Request is what a request says about itself, and the rest of its params.
type Request struct {
	Version      string
	Client       json.RawMessage // an object, nil if absent
	Capabilities json.RawMessage // an object
	LogLevel     string          // "" if the client wants no log messages

	// State and Responses belong to a request that is repeated with the input that its
	// first answer asked for. State is "" and Responses nil if absent.
	State     string
	Responses json.RawMessage // an object

	// Params are the params without the members above and without other keys of _meta
	// that are reserved for the protocol: they describe this connection, and no server of
	// an earlier version may see them.
	Params json.RawMessage
}

// IsModern reports whether a message is of this version or a later one. header is the value
// of MCP-Protocol-Version.
func IsModern(msg jsonrpc.Message, header string) bool {
	if header == Version || msg.Method == "server/discover" || msg.Method == "subscriptions/listen" {
		return true
	}
	_, ok := jsonspan.Lookup(msg.Params, versionPointer)
	return ok
}

// versionPointer leads to the version in params.
const versionPointer = "/_meta/io.modelcontextprotocol~1protocolVersion"

// VersionIn returns the version that the params of a request name, or "".
func VersionIn(params json.RawMessage) string {
	m, _ := jsonspan.Lookup(params, versionPointer)
	return jsonedit.Text(params, m)
}

// ReadRequest reads the params of a request that jsonrpc.Decode has checked.
//
// Errors: with CodeInvalidParams, if a required member is missing or a member has another
// type. The version is not checked.
func ReadRequest(raw json.RawMessage) (r Request, bad *jsonrpc.Error) {
	var meta, state, responses jsonspan.Member
	if isObject(raw) {
		jsonedit.Members(raw, func(key []byte, m jsonspan.Member) bool {
			switch {
			case jsonspan.KeyIs(key, "_meta"):
				meta = m
			case jsonspan.KeyIs(key, "requestState"):
				state = m
			case jsonspan.KeyIs(key, "inputResponses"):
				responses = m
			}
			return true
		})
	}
	switch {
	case meta.End == 0:
		return r, invalid("params._meta is missing")
	case jsonspan.KindAt(raw, meta.Start) != jsonspan.Object:
		return r, invalid("params._meta is of kind %s, want object", jsonspan.KindAt(raw, meta.Start))
	}
	rest, bad := r.readMeta(raw[meta.Start:meta.End])
	if bad != nil {
		return r, bad
	}
	if state.End > 0 {
		if r.State = jsonedit.Text(raw, state); r.State == "" {
			return r, invalid("params.requestState is no text")
		}
	}
	if responses.End > 0 {
		if r.Responses = raw[responses.Start:responses.End]; !isObject(r.Responses) {
			return r, invalid("params.inputResponses is of kind %s, want object", jsonspan.KindAt(r.Responses, 0))
		}
	}
	p := jsonedit.Patch{Source: raw}
	p.EditObject(0, func(key []byte) bool {
		return jsonspan.KeyIs(key, "requestState") || jsonspan.KeyIs(key, "inputResponses") || rest == 0 && jsonspan.KeyIs(key, "_meta")
	})
	if rest > 0 {
		p.EditObject(meta.Start, isReserved)
	}
	r.Params = p.Apply()
	return r, nil
}

// readMeta reads the description of the request. rest is the number of keys that do not
// belong to the protocol.
func (r *Request) readMeta(meta json.RawMessage) (rest int, bad *jsonrpc.Error) {
	var hasVersion, hasLevel bool
	jsonedit.Members(meta, func(key []byte, m jsonspan.Member) bool {
		value := meta[m.Start:m.End]
		switch {
		case jsonspan.KeyIs(key, metaVersion):
			hasVersion, r.Version = jsonspan.KindAt(value, 0) == jsonspan.String, jsonedit.Text(meta, m)
		case jsonspan.KeyIs(key, metaCapabilities):
			r.Capabilities = value
		case jsonspan.KeyIs(key, metaClient):
			r.Client = value
		case jsonspan.KeyIs(key, metaLogLevel):
			hasLevel, r.LogLevel = true, jsonedit.Text(meta, m)
		case !isReserved(key):
			rest++
		}
		return true
	})
	switch {
	case !hasVersion:
		return rest, invalid("params._meta: %s is missing or no string", metaVersion)
	case !isObject(r.Capabilities):
		return rest, invalid("params._meta: %s is missing or no object", metaCapabilities)
	case r.Client != nil && !isObject(r.Client):
		return rest, invalid("params._meta: %s is no object", metaClient)
	case hasLevel && !slices.Contains(logLevels, r.LogLevel):
		return rest, invalid("params._meta: %s is %q, want one of %s", metaLogLevel, clip([]byte(r.LogLevel)), strings.Join(logLevels, ", "))
	}
	return rest, nil
}

// logLevels are the levels of log messages.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func isObject(raw json.RawMessage) bool { return jsonspan.KindAt(raw, 0) == jsonspan.Object }

func invalid(format string, args ...any) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, format, args...)
}

// clip shortens a value of a client for an error.
func clip(raw []byte) string {
	const limit = 40
	if len(raw) > limit {
		return strings.ToValidUTF8(string(raw[:limit]), "") + "..."
	}
	return string(raw)
}
