package top

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// traffic is a session with two tools, drill-downs and other events.
var traffic = []api.Event{
	{ID: 1, Type: "session_opened", Project: "home", Session: "s1"},
	{ID: 2, Type: "tool_call", Project: "home", Session: "s1", Server: "github", Source: "github/list", Time: noon, In: 20_000, Out: 1_000, Micros: 120_000, Upstream: 100_000, Refs: []string{"a", "b"}},
	{ID: 3, Type: "section_read", Project: "home", Session: "s1", Source: "read_section", Time: noon, Out: 500, Micros: 900, Refs: []string{"a"}},
	{ID: 4, Type: "tool_call", Project: "home", Session: "s1", Server: "github", Source: "github/list", Time: noon.Add(time.Minute), In: 10_000, Out: 1_000, Micros: 40_000, Upstream: 30_000, Refs: []string{"c"}},
	{ID: 5, Type: "section_read", Project: "home", Session: "s1", Source: "read_section", Out: 250, Refs: []string{"c"}},
	{ID: 6, Type: "section_read", Project: "home", Session: "s1", Source: "read_section", Out: 50, Refs: []string{"b"}},
	{ID: 7, Type: "tool_call", Project: "work", Session: "s2", Server: "jira", Source: "jira/get", In: 100, Out: 100, Micros: 5_000, Upstream: 5_000, IsError: true, Error: "refused"},
	{ID: 8, Type: "tool_call", Project: "work", Session: "s2", Server: "jira", Source: "jira/get", In: 100, Out: 120, Micros: 90_000_000, Upstream: 1_000, Hold: &api.HoldEnd{Micros: 89_000_000}},
	{ID: 9, Type: "prompt_get", Project: "work", Session: "s2", Source: "review", In: 10, Out: 10, Micros: 700},
	{ID: 10, Type: "section_read", Project: "work", Session: "s2", Source: "read_section", Out: 70, IsError: true},
	{ID: 11, Type: "section_read", Project: "work", Session: "s2", Source: "read_section", Out: 70, Refs: []string{"unknown"}},
	{ID: 12, Type: "content_transformed", Project: "home", Source: "github/list", In: 10_000, Out: 1_000, Refs: []string{"c"}},
}

func tallyOf(by string, events []api.Event) *tally {
	t := newTally(by)
	for _, e := range events {
		if e.Time.IsZero() {
			e.Time = noon
		}
		t.add(e)
	}
	return t
}

func TestTally(t *testing.T) {
	for _, c := range []struct {
		by   string
		want []string
	}{
		{byTool, []string{
			"github/list: 2 calls, 0 errors, 30000 in, 2000 out, 3 reads of 800, saved 27200, added 10000 and 20000",
			"review: 1 calls, 0 errors, 10 in, 10 out, 0 reads of 0, saved 0, added 700 and 700",
			"jira/get: 2 calls, 1 errors, 200 in, 220 out, 0 reads of 0, saved -20, added 0 and 999000",
			"(all): 5 calls, 1 errors, 30210 in, 2230 out, 3 reads of 800, saved 27180, added 10000 and 999000",
		}},
		{byServer, []string{
			"github: 2 calls, 0 errors, 30000 in, 2000 out, 3 reads of 800, saved 27200, added 10000 and 20000",
			"-: 1 calls, 0 errors, 10 in, 10 out, 0 reads of 0, saved 0, added 700 and 700",
			"jira: 2 calls, 1 errors, 200 in, 220 out, 0 reads of 0, saved -20, added 0 and 999000",
			"(all): 5 calls, 1 errors, 30210 in, 2230 out, 3 reads of 800, saved 27180, added 10000 and 999000",
		}},
		{byProject, []string{
			"home: 2 calls, 0 errors, 30000 in, 2000 out, 3 reads of 800, saved 27200, added 10000 and 20000",
			"work: 3 calls, 1 errors, 210 in, 230 out, 0 reads of 0, saved -20, added 700 and 999000",
			"(all): 5 calls, 1 errors, 30210 in, 2230 out, 3 reads of 800, saved 27180, added 10000 and 999000",
		}},
		{bySession, []string{
			"s1: 2 calls, 0 errors, 30000 in, 2000 out, 3 reads of 800, saved 27200, added 10000 and 20000",
			"s2: 3 calls, 1 errors, 210 in, 230 out, 0 reads of 0, saved -20, added 700 and 999000",
			"(all): 5 calls, 1 errors, 30210 in, 2230 out, 3 reads of 800, saved 27180, added 10000 and 999000",
		}},
	} {
		rows, all := tallyOf(c.by, traffic).table("saved")
		var got []string
		for _, r := range append(rows, all) {
			got = append(got, fmt.Sprintf("%s: %d calls, %d errors, %d in, %d out, %d reads of %d, saved %d, added %d and %d",
				r.Name, r.Calls, r.Errors, r.In, r.Out, r.Reads, r.Read, r.Saved, r.P50, r.P95))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("by %s:\ngot  %q\nwant %q", c.by, got, c.want)
		}
	}
}

