package hosttest_test

import (
	"testing"

	"github.com/mcpctl/mcpctl/host/hosttest"
)

func TestIsStructure(t *testing.T) {
	for gap, want := range map[string]bool{
		"": true, " \n": true, `, "key" : [`: true, `"value"`: false, "</a>\n<b c='d'>": true, "<!-- x -->": false, "key:\n  - ": true, "key: value\n": false,
		"xxx": false, "# comment\n": false,
	} {
		if got := hosttest.IsStructure([]byte(gap)); got != want {
			t.Errorf("IsStructure(%q) = %v, want %v", gap, got, want)
		}
	}
}
