package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// Times of a watcher.
const (
	writeLimit = 10 * time.Second // for one write; a slower reader is disconnected and resumes
	revalidate = 5 * time.Second  // between two checks of the token
)

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
	c.watchers.Add(1)
	defer c.watchers.Add(-1)
	header := c.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	w := &watcher{call: c, mark: c.Access.Mark(c.caller), out: http.NewResponseController(c.w)}
	if c.Access.RightsChangedSince(c.caller, after) { // while the client was away
		w.resync()
		return
	}
	w.run(after)
}

// watcher is one open stream.
type watcher struct {
	*call
	mark uint64 // of access.Access.Mark when it began
	out  *http.ResponseController
	buf  bytes.Buffer
}

// run sends events until the stream ends: the client or the process ends it, the token is
// revoked, or the client must take a new snapshot.
func (w *watcher) run(after int64) {
	beat := time.NewTicker(api.TeamHeartbeat)
	defer beat.Stop()
	check := time.NewTicker(revalidate)
	defer check.Stop()
	synced := int64(-1)
	for {
		changes, upTo, more, err := w.Feed.Next(w.ctx(), after)
		if errors.Is(err, abi.ErrUnavailable) { // the database is away: the client waits with the server
			more, upTo = nil, after
		} else if err != nil || w.Access.Mark(w.caller) != w.mark || !w.knows(changes) {
			w.resync()
			return
		}
		if !w.changes(changes) {
			return
		}
		after = upTo
		if err == nil && len(changes) == 0 && synced != after {
			w.event(api.TeamEventSync, strconv.FormatInt(after, 10), fmt.Sprintf(`{"version":"%d"}`, after))
			synced = after
		}
		if !w.flush() {
			return
		}
		if len(changes) > 0 {
			continue
		}
		select {
		case <-more:
		case <-beat.C:
			w.buf.WriteString(":\n\n")
			if !w.flush() {
				return
			}
		case <-check.C:
			if err := w.Access.Revalidate(w.ctx(), w.caller); errors.Is(err, access.ErrToken) {
				w.event(api.TeamEventRevoked, "", "{}")
				w.flush()
				return
			}
		case <-w.ctx().Done():
			return
		case <-w.Closing.Done():
			return
		}
	}
}

// resync tells the client to take a new snapshot, or that its token is no longer valid.
func (w *watcher) resync() {
	kind := api.TeamEventResync
	if err := w.Access.Revalidate(w.ctx(), w.caller); errors.Is(err, access.ErrToken) {
		kind = api.TeamEventRevoked
	}
	w.event(kind, "", "{}")
	w.flush()
}

// knows reports whether the process knows the effect of changes on what the caller may see.
// It does not know those of before its start.
func (w *watcher) knows(changes []store.Change) bool {
	return !slices.ContainsFunc(changes, func(c store.Change) bool { return !w.Access.IsKnown(c.Key, c.Version) })
}

// maxBuffer is the size of the events that are written at once, if one is not larger.
const maxBuffer = 1 << 20

// changes writes the events of changes that the caller may see. It reports whether the client
// still reads.
func (w *watcher) changes(changes []store.Change) bool {
	for _, ch := range changes {
		if ch.Key.Kind == object.KindProject {
			w.serversOf(ch)
		}
		if w.canView(ch.Key) && (ch.Delete || ch.Record != nil) {
			w.change(ch)
		}
		if w.buf.Len() > maxBuffer && !w.flush() {
			return false
		}
	}
	return true
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
	data := api.TeamChange{Version: strconv.FormatInt(ch.Version, 10), Op: api.TeamDelete,
		Kind: strings.ToLower(string(ch.Key.Kind)), Project: string(ch.Key.Project), Name: string(ch.Key.Name)}
	if ch.Record != nil {
		o := objectOf(*ch.Record)
		data.Op, data.Object = api.TeamPut, &o
	}
	text, err := json.Marshal(data)
	if err != nil {
		w.Log.Error("a change cannot be encoded", "object", ch.Key.String(), "cause", err)
		return
	}
	w.event(api.TeamEventChange, data.Version, string(text))
}

func (w *watcher) event(kind, id, data string) {
	if id != "" {
		fmt.Fprintf(&w.buf, "id: %s\n", id)
	}
	fmt.Fprintf(&w.buf, "event: %s\ndata: %s\n\n", kind, data)
}

// flush writes the events and reports whether the client still reads.
func (w *watcher) flush() bool {
	if w.buf.Len() == 0 {
		return true
	}
	_ = w.out.SetWriteDeadline(time.Now().Add(writeLimit)) // a connection without deadlines has no limit
	_, err := w.w.Write(w.buf.Bytes())
	if w.buf.Cap() > maxIdleBuffer { // 10,000 watchers wait most of the time
		w.buf = bytes.Buffer{}
	}
	w.buf.Reset()
	return err == nil && w.out.Flush() == nil
}

// maxIdleBuffer is the size of the buffer that a waiting watcher keeps.
const maxIdleBuffer = 4 << 10
