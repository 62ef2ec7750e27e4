// Package stream carries messages to clients over streamable HTTP.
//
// An Outlet takes frames for a client: an Exchange is the response to one POST, a Hub
// is all GET streams of a session. Neither blocks its senders; an Urgency decides the
// fate of a frame when the client reads too slowly.
//
// It does not know sessions or the meaning of messages.
package stream

// Outlet takes frames for the client, except answers.
type Outlet interface {
	// Send never blocks. It reports false if the client cannot be reached this way.
	Send(frame []byte, u Urgency) bool
	// IsListening reports whether the client would read a frame now.
	IsListening() bool
}
