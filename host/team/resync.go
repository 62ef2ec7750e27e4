package team

import (
	"math/rand/v2"
	"time"
)

// resyncInterval is the time without a resync after which the next one is not delayed.
const resyncInterval = 10 * time.Second

// firstResyncDelay is the longest delay of the second resync within resyncInterval. It doubles
// with each further one, up to resyncInterval.
const firstResyncDelay = 500 * time.Millisecond

// resyncPace decides when the snapshots that mcpd requests are taken. The first one is taken at
// once, because the rights of the user may have changed. Later ones are delayed, so that many
// changes of rights, or an mcpd that requests snapshots without end, cause few of them, and
// those of many followers at different times. The zero value is ready to use.
type resyncPace struct {
	count int       // of resyncs with less than resyncInterval between each of them
	taken time.Time // of the last one
}

// next returns how long to wait before the snapshot that mcpd requests now is taken.
func (p *resyncPace) next(now time.Time) time.Duration {
	if now.Sub(p.taken) > resyncInterval {
		p.count = 0
	}
	p.count++
	delay := jitter(p.maxDelay())
	p.taken = now.Add(delay)
	return delay
}

// maxDelay returns the longest delay of the present resync.
func (p *resyncPace) maxDelay() time.Duration {
	delay := time.Duration(0)
	for n := 2; n <= p.count && delay < resyncInterval; n++ {
		delay = max(2*delay, firstResyncDelay)
	}
	return min(delay, resyncInterval)
}

// jitter returns a random duration from half of limit up to limit.
func jitter(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return limit/2 + rand.N(limit/2)
}
