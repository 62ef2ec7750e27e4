package breaker

import (
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// OutError reports that a key is out of service. It wraps abi.ErrUnavailable, or
// abi.ErrLimit if smaller Contents are served.
type OutError struct {
	From int           // bytes; smaller Contents are served
	Left time.Duration // until the next trial; 0 if a trial is running
}

func (e *OutError) Error() string {
	state, when := "out of service", "being tried again now"
	if e.From > 0 {
		state = fmt.Sprintf("out of service for content of %s or more", formatSize(e.From))
	}
	if e.Left > 0 {
		when = fmt.Sprintf("tried again in %v", e.Left.Round(100*time.Millisecond))
	}
	return fmt.Sprintf("%s after %d failures in %v, %s", state, After, Within, when)
}

// Unwrap returns the kind of the error.
func (e *OutError) Unwrap() error {
	if e.From > 0 {
		return abi.ErrLimit
	}
	return abi.ErrUnavailable
}

// formatSize formats a magnitude for messages.
func formatSize(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
