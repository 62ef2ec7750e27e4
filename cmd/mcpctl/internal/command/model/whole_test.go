package model

import (
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/lab"
)

// Only content that passes unchanged has a reason.
func TestShownWholeReason(t *testing.T) {
	split := step{"section-split", []byte(`{"minSize":100}`)}
	for _, tt := range []struct {
		name   string
		size   int
		stages []flow.StageReport
		want   string
	}{
		{"small", 6, []flow.StageReport{{Role: "section-split", Outcome: "pass"}},
			"shown whole: section-split changed nothing: the content has 6 bytes, and minSize of section-split is 100"},
		{"nothing to do", 200, []flow.StageReport{{Role: "a", Outcome: "pass"}, {Role: "b", Outcome: "pass"}, {Role: "c", Outcome: "pass"}},
			"shown whole: a, b and c changed nothing"},
		{"a stage that failed", 200, []flow.StageReport{{Role: "a", Outcome: "pass"}, {Role: "b", Outcome: "failed"}},
			"shown whole: b failed, so its input passes unchanged"},
		{"a stage out of service", 200, []flow.StageReport{{Role: "b", Outcome: "failed", Skipped: true}},
			"shown whole: b is out of service for a while, having failed"},
		{"an index that saves too little", 200, []flow.StageReport{{Role: "a", Outcome: "done", OutBytes: 0}, {Role: "b", Outcome: "pass"}},
			"shown whole: an index would not be 40 % shorter, which is not worth a second call"},
		{"the same text again", 200, []flow.StageReport{{Role: "a", Outcome: "done", OutBytes: 200}}, "shown whole: a returned its input"},
		{"no stages", 200, nil, "shown whole: no stage of m is for tool results"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			input := make([]byte, tt.size)
			res := lab.ModelResult{Text: input, Report: flow.RunReport{Model: "m", Stages: tt.stages}}
			if got := shownWhole(input, res, []step{split}); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
			for name, other := range map[string]lab.ModelResult{
				"an index": {Text: input, Meta: flow.AnswerMeta{Kind: flow.AnswerIndex}}, "another text": {Text: []byte("x")}, "withheld": {Text: input, Withheld: true},
			} {
				if got := shownWhole(input, other, nil); got != "" {
					t.Errorf("%s: %s", name, got)
				}
			}
		})
	}
}
