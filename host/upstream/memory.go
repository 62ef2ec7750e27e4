package upstream

import (
	"encoding/json"
	"slices"
)

// maxSubscriptions bounds what is told again to a server that came back.
const maxSubscriptions = 4096

// memory is what a server was told that dies with its session: the log level and
// the subscriptions. A new connection is told again.
type memory struct {
	level         json.RawMessage // params of logging/setLevel; nil: never set
	subscriptions []subscription  // in the order they were made
}

type subscription struct {
	uri    string
	params json.RawMessage
}

// told is a request to repeat.
type told struct {
	method string
	params json.RawMessage
}

// note remembers a request that the server answered with a result.
func (m *memory) note(method string, params json.RawMessage) {
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
	}
}

func (m *memory) forget(uri string) {
	m.subscriptions = slices.DeleteFunc(m.subscriptions, func(s subscription) bool { return s.uri == uri })
}

// recall lists what to tell a new connection.
func (m *memory) recall() []told {
	var all []told
	if m.level != nil {
		all = append(all, told{"logging/setLevel", m.level})
	}
	for _, s := range m.subscriptions {
		all = append(all, told{"resources/subscribe", s.params})
	}
	return all
}
