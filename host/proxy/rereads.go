package proxy

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// Rereads says whether clients read their tools again after list_changed.
type Rereads string

// The values of Rereads.
const (
	RereadsAuto Rereads = ""    // or any other value: as their profile says and as they were observed
	RereadsYes  Rereads = "yes" // all clients
	RereadsNo   Rereads = "no"  // no client
)

// minMissed is the number of announced changes after which a client that has not read its
// tools again counts as one that ignores list_changed.
const minMissed = 2

// Limits of the clients that are remembered. The one that was observed longest ago is
// forgotten first.
const (
	maxClientKinds    = 100
	maxClientKindText = 200 // bytes of name and version; other clients are not remembered
)

// rereadsKey is the key under which the observations are kept between processes. It differs
// from all keys of the catalog, which begin with a quote.
const rereadsKey = "clients"

// clientKind identifies the clients of one subject that behave alike.
type clientKind struct {
	Subject string `json:"subject,omitempty"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

// observation is the observed behaviour of one kind of client.
type observation struct {
	clientKind
	Missed  int       `json:"missed,omitempty"`  // announced changes after which the tools were not read in time
	Rereads bool      `json:"rereads,omitempty"` // they were, although the profile says otherwise
	Last    time.Time `json:"last"`
}

// IgnoringClient is a kind of client that does not read its tools again after list_changed.
// Its new sessions get all tools at once.
type IgnoringClient struct {
	Name, Version string
	Last          time.Time // of the last change that it has ignored
}

// rereads remembers which clients read their tools again after list_changed. It is safe for
// concurrent use.
type rereads struct {
	setting Rereads
	store   catalog.Store // nil: nothing outlives the process
	now     func() time.Time

	mu    sync.Mutex
	known map[clientKind]*observation
}

func newRereads(setting Rereads, store catalog.Store, now func() time.Time) *rereads {
	r := &rereads{setting: setting, store: store, now: now, known: make(map[clientKind]*observation)}
	if store == nil {
		return r
	}
	var kept []observation
	if value, ok := store.Get(rereadsKey); ok && json.Unmarshal(value, &kept) == nil {
		for _, o := range kept[:min(len(kept), maxClientKinds)] {
			if o.isRemembered() {
				r.known[o.clientKind] = &o
			}
		}
	}
	return r
}

func (k clientKind) isRemembered() bool { return len(k.Name)+len(k.Version) <= maxClientKindText }

// expects reports whether the model of a client is expected to see the tools that it has read
// again.
func (r *rereads) expects(k clientKind, p Profile) bool {
	switch r.setting {
	case RereadsYes:
		return true
	case RereadsNo:
		return false
	}
	if p.DiscardsTools {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.known[k]
	switch {
	case o == nil:
		return p.ListChanged
	case o.Missed >= minMissed:
		return false
	}
	return p.ListChanged || o.Rereads
}

// miss records an announced change after which a client has not read its tools in time.
func (r *rereads) miss(k clientKind) {
	r.change(k, func(o *observation) {
		o.Missed = min(o.Missed+1, minMissed)
		if o.Missed == minMissed {
			o.Rereads = false
		}
	})
}

// forgive withdraws missed changes, because the client has read its tools later.
func (r *rereads) forgive(k clientKind, missed int) {
	r.change(k, func(o *observation) { o.Missed = max(0, o.Missed-missed) })
}

// confirm records that a client has read its tools in time.
func (r *rereads) confirm(k clientKind, p Profile) {
	r.change(k, func(o *observation) { o.Missed, o.Rereads = 0, !p.ListChanged && !p.DiscardsTools })
}

// change changes the observation of a kind of client and keeps it for the next process, if
// it differs.
func (r *rereads) change(k clientKind, edit func(*observation)) {
	if !k.isRemembered() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.known[k]
	o := observation{clientKind: k}
	if before != nil {
		o = *before
	}
	was := o
	edit(&o)
	if o == was {
		return
	}
	o.Last = r.now()
	if r.known[k] = &o; o.Missed == 0 && !o.Rereads {
		delete(r.known, k)
	}
	if len(r.known) > maxClientKinds {
		oldest := r.sorted()[0]
		delete(r.known, oldest.clientKind)
	}
	if r.store != nil {
		if value, err := json.Marshal(r.sorted()); err == nil {
			r.store.Set(rereadsKey, value)
		}
	}
}

// sorted returns the observations, the oldest first. The caller holds mu.
func (r *rereads) sorted() []observation {
	list := make([]observation, 0, len(r.known))
	for _, o := range r.known {
		list = append(list, *o)
	}
	slices.SortFunc(list, func(a, b observation) int {
		return cmp.Or(a.Last.Compare(b.Last), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Subject, b.Subject))
	})
	return list
}

// ignoring returns the kinds of clients that were observed to ignore list_changed, of all
// subjects.
func (r *rereads) ignoring() (list []IgnoringClient) {
	if r.setting == RereadsYes || r.setting == RereadsNo {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.sorted() {
		if o.Missed >= minMissed {
			list = append(list, IgnoringClient{Name: o.Name, Version: o.Version, Last: o.Last})
		}
	}
	return list
}

// rereadWatch observes whether the client of one session reads its tools again after
// list_changed. It is safe for concurrent use.
type rereadWatch struct {
	table   *rereads
	kind    clientKind
	profile Profile
	hasList func() bool // whether the client has read its tools before

	mu     sync.Mutex
	timer  *time.Timer // runs while a change is announced and the tools were not read since
	missed int         // changes of this session
	closed bool
}

// announce begins to wait for tools/list. It is called before the client is notified, which
// may then read the list immediately. Changes that are announced meanwhile count as one.
func (w *rereadWatch) announce() {
	if !w.hasList() {
		return // it may never read any
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil && !w.closed {
		w.timer = time.AfterFunc(maxListWait, w.expire)
	}
}

func (w *rereadWatch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil || w.closed {
		return
	}
	w.timer = nil
	w.missed++
	w.table.miss(w.kind)
}

// read records a request for the tools. Reading them late withdraws the missed changes of
// the session: such a client is slow.
func (w *rereadWatch) read() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.timer != nil:
		w.timer.Stop()
		w.timer = nil
		w.table.confirm(w.kind, w.profile)
	case w.missed > 0:
		w.table.forgive(w.kind, w.missed)
	}
	w.missed = 0
}

// isExpected reports whether the client is expected to read its tools again.
func (w *rereadWatch) isExpected() bool { return w.table.expects(w.kind, w.profile) }

// close ends the observation.
func (w *rereadWatch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.timer != nil {
		w.timer.Stop()
	}
}
