package host

import (
	"fmt"

	"github.com/mcpctl/mcpctl/host/live"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
)

// Problems returns all current problems: those of the configuration, of lists of
// servers, failing stages and controllers, and a disk that stores no originals.
func (h *Host) Problems() []store.Problem {
	list := h.config.Problems()
	for _, o := range h.Snapshot().List(object.KindServer) {
		for _, note := range h.Servers().ListNotes(string(o.Key().Name)) {
			list = append(list, store.Problem{File: o.File(), Key: o.Key(), Err: fmt.Errorf("server %q: %s", o.Key().Name, note), Warning: true})
		}
	}
	for _, f := range h.failures.Current() {
		list = append(list, store.Problem{Err: f.Err()})
	}
	if why := h.contents.Stats().Failure; why != "" {
		list = append(list, store.Problem{Err: fmt.Errorf("originals cannot be stored, so results are not transformed: %s", why)})
	}
	return list
}

// Config returns the configuration of the home.
func (h *Host) Config() *live.Config { return h.config }