// Two streams deliver the events, so that a drill-down may arrive before its call.
func TestOrderOfEventsDoesNotMatter(t *testing.T) {
	wantRows, wantAll := tallyOf(byTool, traffic).table("calls")
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		events := append([]api.Event(nil), traffic...)
		r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		rows, all := tallyOf(byTool, events).table("calls")
		if !reflect.DeepEqual(rows, wantRows) || all != wantAll {
			t.Fatalf("got %+v, want %+v", rows, wantRows)
		}
	}
}

// A repeated result has the same ref: its drill-downs count once, against the latest call.
func TestEqualResultsOfTwoTools(t *testing.T) {
	rows, all := tallyOf(byTool, []api.Event{
		{ID: 1, Type: "tool_call", Source: "a/x", In: 100, Refs: []string{"r"}},
		{ID: 2, Type: "tool_call", Source: "b/x", In: 100, Refs: []string{"r"}},
		{ID: 3, Type: "section_read", Out: 30, Refs: []string{"r"}},
	}).table("name")
	if rows[0].Saved != 100 || rows[1].Saved != 70 || all.Saved != 170 {
		t.Errorf("saved %d and %d, all %d", rows[0].Saved, rows[1].Saved, all.Saved)
	}
}

func TestOrders(t *testing.T) {
	tl := tallyOf(byTool, traffic)
	for sorted, first := range map[string]string{
		"name": "github/list", "calls": "github/list", "errors": "jira/get", "in": "github/list", "out": "github/list",
		"saved": "github/list", "p50": "github/list", "p95": "jira/get",
	} {
		if rows, _ := tl.table(sorted); rows[0].Name != first {
			t.Errorf("%s: the first row is %s, want %s", sorted, rows[0].Name, first)
		}
	}
}

// Names and refs that a client can invent do not use unlimited memory.
func TestTallyIsBounded(t *testing.T) {
	tl := newTally(byTool)
	for i := range maxRefs + maxRows + 5 {
		tl.add(api.Event{ID: uint64(i + 1), Type: "tool_call", Source: fmt.Sprint("t", i), Refs: []string{fmt.Sprint("r", i)}})
	}
	rows, all := tl.table("calls")
	if len(rows) != maxRows+1 || rows[0].Name != otherName || all.Calls != maxRefs+maxRows+5 {
		t.Errorf("%d rows, the first is %s, %d calls", len(rows), rows[0].Name, all.Calls)
	}
	if len(tl.originals) != maxRefs || len(tl.order) != maxRefs || len(tl.rows[otherName].added) != maxSamples {
		t.Errorf("%d originals, %d refs, %d samples", len(tl.originals), len(tl.order), len(tl.rows[otherName].added))
	}
}

func TestPercentiles(t *testing.T) {
	samples := make([]int64, 100)
	for i := range samples {
		samples[i] = int64(100 - i)
	}
	for _, c := range []struct {
		n        int
		p50, p95 int64
	}{{0, 0, 0}, {1, 100, 100}, {2, 99, 100}, {3, 99, 100}, {20, 90, 99}, {100, 50, 95}} {
		if p50, p95 := percentiles(samples[:c.n]); p50 != c.p50 || p95 != c.p95 {
			t.Errorf("%d samples: %d and %d, want %d and %d", c.n, p50, p95, c.p50, c.p95)
		}
	}
}
