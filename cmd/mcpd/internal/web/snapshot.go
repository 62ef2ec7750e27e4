package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// snapshot answers with all objects that the caller may view.
func (c *call) snapshot() {
	// The tag names the rights too: a caller whose rights have changed gets another snapshot.
	if c.notModified(c.tag(c.Feed.Version())) {
		return
	}
	end, err := c.beginSnapshot()
	if err != nil {
		c.refuse(err)
		return
	}
	defer end()
	tag, endBytes := "", func() {}
	defer func() { endBytes() }()
	records, version, err := c.readSnapshot(store.Selection{
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
			end, err := c.holdSnapshot(size)
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

// readSnapshot reads objects. Few callers do so at the same time: each has a connection to the
// database and the rows of all objects, and waits for the feed, which needs another connection.
func (c *call) readSnapshot(sel store.Selection) ([]store.Record, int64, error) {
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

// tag returns the entity tag of what a caller sees of a version of the store.
func (c *call) tag(version int64) string {
	return fmt.Sprintf(`"%d.%x"`, version, c.Access.Mark(c.caller))
}
