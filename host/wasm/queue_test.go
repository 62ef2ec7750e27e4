package wasm

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPlacesAreFair verifies who gets a place that is released: the module that has used
// the least time, and the first waiter of several.
func TestPlacesAreFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1, 1)
		var heavy, light, other share
		heavy.add(time.Second)
		p.take(&other)
		order := make(chan string, 4)
		wait := func(name string, s *share) {
			go func() { p.take(s); order <- name }()
			synctest.Wait()
		}
		wait("heavy", &heavy)
		wait("light", &light)
		wait("light again", &light)
		holder := &other
		for _, want := range []string{"light", "light again", "heavy"} {
			p.release(holder)
			if got := <-order; got != want {
				t.Errorf("%s got the place, want %s", got, want)
			}
			holder = &light
		}
		p.release(&heavy)
		if p.count() != 0 || len(p.holders) != 0 {
			t.Errorf("%d places are taken by %d modules", p.count(), len(p.holders))
		}
	})
}

// A module never has all places, so that another one gets one at once.
func TestPlacesOfOneModule(t *testing.T) {
	p := newPlaces(3, 2)
	var greedy, other share
	p.take(&greedy)
	p.take(&greedy)
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("too long"))
	defer cancel()
	if err := p.acquire(ctx, t.Context(), &greedy); err == nil || err.Error() != "run given up: too long" {
		t.Errorf("got %v", err)
	}
	if err := p.acquire(t.Context(), t.Context(), &other); err != nil {
		t.Error(err)
	}
}

// TestTurnIsPassedOn verifies that a guest passes its turn to a module that has used less
// time, and that a module saves no time up while it is idle.
func TestTurnIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(4, 4, 1, 1)
		var heavy, light share
		first, err := q.enter(t.Context(), t.Context(), &heavy)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if first.isDue() {
			t.Error("nobody waits")
		}
		got := make(chan *turn)
		go func() { second, _ := q.enter(t.Context(), t.Context(), &light); got <- second }()
		synctest.Wait()
		if !first.isDue() {
			t.Error("a module that has used nothing waits")
		}
		resumed := make(chan bool)
		go func() { first.pause()(); resumed <- true }()
		second := <-got
		synctest.Wait()
		if second.isDue() {
			t.Error("the other module has used more")
		}
		second.leave()
		<-resumed
		first.leave()
		if u := heavy.used(); u != time.Second {
			t.Errorf("used %v, want 1s", u)
		}
		late, err := q.enter(t.Context(), t.Context(), &light)
		if err != nil {
			t.Fatal(err)
		}
		if u := light.used(); u != time.Second-2*minLead {
			t.Errorf("an idle module has %v, want the time of the other one less its credit", u)
		}
		late.leave()
	})
}
