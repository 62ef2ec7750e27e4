package pipeline

import (
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// Limits are set in the settings; an entry of a ProxyModel can only
// narrow them.
func TestAnEntryOnlyNarrows(t *testing.T) {
	host := orDefaults(abi.GuestLimits{MemoryBytes: 128 << 20})
	if host.Sections != abi.LimitSections || host.MemoryBytes != 128<<20 {
		t.Fatalf("the host gives %+v", host)
	}
	for _, c := range []struct {
		rule      string
		ask, want int
	}{
		{"nothing asked for: what the host gives", 0, 128 << 20},
		{"less", 8 << 20, 8 << 20},
		{"more is not given", 1 << 30, 128 << 20},
	} {
		if got := narrowed(abi.GuestLimits{MemoryBytes: c.ask}, host).MemoryBytes; got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.rule, got, c.want)
		}
	}
}
