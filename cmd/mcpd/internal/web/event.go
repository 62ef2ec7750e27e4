package web

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// Limits of an eventCache.
const (
	cachedEvents   = 256
	maxCachedEvent = 64 << 10 // a larger event is encoded for each watcher
)

// eventCache holds the last encoded changes, which are the same for all watchers that may see
// them. Its zero value is empty. It is safe for concurrent use.
type eventCache struct {
	mu     sync.RWMutex
	events [cachedEvents]cachedEvent // a change is at its version modulo the size
}

type cachedEvent struct {
	version int64
	key     object.Key // a change of a project has the servers of the project with its version
	text    []byte
}

// encode returns the event of a change.
func (c *eventCache) encode(ch store.Change) ([]byte, error) {
	at := ch.Version % cachedEvents
	c.mu.RLock()
	e := c.events[at]
	c.mu.RUnlock()
	if e.text != nil && e.version == ch.Version && e.key == ch.Key {
		return e.text, nil
	}
	text, err := encodeChange(ch)
	if err == nil && len(text) <= maxCachedEvent {
		c.mu.Lock()
		c.events[at] = cachedEvent{ch.Version, ch.Key, text}
		c.mu.Unlock()
	}
	return text, err
}

func encodeChange(ch store.Change) ([]byte, error) {
	data := api.TeamChange{Version: strconv.FormatInt(ch.Version, 10), Op: api.TeamDelete,
		Kind: strings.ToLower(string(ch.Key.Kind)), Project: string(ch.Key.Project), Name: string(ch.Key.Name)}
	if ch.Record != nil {
		o := objectOf(*ch.Record)
		data.Op, data.Object = api.TeamPut, &o
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return eventText(api.TeamEventChange, data.Version, string(text)), nil
}

// eventText returns a server-sent event. id may be empty.
func eventText(kind, id, data string) []byte {
	if id != "" {
		id = "id: " + id + "\n"
	}
	return fmt.Appendf(nil, "%sevent: %s\ndata: %s\n\n", id, kind, data)
}
