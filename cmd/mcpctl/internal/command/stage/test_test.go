package stage

import (
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
)

// If a run failed, --update of another fault is no hint.
func TestFirstHint(t *testing.T) {
	update := fixture.Fault{Hint: "mcpctl stage test x --update"}
	for _, tt := range []struct {
		rule   string
		faults []fixture.Fault
		want   string
	}{
		{"a different result", []fixture.Fault{{}, update}, "mcpctl stage test x --update"},
		{"a run that failed, with advice", []fixture.Fault{update, {Failed: true}, {Failed: true, Hint: "advice"}}, "advice"},
		{"a run that failed, without advice", []fixture.Fault{update, {Failed: true}}, ""},
		{"a broken law", []fixture.Fault{update, {Failed: true, Hint: "advice"}, {Law: "same", Hint: "laws"}}, "laws"},
	} {
		var tests []fixture.Test
		for _, f := range tt.faults {
			tests = append(tests, fixture.Test{Faults: []fixture.Fault{f}})
		}
		if got := firstHint(tests); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.rule, got, tt.want)
		}
	}
}
