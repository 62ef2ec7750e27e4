package pipeline

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Stages run from left to right, and the result of each is cached.
func TestStagesInOrder(t *testing.T) {
	c := newMemory()
	p := open(t, Options{Cache: c})
	a, b := count(upper), count(appendDot)
	r := request("hello", stage("upper", a), filter("never here", fails), stage("dot", b))
	for range 2 {
		res := run(t, p, r)
		if string(res.Bytes) != "HELLO." || !res.Changed || res.Hash != sha256.Sum256(res.Bytes) {
			t.Errorf("got %q, changed %v", res.Bytes, res.Changed)
		}
	}
	a.want(t, 1)
	b.want(t, 1)
	r.Steps[2].Config = []byte(`{"n":2}`)
	run(t, p, r)
	a.want(t, 1) // steps before a changed one stay cached
	b.want(t, 2)
}

func TestRequestWithoutStepsAllocatesNothing(t *testing.T) {
	p := open(t, Options{})
	r := request("as it is", filter("redact", fails))
	res := run(t, p, r)
	if res.Changed || &res.Bytes[0] != &r.Content.Bytes[0] || len(res.Report) != 0 {
		t.Errorf("got %+v", res)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = p.Run(t.Context(), r) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

// A missing LLM is not a failure, but the report contains the reason.
func TestReportExplainsMissingLLM(t *testing.T) {
	const why = `stage "summarize": no LLM provider configured, content passed on unchanged`
	for _, c := range []struct {
		rule, use, identity string
		runner              Runner
		want                string
	}{
		{"required and missing", abi.LLMRequired, "", passOn, why},
		{"required and available", abi.LLMRequired, "fake", passOn, ""},
		{"optional and missing", abi.LLMOptional, "", passOn, ""},
		{"required but not used", abi.LLMRequired, "", upper, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := open(t, Options{Cache: newMemory()})
			s := stage("summarize", c.runner)
			s.Role.LLM, s.LLMIdentity = c.use, c.identity
			for _, when := range []string{"first", "cached"} {
				if res := run(t, p, request("hello", s)); res.Report[0].Error != c.want || !res.Final {
					t.Errorf("%s: %q, final %v, want %q", when, res.Report[0].Error, res.Final, c.want)
				}
			}
		})
	}
}

func TestReport(t *testing.T) {
	p := open(t, Options{Cache: newMemory()})
	r := request("hello", stage("upper", upper), stage("pass", passOn), stage("broken", fails))
	first, second := run(t, p, r).Report, run(t, p, r).Report
	before := ""
	for i := range first {
		a, b := &first[i], &second[i]
		if i > 0 && a.InHash != before || len(a.OutHash) != 16 || len(a.CacheKey) != 16 {
			t.Errorf("step %d: hashes %q, %q and key %q", i, a.InHash, a.OutHash, a.CacheKey)
		}
		if a.InHash != b.InHash || a.OutHash != b.OutHash || a.CacheKey != b.CacheKey {
			t.Errorf("step %d: other hashes the second time: %+v, %+v", i, *a, *b)
		}
		before = a.OutHash
		a.InHash, a.OutHash, a.CacheKey, b.InHash, b.OutHash, b.CacheKey = "", "", "", "", "", ""
	}
	for i, want := range []flow.StageReport{
		{Role: "upper", Outcome: "done", InBytes: 5, OutBytes: 5, Meta: map[string]string{"type": "prose"}},
		{Role: "pass", Outcome: "pass", InBytes: 5, OutBytes: 5},
		{Role: "broken", Outcome: "failed", InBytes: 5, OutBytes: 5, Log: []abi.LogLine{{Level: "error", Text: "last words"}},
			Error: `stage "broken": guest trapped: unreachable, content passed on unchanged`},
	} {
		want.ModuleHash = "hash of " + want.Role
		first[i].Micros, second[i].Micros = 0, 0
		if !reflect.DeepEqual(first[i], want) {
			t.Errorf("got %+v\nwant %+v", first[i], want)
		}
		if want.Outcome != "failed" {
			want.Outcome = "cached"
		}
		if !reflect.DeepEqual(second[i], want) {
			t.Errorf("second time: got %+v\nwant %+v", second[i], want)
		}
	}
}

// LLM requests of failed runs are reported; a cached output needed none.
func TestReportCountsLLMRequests(t *testing.T) {
	p := open(t, Options{Cache: newMemory()})
	asks := func(err error) runFunc {
		return func(context.Context, abi.Call) (abi.Output, error) {
			return abi.Output{Pass: true, Stats: abi.RunStats{LLMRequests: 2}}, err
		}
	}
	r := request("hello", stage("asks", asks(nil)), stage("breaks", asks(abi.ErrGuest)))
	for i, want := range [][2]int{{2, 2}, {0, 2}} {
		got := run(t, p, r).Report
		if n := [2]int{got[0].LLMRequests, got[1].LLMRequests}; n != want {
			t.Errorf("run %d: got %v, want %v", i, n, want)
		}
	}
}

func TestFailurePolicies(t *testing.T) {
	tests := []struct {
		rule      string
		step      Step
		onFailure string
		shown     string
		blocked   string
		event     string
	}{
		{"stage passes by default", stage("head", fails), "", "secret", "", `stage "head": guest trapped: unreachable, content passed on unchanged`},
		{"stage may block", stage("head", fails), "block", "", `stage "head" failed, result withheld`, `stage "head": guest trapped: unreachable, result withheld`},
		{"stage may show a placeholder", stage("head", fails), "placeholder", `stage "head" failed, content is not shown`, "", `stage "head": guest trapped: unreachable, placeholder shown`},
		{"filter blocks by default", filter("redact", fails), "", "", `filter "redact" failed, result withheld`, `filter "redact": failed (its message may quote content and is not kept: mcpctl stage run redact < FILE shows it), result withheld`},
		{"filter may pass", filter("redact", fails), "pass", "secret", "", `filter "redact": failed (its message may quote content and is not kept: mcpctl stage run redact < FILE shows it), content passed on unchanged`},
		{"placeholder of a filter is the original", filter("redact", fails), "placeholder", `filter "redact" failed, content is not shown`, "", `filter "redact": failed (its message may quote content and is not kept: mcpctl stage run redact < FILE shows it), placeholder shown`},
		{"panic of a stage", stage("head", panics), "", "secret", "", `stage "head": host panicked while it ran: nil map, content passed on unchanged`},
		{"panic of a filter", filter("redact", panics), "", "", `filter "redact" failed, result withheld`, `filter "redact": failed (its message may quote content and is not kept: mcpctl stage run redact < FILE shows it), result withheld`},
	}
	for _, tt := range tests {
		for _, cacheable := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, cacheable %v", tt.rule, cacheable), func(t *testing.T) {
				c := newMemory()
				p := open(t, Options{Cache: c})
				tt.step.OnFailure = tt.onFailure
				after := tt.step
				after.Runner, after.ModuleHash = passOn, "other"
				r := request("secret", tt.step, after)
				r.Cacheable = cacheable
				do := p.Run
				if tt.step.Role.Kind == abi.KindFilter {
					do = p.Filter
				}
				res, err := do(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if string(res.Bytes) != tt.shown || res.Blocked != tt.blocked {
					t.Errorf("shown %q, blocked %q, want %q, %q", res.Bytes, res.Blocked, tt.shown, tt.blocked)
				}
				if got := res.Report[0].Error; got != tt.event {
					t.Errorf("event\n got %s\nwant %s", got, tt.event)
				}
				if len(res.Failed) != 1 || res.Failed[0].ModuleHash != tt.step.ModuleHash || res.Failed[0].Role != tt.step.Role.Name || res.Failed[0].Err == nil {
					t.Errorf("failures: %v", res.Failed)
				}
				if goesOn := len(res.Report) == 2; goesOn != (tt.shown == "secret") {
					t.Errorf("ran the next step: %v", goesOn)
				}
				if len(c.values) > 1 {
					t.Error("a failure was cached")
				}
			})
		}
	}
}

