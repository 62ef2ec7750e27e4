package proxy

import (
	"strings"
	"time"
)

// Profile describes a kind of client beyond its own declarations.
type Profile struct {
	ListChanged       bool // reads a list again after list_changed
	StructuredOnly    bool // shows the model nothing but structuredContent, if a result has it
	InstructionsChars int  // UTF-16 units of instructions that reach the model
	ResultChars       int  // UTF-16 units up to which an answer stays in the context

	// GreetingWait limits how long initialize waits for the instructions of servers that
	// are starting; 0 means up to Options.ListWait. The first lists wait for these servers.
	GreetingWait time.Duration
}

// anyClient is the profile of an unknown client.
var anyClient = Profile{ListChanged: true, InstructionsChars: 2048, ResultChars: 50_000}

// profiles are the measured clients, by the name in clientInfo. No differences between
// versions are known.
var profiles = map[string]Profile{
	"claude-code": {ListChanged: true, StructuredOnly: true, InstructionsChars: 2048, ResultChars: 50_000, GreetingWait: 3 * time.Second},
}

// ProfileOf returns the profile of a client.
func ProfileOf(c Client) Profile {
	if p, ok := profiles[strings.ToLower(c.Name)]; ok {
		return p
	}
	return anyClient
}
