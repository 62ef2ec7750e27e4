package access

import (
	"sync"
	"time"
)

// throttle delays logins after failures. Its zero value is ready for use.
type throttle struct {
	mu    sync.Mutex
	tries map[string]failures
}

type failures struct {
	count int
	last  time.Time
}

// Limits of a throttle.
const (
	freeTries   = 5
	maxWait     = 5 * time.Minute
	maxThrottle = 10_000
)

// try counts a try, or returns the time until the next one is allowed. A try has failed unless
// succeed or cancel follows: tries that run at the same time are counted before they end.
func (t *throttle) try(who string, now time.Time) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.tries[who]
	if f.count >= freeTries {
		pause := min(time.Second<<min(f.count-freeTries, 16), maxWait)
		if wait := min(pause, max(0, f.last.Add(pause).Sub(now))); wait > 0 { // the clock may have been set back
			return wait
		}
	}
	if t.tries == nil || len(t.tries) >= maxThrottle {
		t.tries = make(map[string]failures)
	}
	if now.Sub(f.last) > maxWait {
		f.count = 0
	}
	t.tries[who] = failures{f.count + 1, now}
	return 0
}

// cancel uncounts a try whose password was not verified.
func (t *throttle) cancel(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f, ok := t.tries[who]; ok {
		t.tries[who] = failures{max(0, f.count-1), f.last}
	}
}

func (t *throttle) succeed(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tries, who)
}
