package live

import (
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// The limits of an entry are at most those of the home.
func TestLimitsOfControllers(t *testing.T) {
	home := abi.GuestLimits{MemoryBytes: 32 << 20, LLMRequests: 4}
	got := minLimits(abi.GuestLimits{MemoryBytes: 64 << 20, LLMRequests: 2, OutputBytes: 1000, TimeMillis: 50}, home)
	want := abi.GuestLimits{MemoryBytes: 32 << 20, LLMRequests: 2, OutputBytes: 1000, TimeMillis: 50, Sections: abi.LimitSections, LLMMillis: abi.LimitLLMMillis}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
