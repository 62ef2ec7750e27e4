package access

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// waitAfter returns the error of a client that must wait after too many failures. The time is
// rounded up, so that it is never 0s.
func waitAfter(failures string, wait time.Duration, repeated bool) *WaitError {
	return &WaitError{fmt.Sprintf("too many %s of this user, wait %v", failures, (wait + time.Second - 1).Truncate(time.Second)), wait, repeated}
}

// throttle delays logins after failures, which each process counts by itself. Its zero value is
// ready for use.
type throttle struct {
	mu    sync.Mutex
	tries map[string]failures
}

type failures struct {
	count    int
	last     time.Time
	reported bool // a try was refused since last
}

// Limits of a throttle.
const (
	freeTries   = 5
	maxWait     = 5 * time.Minute
	maxThrottle = 10_000
)

// try counts a try, or returns the time until the next one is allowed, and whether a try was
// refused since the last one that was counted. A try has failed unless succeed or cancel follows:
// tries that run at the same time are counted before they end.
func (t *throttle) try(who string, now time.Time) (wait time.Duration, repeated bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, known := t.tries[who]
	if f.count >= freeTries {
		pause := min(time.Second<<min(f.count-freeTries, 16), maxWait)
		if wait := min(pause, max(0, f.last.Add(pause).Sub(now))); wait > 0 { // the clock may have been set back
			repeated, f.reported = f.reported, true
			t.tries[who] = f
			return wait, repeated
		}
	}
	if t.tries == nil {
		t.tries = make(map[string]failures)
	}
	if !known && len(t.tries) >= maxThrottle {
		t.evict(now)
	}
	if now.Sub(f.last) > maxWait {
		f.count = 0
	}
	t.tries[who] = failures{count: f.count + 1, last: now}
	return 0, false
}

// evict removes a part of the entries: those that no longer have an effect, otherwise those with
// the fewest failures, of which the oldest first. A client that fails with many names does not
// remove the entry of a name that it has tried often.
func (t *throttle) evict(now time.Time) {
	maps.DeleteFunc(t.tries, func(_ string, f failures) bool { return now.Sub(f.last) > maxWait })
	if len(t.tries) < maxThrottle {
		return
	}
	names := slices.Collect(maps.Keys(t.tries))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.tries[a].count, t.tries[b].count), t.tries[a].last.Compare(t.tries[b].last))
	})
	for _, name := range names[:maxThrottle/10] { // a part, so that few tries sort
		delete(t.tries, name)
	}
}

// cancel removes a try from the count, because its password was not checked.
func (t *throttle) cancel(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.tries[who]
	if f.count--; f.count <= 0 {
		delete(t.tries, who)
		return
	}
	t.tries[who] = f
}

func (t *throttle) succeed(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tries, who)
}

// notice limits how often an event is recorded. Its zero value is ready for use.
type notice struct {
	mu   sync.Mutex
	last time.Time
}

// isDue reports whether the event was not recorded in the last second.
func (n *notice) isDue(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if since := now.Sub(n.last); since >= 0 && since < time.Second { // the clock may have been set back
		return false
	}
	n.last = now
	return true
}
