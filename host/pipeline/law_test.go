package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
)

var _ Cache = (*cache.Cache)(nil)

// grow adds a section below the first one and keeps the text and its marks.
var grow = runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
	t := abi.Tree{Type: "grown", Sections: append([]abi.Section(nil), c.Tree.Sections...)}
	if len(t.Sections) > 0 {
		t.Sections = append(t.Sections, abi.Section{Parent: 0, Kind: abi.SectionGroup, ID: fmt.Sprintf("@%d", len(t.Sections))})
	}
	return abi.Output{Pass: true, Tree: t, Meta: map[string]string{"n": fmt.Sprint(len(c.Marks))}}, nil
})

// Results do not depend on the cache: absent, empty, full, truncated, or of an
// earlier daemon.
func TestCacheIsInvisible(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	runners := map[string]Runner{"upper": upper, "dot": appendDot, "pass": passOn, "split": split, "grow": grow, "fails": fails, "panics": panics}
	names := []string{"upper", "dot", "pass", "split", "grow", "fails", "panics"}
	policies := []string{"", "", "", OnFailurePass, OnFailureBlock, OnFailurePlaceholder}
	path := filepath.Join(t.TempDir(), "cache.db")
	openCache := func() *cache.Cache {
		c, err := cache.Open(path, cache.Options{MaxBytes: 1 << 20, MemoryBytes: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	store := openCache()
	plain, cached := open(t, Options{}), open(t, Options{Cache: store})
	hits := 0
	for n := range 3000 {
		if n%1000 == 999 { // the daemon restarts
			_ = store.Close()
			store = openCache()
			cached = open(t, Options{Cache: store})
		}
		r := request(string(bytes.Repeat([]byte("some text "), rnd.IntN(50))))
		for range 1 + rnd.IntN(4) {
			name := names[rnd.IntN(len(names))]
			s := stage(name, runners[name])
			s.OnFailure = policies[rnd.IntN(len(policies))]
			if rnd.IntN(5) == 0 {
				s.Role.Kind = abi.KindFilter
			}
			r.Steps = append(r.Steps, s)
		}
		for _, do := range []func(*Pipeline) (Result, error){
			func(p *Pipeline) (Result, error) { return p.Filter(t.Context(), r) },
			func(p *Pipeline) (Result, error) { return p.Run(t.Context(), r) },
		} {
			want, err1 := do(plain)
			got, err2 := do(cached)
			again, err3 := do(cached)
			for _, row := range again.Report {
				if row.Outcome == "cached" {
					hits++
				}
			}
			for _, res := range []*Result{&want, &got, &again} {
				res.Report, res.Failed, res.Opened = nil, nil, nil
			}
			if err1 != nil || err2 != nil || err3 != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(again, want) {
				t.Fatalf("steps %v over %q\n    got %+v\n  again %+v\nwithout %+v", r.Steps, r.Content.Bytes, got, again, want)
			}
		}
	}
	if hits < 1000 {
		t.Errorf("only %d cached steps: the test checks too little", hits)
	}
}

// The second run of a request uses only the cache, also after a restart.
func TestSecondRequestIsCached(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.db")
	a, b := count(split), count(grow)
	for range 3 {
		c, err := cache.Open(path, cache.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := open(t, Options{Cache: c})
		res := run(t, p, request("hello world", stage("split", a), stage("grow", b)))
		if len(res.Tree.Sections) != 4 || len(res.Marks) != 1 {
			t.Errorf("got %+v", res)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a.want(t, 1)
	b.want(t, 1)
}
