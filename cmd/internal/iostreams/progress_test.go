package iostreams

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressIsShownAfterDelayOnTerminal(t *testing.T) {
	for _, tc := range []struct {
		name     string
		terminal bool
		work     time.Duration
		want     bool
	}{
		{"no progress for quick work", true, 200 * time.Millisecond, false},
		{"progress for slow work", true, 700 * time.Millisecond, true},
		{"no progress in a pipe", false, 700 * time.Millisecond, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _, out, errOut := Test()
				s.ErrTerminal = tc.terminal
				done := s.Progress("loading")
				<-time.After(tc.work) // fake time of the bubble
				done()
				done()
				shown := errOut.String()
				if strings.Contains(shown, "loading, 0.6s") != tc.want || out.Len() > 0 {
					t.Errorf("ErrOut %q, Out %q", shown, out)
				}
				if tc.want && !strings.HasSuffix(shown, "\r\x1b[K") {
					t.Errorf("the line is not cleared: %q", shown)
				}
			})
		})
	}
}
