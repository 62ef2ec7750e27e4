package upstream

import (
	"encoding/json"
	"sync/atomic"
	"time"
)

// Status says whether a server can be called.
type Status string

// The statuses. A failed server is tried again after a while.
const (
	Starting Status = "starting"
	Ready    Status = "ready"
	Failed   Status = "failed"
	Closed   Status = "closed"
)

// State is a Client at one moment. What the server said at its last handshake
// stays when the connection is lost.
type State struct {
	Status        Status
	Since         time.Time // of Status
	Error         string    // why it failed last; kept while it starts again
	LastError     string    // of a Client that is ready: why it failed before
	StartTimedOut bool      // Error is a handshake that was not done within StartTimeout
	Restarts      int       // connections made after the first
	InFlight      int       // calls that wait for an answer
	PID           int       // of a stdio server that runs, else 0

	Protocol     string
	ServerInfo   json.RawMessage
	Capabilities json.RawMessage

	Counts  Counts
	Garbage string   // size and error of the last message that could not be read
	Stderr  []string // last lines of a stdio server, control characters escaped
}

// Counts are totals since Start.
type Counts struct {
	Calls         int64 // answered, with a result or an error of the server
	Failed        int64 // not answered
	Timeouts      int64 // of those: deadline reached
	Repeated      int64 // sent again after a lost connection
	Garbage       int64 // messages that could not be read
	TooLong       int64 // messages over the frame limit
	UnknownIDs    int64 // answers to what was never asked
	LateIDs       int64 // answers that came twice or after their call had ended
	Notifications int64 // taken in
	Dropped       int64 // notifications and requests nobody could take in time
}

// counters is Counts while it is being counted.
type counters struct {
	calls, failed, timeouts, repeated, garbage, tooLong, unknown, late, notes, dropped atomic.Int64
}

func (c *counters) read() Counts {
	return Counts{
		Calls: c.calls.Load(), Failed: c.failed.Load(), Timeouts: c.timeouts.Load(), Repeated: c.repeated.Load(),
		Garbage: c.garbage.Load(), TooLong: c.tooLong.Load(), UnknownIDs: c.unknown.Load(), LateIDs: c.late.Load(),
		Notifications: c.notes.Load(), Dropped: c.dropped.Load(),
	}
}
