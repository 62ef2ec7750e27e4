package proxy

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// maxWatched is the number of subscriptions that a session remembers.
const maxWatched = 10_000

// interest records which messages a client has asked for: its log level and the
// resources that it has subscribed to. The zero value records none. It is safe for
// concurrent use.
type interest struct {
	mu       sync.Mutex
	level    json.RawMessage // params of the last logging/setLevel
	declared bool            // logging was declared to the client
	watched  map[string]struct{}
}

// declareLogging records whether logging was declared to the client.
func (i *interest) declareLogging(declared bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.declared = declared
}

// setLevel records the params of logging/setLevel.
func (i *interest) setLevel(params json.RawMessage) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.level = params
}

func (i *interest) lastLevel() json.RawMessage {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.level
}

// acceptsLog reports whether the client accepts a log message. Without a level it
// accepts all.
func (i *interest) acceptsLog(params json.RawMessage) bool {
	i.mu.Lock()
	declared, level := i.declared, i.level
	i.mu.Unlock()
	severity := severityOf(params)
	return declared && severity >= 0 && (level == nil || severity >= severityOf(level))
}

// wantsLog reports whether the client has set a level that a log message reaches.
func (i *interest) wantsLog(params json.RawMessage) bool {
	level := i.lastLevel()
	return level != nil && severityOf(params) >= severityOf(level)
}

// severities are the levels of log messages, the least severe first.
var severities = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// severityOf returns the position of a level in severities, or -1.
func severityOf(params json.RawMessage) int {
	return severityIndex(jsonedit.MemberText(params, "level"))
}

// severityIndex returns the position of a level in severities, or -1.
func severityIndex(level string) int { return slices.Index(severities, level) }

// watch records a subscription.
func (i *interest) watch(uri string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.watched == nil {
		i.watched = make(map[string]struct{})
	}
	if len(i.watched) < maxWatched {
		i.watched[uri] = struct{}{}
	}
}

// unwatch removes a subscription.
func (i *interest) unwatch(uri string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.watched, uri)
}

// subscriptions returns the URIs of all subscriptions, sorted.
func (i *interest) subscriptions() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Sorted(maps.Keys(i.watched))
}
