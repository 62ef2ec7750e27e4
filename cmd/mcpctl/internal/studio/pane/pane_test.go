package pane

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/traffic"
)

// counter is a Source that counts its calls.
type counter struct{ bodies, holds, replays int }

func (c *counter) Body(_ context.Context, event uint64, kind api.BodyKind) (api.Body, error) {
	c.bodies++
	if event == 99 {
		return api.Body{}, abi.ErrNotFound
	}
	return api.Body{Parts: []api.BodyPart{{Text: string(kind)}}}, nil
}

func (c *counter) Hold(context.Context, uint64) (api.Hold, error) {
	c.holds++
	return api.Hold{Original: []string{"a"}, Shown: []string{"b"}}, nil
}

func (c *counter) Replay(context.Context, uint64) (api.Replay, error) {
	c.replays++
	return api.Replay{Parts: []api.ReplayPart{{Text: "x", Stages: []api.ReplayStage{{Role: "one", Text: "x"}}}}}, nil
}

func TestTextsAreLoadedOnce(t *testing.T) {
	src := &counter{}
	l := NewLoader(src)
	load := func(id uint64, kind Kind) Doc {
		t.Helper()
		d, err := l.Load(t.Context(), Request{Entry: traffic.Entry{ID: id, HasBody: true}, Kind: kind, Width: 40})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, kind := range []Kind{Original, Transformed, Diff, Tokens, Stage, Replay} {
		load(1, kind)
	}
	if src.bodies != 2 || src.replays != 1 {
		t.Errorf("%d bodies and %d replays were loaded", src.bodies, src.replays)
	}
	for id := range uint64(20) {
		load(id+2, Original)
	}
	if n := len(l.bodies.items); n != 8 {
		t.Errorf("the texts of %d events are kept", n)
	}
	if d := load(1, Original); d.Raw != "original" || src.bodies != 44 {
		t.Errorf("%q after %d bodies", d.Raw, src.bodies)
	}
	l.Forget()
	if load(1, Transformed); src.bodies != 46 {
		t.Errorf("%d bodies after Forget", src.bodies)
	}
}

func TestHeldTextsComeFromTheHold(t *testing.T) {
	src := &counter{}
	d, err := NewLoader(src).Load(t.Context(), Request{Entry: traffic.Entry{ID: 1, Type: traffic.Paused, Hold: 3}, Kind: Edited, Width: 40, Edit: []string{"c"}})
	if err != nil || d.Raw != "c" || src.bodies != 0 || src.holds != 1 {
		t.Errorf("%q, %v, %+v", d.Raw, err, src)
	}
}

func TestMissingTextIsAnError(t *testing.T) {
	_, err := NewLoader(&counter{}).Load(t.Context(), Request{Entry: traffic.Entry{ID: 99, HasBody: true}, Kind: Diff})
	if err == nil {
		t.Error("no error")
	}
}

func TestRecentIsBoundedByBytes(t *testing.T) {
	r := newRecent[string](10, 100)
	for key, bytes := range []int{60, 30, 30, 101} {
		r.put(uint64(key), strings.Repeat("x", bytes), bytes)
	}
	for key, want := range []bool{false, true, true, false} {
		if _, ok := r.get(uint64(key)); ok != want {
			t.Errorf("value %d is stored: %v", key, ok)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1.0k", 9_949: "9.9k", 9_950: "10k", 43_123: "43k", 999_499: "999k", 999_500: "1.0M", 12_000_000: "12M"} {
		if got := Count(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
