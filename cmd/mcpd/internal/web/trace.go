package web

import (
	"crypto/rand"
	"regexp"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// validTrace matches the ids that clients may choose for the audit log.
var validTrace = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// traceID returns the id of a call in the audit log: that of the client, or a new one.
func traceID(chosen string) (string, error) {
	switch {
	case chosen == "":
		return rand.Text()[:16], nil
	case !validTrace.MatchString(chosen):
		return "", problem.Usagef("the header %s is not valid, want 1 to 64 letters, digits and the characters . _ -", api.HeaderTraceID)
	}
	return chosen, nil
}
