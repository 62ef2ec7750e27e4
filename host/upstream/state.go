package upstream

import (
	"encoding/json"
	"sync/atomic"
	"time"
)

// Status is the state of the connection to a server.
type Status string

// The statuses. A Client in status Failed connects again after a back-off.
const (
	Starting Status = "starting"
	Ready    Status = "ready"
	Failed   Status = "failed"
	Closed   Status = "closed"
)

// State is a snapshot of a Client. Data of the last handshake is kept when the connection
// is lost.
type State struct {
	Status        Status
	Since         time.Time // of Status
	Error         string    // last error of a Client that is not ready
	LastError     string    // last error of a Client that is ready
	StartTimedOut bool      // Error is a handshake that exceeded StartTimeout
	Restarts      int       // connections after the first
	InFlight      int       // calls that wait for an answer
	PID           int       // of a running stdio server, otherwise 0

	Protocol     string
	ServerInfo   json.RawMessage
	Capabilities json.RawMessage

	Counts  Counts
	Garbage string   // size and error of the last invalid message
	Stderr  []string // last lines of a stdio server, control characters escaped
}

// Counts are totals since Start.
type Counts struct {
	Calls         int64 // answered, with a result or an error of the server
	Failed        int64 // not answered
	Timeouts      int64 // part of Failed: deadline exceeded
	Repeated      int64 // sent again after a lost connection
	Garbage       int64 // invalid messages
	TooLong       int64 // messages over the frame limit
	UnknownIDs    int64 // answers with an id that was never used
	LateIDs       int64 // duplicate answers, and answers after the end of their call
	Notifications int64 // received
	Dropped       int64 // notifications and requests dropped, mostly because a queue was full
}

// counters is the atomic form of Counts.
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
