package upstream

import (
	"encoding/json"
	"slices"
)

// maxSubscriptions bounds the subscriptions that are restored.
const maxSubscriptions = 4096

// memory is the state of a server's session that is restored on a new connection: the log
// level and the subscriptions.
type memory struct {
	level         json.RawMessage // params of logging/setLevel; nil if never set
	subscriptions []subscription  // oldest first
}

type subscription struct {
	uri    string
	params json.RawMessage
}

// repeatedRequest is a request that is sent again on a new connection.
type repeatedRequest struct {
	method string
	params json.RawMessage
}

// note records a request that the server answered with a result. It reports whether the
// subscriptions have changed.
func (m *memory) note(method string, params json.RawMessage) (resubscribes bool) {
	switch method {
	case "logging/setLevel":
		m.level = slices.Clone(params)
	case "resources/subscribe":
		uri := text(params, "/uri")
		m.forget(uri)
		if len(m.subscriptions) < maxSubscriptions {
			m.subscriptions = append(m.subscriptions, subscription{uri, slices.Clone(params)})
		}
	case "resources/unsubscribe":
		m.forget(text(params, "/uri"))
	default:
		return false
	}
	return method != "logging/setLevel"
}

// uris returns the URIs of all subscriptions.
func (m *memory) uris() (uris []string) {
	for _, s := range m.subscriptions {
		uris = append(uris, s.uri)
	}
	return uris
}

func (m *memory) forget(uri string) {
	m.subscriptions = slices.DeleteFunc(m.subscriptions, func(s subscription) bool { return s.uri == uri })
}

// recall lists the requests that restore the state.
func (m *memory) recall() []repeatedRequest {
	var all []repeatedRequest
	if m.level != nil {
		all = append(all, repeatedRequest{"logging/setLevel", m.level})
	}
	for _, s := range m.subscriptions {
		all = append(all, repeatedRequest{"resources/subscribe", s.params})
	}
	return all
}