// The text of a failed filter does not contain the cause, which may quote the
// secret.
func TestBlockedTextNamesNoCause(t *testing.T) {
	p := open(t, Options{})
	leaks := runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		return abi.Output{}, faultf(abi.ErrGuest, "cannot parse %q", c.Input)
	})
	res, err := p.Filter(t.Context(), request("secret", filter("redact", leaks)))
	if err != nil || res.Bytes != nil || strings.Contains(res.Blocked, "secret") {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestFilterOutputIsOriginalOfLaterSteps(t *testing.T) {
	p := open(t, Options{Cache: newMemory()})
	seen := make(map[string]string)
	look := func(name, out string) Step {
		return filter(name, runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
			seen[name] = string(c.Input) + "/" + string(c.Original)
			return abi.Output{Bytes: []byte(out), Marks: []abi.Mark{{}}, Tree: abi.Tree{Type: "x", Sections: make([]abi.Section, 1)}}, nil
		}))
	}
	see := stage("stage", runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		seen["stage"] = string(c.Input) + "/" + string(c.Original)
		return abi.Output{Pass: true}, nil
	}))
	r := request("raw", look("one", "half"), look("two", "clean"), see)
	res, err := p.Filter(t.Context(), r)
	if err != nil || !res.Changed || len(res.Marks)+len(res.Tree.Sections) != 0 {
		t.Fatalf("got %+v, %v", res, err)
	}
	r.Content.Bytes, r.Hash = res.Bytes, &res.Hash
	run(t, p, r)
	want := map[string]string{"one": "raw/raw", "two": "half/half", "stage": "clean/clean"}
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("input/original: got %v, want %v", seen, want)
	}
}

