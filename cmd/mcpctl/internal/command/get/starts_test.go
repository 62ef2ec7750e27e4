package get

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// The progress line shows the servers that start for more than two seconds.
func TestSlowStartsAreShown(t *testing.T) {
	for _, tc := range []struct {
		name  string
		takes time.Duration
		want  []string
	}{
		{"quick start", 1900 * time.Millisecond, nil},
		{"slow start", 3500 * time.Millisecond, []string{"waiting for slow", "waiting for slow"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				status := func(context.Context) (api.Status, error) {
					state := "starting"
					if time.Since(began) > tc.takes {
						state = "ready"
					}
					return api.Status{Servers: []api.ServerStatus{{Name: "slow", State: state}, {Name: "ready", State: "ready"}, {Name: "other", State: "starting"}}}, nil
				}
				var got []string
				stop := watchStarts(t.Context(), status, []string{"slow", "ready"}, func(text string) { got = append(got, text) })
				time.Sleep(5 * time.Second)
				stop()
				if !slices.Equal(got, tc.want) {
					t.Errorf("got %q, want %q", got, tc.want)
				}
			})
		})
	}
	if got := shortList([]string{strings.Repeat("a", 40), "bbbbbbbbbbbb"}); len(got) != maxWaiting+len("...") {
		t.Errorf("a long list is %q", got)
	}
}
