package failure

import "time"

// rateLimiter limits how often equal messages are logged. The key is the message.
type rateLimiter map[string]*burst

// burst counts the repetitions of one message.
type burst struct {
	since      time.Time // time of the last allowed message
	suppressed int       // since then
}

const (
	limitPeriod = time.Minute
	maxMessages = 1000 // messages that are distinguished
)

// allow reports whether a message may be logged now, and how many equal ones were
// suppressed since the last one.
func (l rateLimiter) allow(message string, at time.Time) (suppressed int, ok bool) {
	b := l[message]
	if b != nil && at.Sub(b.since) < limitPeriod {
		b.suppressed++
		return 0, false
	}
	if b == nil {
		if len(l) >= maxMessages {
			clear(l)
		}
		b = new(burst)
		l[message] = b
	}
	suppressed = b.suppressed
	b.since, b.suppressed = at, 0
	return suppressed, true
}
