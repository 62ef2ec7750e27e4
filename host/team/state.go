package team

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Phase is what a Follower does at present.
type Phase string

// The phases.
const (
	NotConfigured Phase = "not configured"
	NotLoggedIn   Phase = "not logged in"
	Invalid       Phase = "invalid" // the settings cannot be used
	Connecting    Phase = "connecting"
	Following     Phase = "following"
	Stale         Phase = "stale"   // mcpd is away: the last snapshot is used
	Refused       Phase = "refused" // mcpd refuses the token: a new login is needed
	Paused        Phase = "not followed"
)

// State describes a Follower.
type State struct {
	Phase   Phase
	URL     string // "" if not configured
	User    string // "" if not logged in
	Version uint64 // of the objects in use; 0 if there are none
	Since   time.Time
	Err     error // of Stale, Refused and Invalid
}

// String describes the state for people, on one line, with the command that helps.
func (s State) String() string {
	if s.Phase == NotConfigured {
		return string(NotConfigured)
	}
	text := s.URL
	if s.User != "" {
		text += " as " + s.User
	}
	text += ", " + string(s.Phase)
	if s.Phase == Stale || s.Phase == Refused {
		text += " since " + s.Since.UTC().Format("2006-01-02 15:04:05") + " UTC"
	}
	if s.Version > 0 {
		text += fmt.Sprintf(", version %d", s.Version)
	}
	if s.Err != nil {
		cause := strings.TrimPrefix(s.Err.Error(), abi.ErrUnavailable.Error()+": ")
		text += ": " + oneLine(strings.TrimPrefix(cause, "mcpd "+s.URL+": "))
	}
	if s.Phase == Refused || s.Phase == NotLoggedIn {
		text += "; mcpctl login " + s.URL
	}
	return text
}
