package top

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// Limits of a tally. A client can send any number of unknown names.
const (
	maxRows    = 1000    // further names are counted as otherName
	maxRefs    = 100_000 // originals whose drill-downs are attributed to their call
	maxSamples = 1000    // latest latencies of a row
)

// otherName is the name of the row for everything over maxRows.
const otherName = "(other)"

// tally sums up events by one of their names.
//
// A drill-down counts against the call whose result it reads, whichever event arrives first:
// both name the original by its ref. If several calls had the same result, the latest one
// counts.
type tally struct {
	by   string
	rows map[string]*sums

	originals map[string]*original // by ref
	order     []string             // refs, oldest first
}

// original is a stored result.
type original struct {
	owner string // name of the row; empty until the call arrives
	call  uint64 // event of the call
	reads int
	sent  int // tokens of the drill-downs
}

// sums are the figures of the calls of one row.
type sums struct {
	calls, errors int
	in, out       int
	added         []int64 // microseconds; the latest maxSamples
	last          time.Time
}

func newTally(by string) *tally {
	return &tally{by: by, rows: make(map[string]*sums), originals: make(map[string]*original)}
}

// isDrillDown reports whether an event is a read of a section.
func isDrillDown(e *api.Event) bool { return e.Type == "section_read" }

// isCall reports whether an event is a call whose content a model reads.
func isCall(e *api.Event) bool {
	return e.Type == "tool_call" || e.Type == "resource_read" || e.Type == "prompt_get"
}

// add counts an event.
func (t *tally) add(e api.Event) {
	switch {
	case isDrillDown(&e):
		t.addDrillDown(&e)
	case isCall(&e):
		t.addCall(&e)
	}
}

func (t *tally) addCall(e *api.Event) {
	name := t.nameOf(e)
	if t.rows[name] == nil && len(t.rows) >= maxRows {
		name = otherName
	}
	s := t.rows[name]
	if s == nil {
		s = &sums{}
		t.rows[name] = s
	}
	s.calls++
	if e.IsError {
		s.errors++
	}
	s.in += e.In
	s.out += e.Out
	if len(s.added) == maxSamples {
		s.added = slices.Delete(s.added, 0, 1)
	}
	s.added = append(s.added, addedMicros(e))
	if e.Time.After(s.last) {
		s.last = e.Time
	}
	for _, ref := range e.Refs {
		if o := t.original(ref); e.ID >= o.call {
			o.owner, o.call = name, e.ID
		}
	}
}

// addedMicros returns the part of a call's duration that is not of the server or of a hold.
func addedMicros(e *api.Event) int64 {
	n := e.Micros - e.Upstream
	if e.Hold != nil {
		n -= e.Hold.Micros
	}
	return max(n, 0)
}

func (t *tally) addDrillDown(e *api.Event) {
	if len(e.Refs) == 0 {
		return // of an unknown ref: the model read only an error
	}
	o := t.original(e.Refs[0])
	o.reads++
	o.sent += e.Out
}

// original returns the original of a ref and forgets the oldest one if there are too many.
func (t *tally) original(ref string) *original {
	o := t.originals[ref]
	if o == nil {
		if len(t.order) >= maxRefs {
			delete(t.originals, t.order[0])
			t.order = t.order[1:]
		}
		o = &original{}
		t.originals[ref] = o
		t.order = append(t.order, ref)
	}
	return o
}

func (t *tally) nameOf(e *api.Event) string {
	name := e.Source
	switch t.by {
	case byProject:
		name = e.Project
	case byServer:
		name = e.Server
	case bySession:
		name = e.Session
	}
	return cmp.Or(name, "-")
}

// row is one row of the table. Tokens are estimates, durations are microseconds.
type row struct {
	Name   string    `json:"name"`
	Calls  int       `json:"calls"`
	Errors int       `json:"errors"`
	In     int       `json:"inTokens"`    // of the servers
	Out    int       `json:"outTokens"`   // that the clients received instead
	Reads  int       `json:"reads"`       // drill-downs
	Read   int       `json:"readTokens"`  // of drill-downs
	Saved  int       `json:"savedTokens"` // In - Out - Read
	P50    int64     `json:"addedMicrosP50"`
	P95    int64     `json:"addedMicrosP95"`
	Last   time.Time `json:"last"`
}

// table returns the rows, sorted by a column, and their total.
func (t *tally) table(sorted string) (rows []row, all row) {
	byName := make(map[string]*row, len(t.rows))
	list := make([]*row, 0, len(t.rows))
	var samples []int64
	for name, s := range t.rows {
		r := &row{Name: name, Calls: s.calls, Errors: s.errors, In: s.in, Out: s.out, Last: s.last}
		r.P50, r.P95 = percentiles(s.added)
		samples = append(samples, s.added...)
		byName[name] = r
		list = append(list, r)
	}
	for _, o := range t.originals {
		if r := byName[o.owner]; r != nil {
			r.Reads += o.reads
			r.Read += o.sent
		}
	}
	all = row{Name: "(all)"}
	rows = make([]row, len(list))
	for i, r := range list {
		r.Saved = r.In - r.Out - r.Read
		rows[i] = *r
		all.add(*r)
	}
	all.P50, all.P95 = percentiles(samples)
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(columns[sorted](a, b), strings.Compare(a.Name, b.Name))
	})
	return rows, all
}

func (r *row) add(other row) {
	r.Calls += other.Calls
	r.Errors += other.Errors
	r.In += other.In
	r.Out += other.Out
	r.Reads += other.Reads
	r.Read += other.Read
	r.Saved += other.Saved
	if other.Last.After(r.Last) {
		r.Last = other.Last
	}
}

// percentiles returns the 50th and 95th percentile (nearest rank).
func percentiles(samples []int64) (p50, p95 int64) {
	if len(samples) == 0 {
		return 0, 0
	}
	s := slices.Sorted(slices.Values(samples))
	rank := func(percent int) int64 { return s[(len(s)*percent+99)/100-1] }
	return rank(50), rank(95)
}

// columns are the orders of --sort; figures are sorted from large to small.
var columns = map[string]func(a, b row) int{
	"name":   func(row, row) int { return 0 },
	"calls":  largest(func(r row) int64 { return int64(r.Calls) }),
	"errors": largest(func(r row) int64 { return int64(r.Errors) }),
	"in":     largest(func(r row) int64 { return int64(r.In) }),
	"out":    largest(func(r row) int64 { return int64(r.Out) }),
	"saved":  largest(func(r row) int64 { return int64(r.Saved) }),
	"p50":    largest(func(r row) int64 { return r.P50 }),
	"p95":    largest(func(r row) int64 { return r.P95 }),
}

func largest(of func(row) int64) func(a, b row) int {
	return func(a, b row) int { return cmp.Compare(of(b), of(a)) }
}
