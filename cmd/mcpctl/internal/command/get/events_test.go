package get

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

func TestEventDetail(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, tt := range []struct {
		name       string
		e          api.Event
		want, wide string
	}{
		{"state", api.Event{Source: "crash", Change: &api.Change{Name: "crash", From: "failed", To: "ready"}}, "ready", "ready"},
		{"state with a reason", api.Event{Source: "crash", Change: &api.Change{Name: "crash", To: "failed", Reason: "exit status 1"}}, "failed: exit status 1", "failed: exit status 1"},
		{"long reason", api.Event{Source: "crash", Change: &api.Change{Name: "crash", To: "failed", Reason: long}}, "failed: " + long[:69] + "...", "failed: " + long},
		{"hashes", api.Event{Change: &api.Change{Name: "shout", From: long, To: long}}, "shout", "shout"},
		{"hash without a name", api.Event{Change: &api.Change{To: long}}, long[:13] + "...", long[:13] + "..."},
		{"reason only", api.Event{Change: &api.Change{Reason: "client"}}, "client", "client"},
		{"error", api.Event{Source: "demo/x", Error: "denied"}, "denied", "denied"},
		{"none", api.Event{Source: "demo/x"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for wide, want := range map[bool]string{false: tt.want, true: tt.wide} {
				row := eventRow(tt.e, "1s", wide)
				if got := row[len(row)-1]; got != want || len(row) != len(eventHeader("AGE", wide)) {
					t.Errorf("wide %v: got %q in %d cells, want %q", wide, got, len(row), want)
				}
			}
		})
	}
}
