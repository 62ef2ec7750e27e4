package pipeline

import (
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// An entry of a ProxyModel can only lower the limits of the settings.
func TestEntriesOnlyLowerLimits(t *testing.T) {
	host := orDefaults(abi.GuestLimits{MemoryBytes: 128 << 20})
	if host.Sections != abi.LimitSections || host.MemoryBytes != 128<<20 {
		t.Fatalf("limits of the host: %+v", host)
	}
	for _, c := range []struct {
		rule      string
		ask, want int
	}{
		{"no limit", 0, 128 << 20},
		{"lower limit", 8 << 20, 8 << 20},
		{"higher limit", 1 << 30, 128 << 20},
	} {
		if got := narrowed(abi.GuestLimits{MemoryBytes: c.ask}, host).MemoryBytes; got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.rule, got, c.want)
		}
	}
}
