package web

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// writeLimit is the time of one write. A slower reader is disconnected and resumes.
const writeLimit = 10 * time.Second

// watch streams the changes after a version as server-sent events.
func (c *call) watch() {
	since := c.query("since")
	if id := c.r.Header.Get("Last-Event-ID"); id != "" {
		since = id
	}
	after, err := strconv.ParseInt(since, 10, 64)
	if err != nil {
		c.refuse(problem.Usagef("since is %q, want the version of a snapshot", since))
		return
	}
	if _, _, _, err := c.Feed.Next(c.ctx(), after); err != nil {
		c.refuse(err)
		return
	}
	end, err := c.streams.take(c.actor(), 1, maxStreams, math.MaxInt64, fmt.Sprintf("%s has %d open streams of changes", c.actor(), maxStreams))
	if err != nil {
		c.refuse(err)
		return
	}
	defer end()
	c.watchers.Add(1)
	defer c.watchers.Add(-1)
	header := c.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	w := &watcher{call: c, mark: c.Access.Mark(c.caller), out: http.NewResponseController(c.w)}
	if c.Access.RightsChangedSince(c.caller, after) { // while the client was away
		w.resync(nil)
		return
	}
	w.run(after)
}

// watcher is one open stream.
type watcher struct {
	*call
	mark   uint64 // of access.Access.Mark when it began
	out    *http.ResponseController
	err    error // of a write: the client no longer reads
	unsent bool  // something was written since the last flush
}

// run sends events until the stream ends: the client or the process ends it, the token is
// revoked, or the client must take a new snapshot.
func (w *watcher) run(after int64) {
	beat := time.NewTicker(api.TeamHeartbeat)
	defer beat.Stop()
	synced, beats := int64(-1), 0
	for {
		changes, upTo, more, err := w.Feed.Next(w.ctx(), after)
		if errors.Is(err, abi.ErrUnavailable) { // the database is away: the client waits with the server
			more, upTo = nil, after
		} else if err != nil || w.Access.Mark(w.caller) != w.mark || !w.knows(changes) || access.IsRevoked(w.caller, changes) || w.Access.CheckActive(w.caller) != nil {
			w.resync(changes)
			return
		}
		w.changes(changes)
		after = upTo
		if len(changes) > 0 { // there may be more, and the event below is part of the same write
			if w.err != nil {
				return
			}
			continue
		}
		if err == nil && synced != after {
			w.event(api.TeamEventSync, strconv.FormatInt(after, 10), fmt.Sprintf(`{"version":"%d"}`, after))
			synced = after
		}
		if !w.flush() {
			return
		}
		select {
		case <-more:
		case <-beat.C:
			w.write([]byte(":\n\n"))
			if !w.flush() {
				return
			}
			if beats++; beats%beatsPerUse == 0 {
				if err := w.Access.Use(w.ctx(), w.caller); err != nil {
					w.Log.Warn("the use of a token cannot be stored", "cause", err)
				}
			}
		case <-w.ctx().Done():
			return
		case <-w.Closing.Done():
			return
		}
	}
}

// beatsPerUse is the number of heartbeats after which the use of the token is stored.
const beatsPerUse = int(5 * time.Minute / api.TeamHeartbeat)

// resync tells the client to take a new snapshot, or that its token is no longer valid.
func (w *watcher) resync(changes []store.Change) {
	kind, data := api.TeamEventResync, "{}"
	switch err := w.Access.CheckActive(w.caller); {
	case access.IsRevoked(w.caller, changes):
		kind = api.TeamEventRevoked
	case errors.Is(err, access.ErrExpired):
		kind, data = api.TeamEventRevoked, `{"expired":true}`
	case err != nil:
		kind = api.TeamEventRevoked
	}
	w.event(kind, "", data)
	w.flush()
}

// knows reports whether the process knows the effect of changes on what the caller may see.
// It does not know those of before its start.
func (w *watcher) knows(changes []store.Change) bool {
	return !slices.ContainsFunc(changes, func(c store.Change) bool { return !w.Access.IsKnown(c.Key, c.Version) })
}

// changes writes the events of changes that the caller may see.
func (w *watcher) changes(changes []store.Change) {
	for _, ch := range changes {
		if ch.Key.Kind == object.KindProject {
			w.serversOf(ch)
		}
		if w.canView(ch.Key) && (ch.Delete || ch.Record != nil) {
			w.change(ch)
		}
	}
}

// serversOf adds the servers that a caller may see, or may no longer see, since a project
// changed. Their events come before that of the project, with the version before it: a client
// that is cut off between them gets all of them again.
func (w *watcher) serversOf(project store.Change) {
	before := project.Version - 1
	for _, name := range w.Access.Dropped(project.Version) {
		key := object.Key{Kind: object.KindServer, Name: name}
		if !w.canView(key) && w.Access.AllowsRun(w.caller, name, project.Key.Name) {
			w.change(store.Change{Version: before, Key: key, Delete: true})
		}
	}
	for _, name := range w.Access.ServersOf(project.Key.Name) {
		key := object.Key{Kind: object.KindServer, Name: name}
		if !w.canView(key) {
			continue
		}
		if r, err := w.Store.Get(w.ctx(), key); err == nil { // else the server does not exist yet, or its change follows
			w.change(store.Change{Version: before, Key: key, Record: &r})
		}
	}
}

func (w *watcher) change(ch store.Change) {
	text, err := w.events.encode(ch)
	if err != nil {
		w.Log.Error("a change cannot be encoded", "object", ch.Key.String(), "cause", err)
		return
	}
	w.write(text)
}

func (w *watcher) event(kind, id, data string) { w.write(eventText(kind, id, data)) }

// write adds text to what flush sends. The buffers are those of the connection: 10,000
// watchers wait most of the time and need none of their own.
func (w *watcher) write(text []byte) {
	if w.err != nil {
		return
	}
	_ = w.out.SetWriteDeadline(time.Now().Add(writeLimit)) // a connection without deadlines has no limit
	_, w.err = w.w.Write(text)
	w.unsent = true
}

// flush sends what was written and reports whether the client still reads.
func (w *watcher) flush() bool {
	if w.err == nil && w.unsent {
		w.err, w.unsent = w.out.Flush(), false
	}
	return w.err == nil
}
