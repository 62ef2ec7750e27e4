package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// snapshot is one request for all objects that the caller may view.
type snapshot struct{ *call }

func (c *snapshot) serve() {
	// The tag names the rights too: a caller whose rights have changed gets another snapshot.
	if c.notModified(c.tag(c.Feed.Version())) {
		return
	}
	end, err := c.begin()
	if err != nil {
		c.refuse(err)
		return
	}
	defer end()
	tag, endBytes := "", func() {}
	defer func() { endBytes() }()
	records, version, err := c.read(store.Selection{
		Choose: func(ctx context.Context, version int64) (func(object.Key) bool, error) {
			// The rights of this version, or of a later one: a watcher who continues from it is told
			// of later changes only.
			if c.Feed.Version() < version {
				if err := c.Feed.Sync(ctx); err != nil {
					return nil, err
				}
			}
			tag = c.tag(version) // of the rights before the objects are selected
			return c.canView, nil
		},
		Accept: func(size int64) error {
			end, err := c.hold(size)
			if err == nil {
				endBytes = end
			}
			return err
		},
	})
	if err != nil {
		c.refuse(err)
		return
	}
	c.w.Header().Set("ETag", tag)
	c.w.Header().Set("Content-Type", "application/json")
	_ = writeSnapshot(newTimedWriter(c.w), version, records) // an error means that the client has disconnected, or does not read
}

// begin counts a snapshot that is read or sent.
func (c *snapshot) begin() (end func(), err error) {
	return c.snapshots.take(c.actor(), 1, maxSnapshots, math.MaxInt64, fmt.Sprintf("%s has %d open snapshots", c.actor(), maxSnapshots))
}

// hold counts the bytes of a snapshot.
func (c *snapshot) hold(size int64) (end func(), err error) {
	return c.snapshotBytes.take(c.actor(), min(size, maxCallerSnapshot), maxCallerSnapshot, maxSnapshotBytes, "the snapshots that are being sent have too many bytes")
}

// read reads objects. Few callers do so at the same time: each has a connection to the
// database and the rows of all objects, and waits for the feed, which needs another connection.
func (c *snapshot) read(sel store.Selection) ([]store.Record, int64, error) {
	end, err := c.reads.wait(c.ctx())
	if err != nil {
		return nil, 0, err
	}
	defer end()
	return c.Store.Snapshot(c.ctx(), sel)
}

// writeSnapshot writes an api.Snapshot. It encodes the objects one by one and clears them, so
// that it needs no second copy of them.
func writeSnapshot(w io.Writer, version int64, records []store.Record) error {
	if _, err := fmt.Fprintf(w, `{"version":%q,"objects":[`, strconv.FormatInt(version, 10)); err != nil {
		return err
	}
	for i, r := range records {
		text, err := json.Marshal(objectOf(r))
		if err != nil {
			return err
		}
		if i > 0 {
			text = append([]byte{','}, text...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		records[i] = store.Record{}
	}
	_, err := io.WriteString(w, "]}\n")
	return err
}

// tag returns the ETag of the objects that the caller may view at a version of the store.
func (c *call) tag(version int64) string {
	return fmt.Sprintf(`"%d.%x"`, version, c.Access.Mark(c.caller))
}
