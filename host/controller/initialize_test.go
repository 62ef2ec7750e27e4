package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// Texts are joined in chain order within one limit.
func TestInitialize(t *testing.T) {
	tests := []struct {
		rule  string
		limit int
		texts []string // PASS if empty
		want  string
		left  []int // InstructionsChars of each hook
	}{
		{"one", 100, []string{"a"}, "a", []int{100}},
		{"blank line between texts", 100, []string{"a", "b"}, "a\n\nb", []int{100, 97}},
		{"PASS adds nothing", 100, []string{"", "b"}, "b", []int{100, 100}},
		{"trailing newlines are removed", 100, []string{"a\n\n", "b\n"}, "a\n\nb", []int{100, 97}},
		{"cut at the end of a line", 12, []string{"one\ntwo\nthree"}, "one\ntwo", []int{12}},
		{"line that just fits", 7, []string{"one\ntwo\nthree"}, "one\ntwo", []int{7}},
		{"cut within the first line", 3, []string{"abcdef"}, "abc", []int{3}},
		{"limit in UTF-16 units, no half character", 3, []string{"😀😀"}, "😀", []int{3}},
		{"nothing left", 4, []string{"four", "more"}, "four", []int{4, 0}},
		{"room for the blank line only", 6, []string{"four", "more"}, "four", []int{6, 0}},
		{"only whole lines of later texts", 11, []string{"four", "and\nmore", "x"}, "four\n\nand", []int{11, 5, 0}},
		{"text that does not fit leaves room for the next", 8, []string{"four", "more", "is"}, "four\n\nis", []int{8, 2, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var left []int
			var parts []part
			for i, text := range tt.texts {
				parts = append(parts, oneHook(fmt.Sprint("c", i), abi.OnInitialize, func(_ context.Context, c abi.HookCall) (abi.HookOutput, error) {
					left = append(left, c.Context.Client.InstructionsChars)
					if string(c.Input) != `{"protocolVersion":"x"}` {
						t.Errorf("input %s", c.Input)
					}
					return abi.HookOutput{Done: text != "", Answer: []byte(text)}, nil
				}))
			}
			r := newRig(t, parts...)
			r.about.Client.InstructionsChars = tt.limit
			got, reports := r.Initialize(t.Context(), json.RawMessage(`{"protocolVersion":"x"}`))
			if string(got) != tt.want || countUnits(string(got)) > tt.limit || len(reports) != len(tt.texts) {
				t.Errorf("got %q, %d reports, want %q", got, len(reports), tt.want)
			}
			equal(t, "InstructionsChars", left, tt.left)
		})
	}
}

func TestLongInstructionsFillTheLimit(t *testing.T) {
	long := strings.Repeat("a line of the index\n", 500)
	r := newRig(t, oneHook("a", abi.OnInitialize, answering(long)), oneHook("b", abi.OnInitialize, answering(long)))
	got, _ := r.Initialize(t.Context(), nil)
	if n := countUnits(string(got)); n > 2048 || n < 2000 || !strings.HasSuffix(string(got), "index") {
		t.Errorf("%d units, ends %q", n, got[len(got)-20:])
	}
}