func TestContentThatIsNotUTF8(t *testing.T) {
	p := open(t, Options{Cache: newMemory()})
	r := request("\xff\xfe", filter("redact", upper), stage("upper", upper))
	res, err := p.Filter(t.Context(), r)
	if err != nil || res.Blocked != `filter "redact": content is not UTF-8, result withheld` || res.Bytes != nil {
		t.Errorf("filter: %+v, %v", res, err)
	}
	if res := run(t, p, r); res.Changed || res.Blocked != "" || !strings.Contains(res.Report[0].Error, "not UTF-8") {
		t.Errorf("stage: %+v", res)
	}
	r.Steps[0].OnFailure = OnFailurePass
	if res, _ := p.Filter(t.Context(), r); res.Blocked == "" {
		t.Error("a filter passed content that it could not check")
	}
}

func TestStagesReceiveMarksAndTree(t *testing.T) {
	p := open(t, Options{Cache: newMemory()})
	var seen abi.Call
	look := stage("look", runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		seen = c
		return abi.Output{Pass: true, Tree: c.Tree}, nil
	}))
	r := request("hello world", stage("split", split), look)
	first, second := run(t, p, r), run(t, p, r)
	want := abi.Tree{Type: "prose", Sections: sectionsOf(r.Content.Bytes)}
	if !reflect.DeepEqual(seen.Tree, want) || len(seen.Marks) != 1 {
		t.Errorf("second stage received %+v with %v", seen.Tree, seen.Marks)
	}
	first.Report, second.Report = nil, nil
	if !reflect.DeepEqual(first.Tree, want) || !reflect.DeepEqual(first, second) {
		t.Errorf("got %+v\ncached %+v\nwant %+v", first, second, want)
	}
	if !first.Changed || first.Marks[0].Lines != 24 {
		t.Errorf("PASS dropped the marks: %+v", first)
	}
}

func TestEqualTextIsUnchanged(t *testing.T) {
	p := open(t, Options{})
	if res := run(t, p, request("ABC", stage("upper", upper))); res.Changed {
		t.Error("equal bytes without marks are reported as changed")
	}
	if res := run(t, p, request("", stage("split", split))); !res.Changed {
		t.Error("a text with an index is reported as unchanged")
	}
}

func TestNotCacheable(t *testing.T) {
	c := newMemory()
	p := open(t, Options{Cache: c})
	u := count(upper)
	r := request("hello", stage("upper", u))
	r.Cacheable = false
	run(t, p, r)
	run(t, p, r)
	u.want(t, 2)
	if len(c.values) != 0 {
		t.Error("result was cached")
	}
}

// A run that read the name of the session is not reused for another session.
func TestPrivateRunsAreNotCached(t *testing.T) {
	c := newMemory()
	p := open(t, Options{Cache: c})
	name := stage("name", runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		return abi.Output{Bytes: []byte(c.Session), Private: true}, nil
	}))
	for _, session := range []string{"s1", "s2"} {
		r := request("hello", name)
		r.Scope.Session = session
		if res := run(t, p, r); string(res.Bytes) != session {
			t.Errorf("%s gets %q", session, res.Bytes)
		}
	}
	if len(c.values) != 0 {
		t.Error("result was cached")
	}
}

