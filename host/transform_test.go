package host

import (
	"strings"
	"testing"
)

// Filter followed by the stages has the same result as Transform. A result that
// controllers read in between is transformed in these two steps.
func TestFilterThenStagesEqualsTransform(t *testing.T) {
	r := newRig(t, files{
		"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"),
		"proxymodels/m.yaml": model("m", "type: section-split"),
	})
	whole := toolResult([]byte(`[`+strings.TrimSuffix(strings.Repeat(odd+",", 500), ",")+`]`), "")
	want := r.show(t, whole)
	if !want.Changed {
		t.Fatalf("not indexed: %s", outcomes(want.Run))
	}
	first, err := r.Filter(t.Context(), scope, whole)
	if err != nil || first.Changed || first.Ref != want.Ref || len(first.Run.Stages) != 0 {
		t.Fatalf("filters only: %+v, %v", first, err)
	}
	whole.Filtered = true
	if second := r.show(t, whole); string(second.Text) != string(want.Text) || second.Ref != want.Ref {
		t.Errorf("the stages after them: %s", outcomes(second.Run))
	}
}
