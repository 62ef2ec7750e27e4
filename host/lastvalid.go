package host

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/store"
)

// maxLastValid bounds the file of the last valid proxymodels.
const maxLastValid = 16 << 20

// lastValid returns the last valid proxymodels: those of the state before, or those
// that the daemon before this one wrote.
func (h *Host) lastValid(before *state) *proxymodel.Kept {
	if before != nil && !before.early {
		return before.plan.Kept()
	}
	kept, err := readLastValid(h.opts.Home.LastValid())
	if err != nil {
		h.log.Warn("last valid proxymodels are not known", "error", err)
	}
	return kept
}

// readLastValid never returns nil: without the file nothing is known.
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

// keepValid writes the last valid proxymodels, if they changed, so that an invalid
// file takes nothing away after a restart either. The caller holds h.reloading.
func (h *Host) keepValid(kept *proxymodel.Kept) {
	if h.opts.Offline {
		return
	}
	b, err := kept.Encode()
	if err == nil && !bytes.Equal(b, h.validWritten) {
		if err = writeFile(h.opts.Home.LastValid(), b); err == nil {
			h.validWritten = b
		}
	}
	if err != nil {
		h.log.Warn("last valid proxymodels are not kept for the next start", "error", err)
	}
}

// reportBroken makes an event and a line in the log of each proxymodel or reference
// that became invalid.
func (h *Host) reportBroken(before, now *state) {
	var known []string
	if before != nil {
		known = before.brokenStates()
	}
	for _, b := range now.plan.Broken() {
		if slices.Contains(known, b.State()) {
			continue
		}
		h.log.Warn(b.KindName+" is invalid", "name", b.Name, "effect", b.State())
		h.events.Add(event.Event{Type: event.ConfigInvalid, Change: &event.Change{Name: b.KindName + "/" + b.Name, Reason: b.State()}})
	}
}

func (s *state) brokenStates() (list []string) {
	for _, b := range s.plan.Broken() {
		list = append(list, b.State())
	}
	return list
}

// brokenModels says of each invalid proxymodel that a project uses, and of each
// project that names none, what content gets meanwhile.
func (s *state) brokenModels() (list []store.Problem) {
	if s.early {
		return nil
	}
	for _, b := range s.plan.Broken() {
		key := object.Key{Kind: object.KindProxyModel, Name: object.Name(b.Name)}
		if b.KindName == "project" || len(s.snapshot.UsedBy(key)) > 0 {
			list = append(list, store.Problem{Err: errors.New(b.State())})
		}
	}
	return list
}

// writeFile replaces a file as a whole: it is the old one or the new one whenever
// the machine stops.
func writeFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already if all went well
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
