package proxy

import (
	"strings"
	"time"
)

// Profile is what is known of a kind of client beyond what it declares.
type Profile struct {
	ListChanged       bool // reads a list again after list_changed
	StructuredOnly    bool // where a result has structuredContent the model sees nothing else
	InstructionsChars int  // UTF-16 units of instructions that reach the model
	ResultChars       int  // UTF-16 units up to which an answer stays in the context

	// GreetingWait bounds how long initialize waits for the instructions of servers that
	// are starting; 0 means up to Options.ListWait. The first lists wait for these servers.
	GreetingWait time.Duration
}

// anyClient is the profile of a client that is not in the table.
var anyClient = Profile{ListChanged: true, InstructionsChars: 2048, ResultChars: 50_000}

// profiles are the clients that were measured, by the name in clientInfo. All
// versions seen so far are alike in what stands here.
var profiles = map[string]Profile{
	"claude-code": {ListChanged: true, StructuredOnly: true, InstructionsChars: 2048, ResultChars: 50_000, GreetingWait: 3 * time.Second},
}

// ProfileOf returns what is known of a client.
func ProfileOf(c Client) Profile {
	if p, ok := profiles[strings.ToLower(c.Name)]; ok {
		return p
	}
	return anyClient
}
