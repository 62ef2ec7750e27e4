package live

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// maxLastValid limits the size of the file of the last valid proxymodels.
const maxLastValid = 16 << 20

// lastValid returns the last valid proxymodels: those of the previous state, or those
// that the previous daemon wrote.
func (c *Config) lastValid(before *State) *proxymodel.Kept {
	if before != nil && !before.Early {
		return before.Plan.Kept()
	}
	kept, err := readLastValid(c.opts.Home.LastValid())
	if err != nil {
		c.opts.Log.Warn("last valid proxymodels cannot be read", "error", err)
	}
	return kept
}

// readLastValid never returns nil: without the file it returns an empty Kept.
func readLastValid(path string) (*proxymodel.Kept, error) {
	none, _ := proxymodel.DecodeKept([]byte("{}"))
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxLastValid))
	if err != nil {
		return none, err
	}
	kept, err := proxymodel.DecodeKept(b)
	if err != nil {
		return none, err
	}
	return kept, nil
}

// writeLastValid writes the last valid proxymodels if they changed, so that they remain
// in use after a restart. The caller holds c.reloading.
func (c *Config) writeLastValid(kept *proxymodel.Kept) {
	if c.opts.Offline {
		return
	}
	b, err := kept.Encode()
	if err == nil && !bytes.Equal(b, c.validWritten) {
		if err = atomicfile.Write(c.opts.Home.LastValid(), b, 0o600); err == nil {
			c.validWritten = b
		}
	}
	if err != nil {
		c.opts.Log.Warn("last valid proxymodels cannot be written for the next start", "error", err)
	}
}

// reportBroken logs each proxymodel or reference that became invalid, and adds an event.
func (c *Config) reportBroken(before, now *State) {
	var known []string
	if before != nil {
		known = before.brokenStates()
	}
	for _, b := range now.Plan.Broken() {
		if slices.Contains(known, b.State()) {
			continue
		}
		c.opts.Log.Warn(b.KindName+" is invalid", "name", b.Name, "effect", b.State())
		c.opts.Events.Add(event.Event{Type: event.ConfigInvalid, Change: &event.Change{Name: b.KindName + "/" + b.Name, Reason: b.State()}})
	}
}

func (s *State) brokenStates() (list []string) {
	for _, b := range s.Plan.Broken() {
		list = append(list, b.State())
	}
	return list
}

// brokenModels describes, for each invalid proxymodel that a project uses and for each
// project without a valid one, how content is handled.
func (s *State) brokenModels() (list []store.Problem) {
	if s.Early {
		return nil
	}
	for _, b := range s.Plan.Broken() {
		key := object.Key{Kind: object.KindProxyModel, Name: object.Name(b.Name)}
		if b.KindName == "project" || len(s.Snapshot.UsedBy(key)) > 0 {
			list = append(list, store.Problem{Err: errors.New(b.State())})
		}
	}
	return list
}