// All steps of a Content share one limit of the waiting time.
func TestStepsShareWaitingTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Options{Cache: newMemory()})
		var waited []time.Duration
		slow := runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
			waited = append(waited, c.LLMWaited)
			<-time.After(2 * time.Second)
			return abi.Output{Pass: true, Provisional: c.Role == "second"}, nil
		})
		steps := []Step{stage("plain", slow), stage("first", slow), stage("second", slow), stage("third", slow)}
		for i := range steps[1:] {
			steps[i+1].LLMIdentity = "fake"
		}
		r := request("hello", steps...)
		run(t, p, r)
		if want := []time.Duration{0, 0, 2 * time.Second, 4 * time.Second}; !slices.Equal(waited, want) {
			t.Errorf("steps receive the waiting times %v, want %v", waited, want)
		}
		waited = nil
		run(t, p, request("hello", steps...))
		if want := []time.Duration{0}; !slices.Equal(waited, want) {
			t.Errorf("with the first step cached: %v, want %v", waited, want)
		}
		waited = nil
		next := request("the next part", steps[1:]...)
		next.Content.LLMWaited = time.Second
		res := run(t, p, next)
		if want := []time.Duration{time.Second, 3 * time.Second, 5 * time.Second}; !slices.Equal(waited, want) || res.LLMWaited != 7*time.Second {
			t.Errorf("for a second part: %v, want %v; %v at the end", waited, want, res.LLMWaited)
		}
	})
}

func TestContextOfCall(t *testing.T) {
	p := open(t, Options{Limits: abi.GuestLimits{OutputBytes: 2_000_000, LLMMillis: 500}})
	var got abi.Context
	s := stage("look", runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		got = c.Context
		return abi.Output{Pass: true}, nil
	}))
	s.RoleIndex = 2
	s.Limits.LLMRequests = 1
	r := request(strings.Repeat("x", 1000), filter("redact", passOn), s)
	r.Content.MIME, r.Content.Hint = "text/plain", "a.txt"
	run(t, p, r)
	want := abi.Context{
		ABI: abi.Version, Role: "look", RoleIndex: 2, Kind: abi.KindStage, Hook: "stage", Project: "home",
		ContentType: abi.ToolResult, Source: "files/read", MIME: "text/plain", Hint: "a.txt",
		Part: abi.Part{Kind: "text", Count: 1}, Stage: abi.StagePos{Index: 1, Count: 2},
		Limits: abi.GuestLimits{OutputBytes: 4*1000 + 1<<20, Sections: 65536, MemoryBytes: 64 << 20, LLMMillis: 500, LLMRequests: 1},
	}
	if got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	r.Content.Bytes = make([]byte, 1_000_000)
	run(t, p, r)
	if got.Limits.OutputBytes != 2_000_000 {
		t.Errorf("output limit %d exceeds the setting", got.Limits.OutputBytes)
	}
}

func TestDamagedCacheValuesAreMisses(t *testing.T) {
	c := newMemory()
	p := open(t, Options{Cache: c})
	r := request("hello world", stage("split", split), stage("dot", appendDot))
	want := run(t, p, r)
	damages := map[string]func([]byte) []byte{
		"cut":    func(b []byte) []byte { return b[:len(b)-1] },
		"empty":  func([]byte) []byte { return nil },
		"bit":    func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"forged": forge,
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			for k, v := range c.values {
				c.values[k] = damage(append([]byte(nil), v...))
			}
			got := run(t, p, r)
			got.Report, want.Report = nil, nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

// forge returns a value with a valid checksum whose shape cannot be decoded.
func forge(b []byte) []byte {
	v, err := decodeValue(b)
	if err != nil {
		panic(err)
	}
	v.shape = []byte{9, 9}
	return v.encode()
}

func TestCancelledContextIsReturned(t *testing.T) {
	for _, cacheable := range []bool{true, false} {
		p := open(t, Options{Cache: newMemory()})
		hang := stage("hang", runFunc(func(ctx context.Context, _ abi.Call) (abi.Output, error) {
			<-ctx.Done()
			return abi.Output{}, ctx.Err()
		}))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r := request("x", hang)
		r.Cacheable = cacheable
		if res, err := p.Run(ctx, r); err == nil || len(res.Report) != 0 {
			t.Errorf("cacheable %v: got %+v, %v", cacheable, res, err)
		}
	}
}
