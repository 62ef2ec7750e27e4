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

// ReadRequest reads the params of a request.
//
// Errors: with CodeInvalidParams, if a required member is missing or a member has another
// type. The version is not checked.
func ReadRequest(raw json.RawMessage) (Request, *jsonrpc.Error) {
	params, err := jsonrpc.DecodeParams(raw)
	if err != nil {
		return Request{}, asError(err)
	}
	r := Request{}
	metaRaw, ok := params.Get("_meta")
	if !ok {
		return r, invalid("params._meta is missing")
	}
	meta, err := jsonrpc.DecodeObject(metaRaw)
	if err != nil {
		return r, invalid("params._meta: %s", asError(err).Message)
	}
	if r.Version, ok = meta.Text(metaVersion); !ok {
		return r, invalid("params._meta: %s is missing or no string", metaVersion)
	}
	if r.Capabilities, ok = meta.Get(metaCapabilities); !ok || !isObject(r.Capabilities) {
		return r, invalid("params._meta: %s is missing or no object", metaCapabilities)
	}
	if r.Client, ok = meta.Get(metaClient); ok && !isObject(r.Client) {
		return r, invalid("params._meta: %s is no object", metaClient)
	}
	if level, ok := meta.Get(metaLogLevel); ok {
		if r.LogLevel, ok = meta.Text(metaLogLevel); !ok || !slices.Contains(logLevels, r.LogLevel) {
			return r, invalid("params._meta: %s is %s, want one of %s", metaLogLevel, clip(level), strings.Join(logLevels, ", "))
		}
	}
	if bad := r.readInput(&params); bad != nil {
		return r, bad
	}
	r.Params = withoutProtocolKeys(params, meta)
	return r, nil
}

// logLevels are the levels of log messages.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// readInput reads and removes the members of a repeated request.
func (r *Request) readInput(params *jsonrpc.Object) *jsonrpc.Error {
	if _, ok := params.Get("requestState"); ok {
		if r.State, ok = params.Text("requestState"); !ok || r.State == "" {
			return invalid("params.requestState is no text")
		}
		params.Delete("requestState")
	}
	if responses, ok := params.Get("inputResponses"); ok {
		if !isObject(responses) {
			return invalid("params.inputResponses is of kind %s, want object", jsonspan.KindAt(responses, 0))
		}
		r.Responses = responses
		params.Delete("inputResponses")
	}
	return nil
}

// withoutProtocolKeys returns the params without the keys of _meta that are reserved for
// the protocol.
func withoutProtocolKeys(params, meta jsonrpc.Object) json.RawMessage {
	var rest jsonrpc.Object
	for _, f := range meta.Fields() {
		if !strings.HasPrefix(f.Name, metaPrefix) {
			rest.Set(f.Name, f.Value)
		}
	}
	if len(rest.Fields()) > 0 {
		params.Set("_meta", rest.Raw())
	} else {
		params.Delete("_meta")
	}
	return params.Raw()
}

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
