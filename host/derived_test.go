package host

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// The client receives the text of the last stage that changed the content, or an
// index of it, and never the original instead.
func TestStageTextIsNeverReplacedByOriginal(t *testing.T) {
	skipShort(t)
	plain := func(n int) string { return strings.Repeat("words of the stage, all on one kind of line\n", n) }
	reports := func(n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("# Report %d\n\n%s\n\n", i, strings.Repeat("words of the stage ", 60))
		}
		return text
	}
	raw := func(n int) []byte { return []byte(strings.Repeat("raw line of the server\n", n)) }
	r := newRig(t, files{
		"projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: own"),
		"stages/own.wasm": string(hosttest.Write("to be replaced")),
	})
	for _, c := range []struct {
		name, second, text string
		original           []byte
		whole              bool // the text itself is shown, not an index of it
	}{
		{"page that saves nothing", "paginate", plain(210), raw(400), true},
		{"pages that save tokens", "paginate", plain(1200), raw(400), false},
		{"split that saves tokens", "section-split", reports(7), raw(310), false},
		{"split without parts, as long as the original", "section-split", plain(160), raw(310), false},
		{"split without parts, much shorter than the original", "section-split", plain(160), raw(4500), false},
		{"split of one long line", "section-split", strings.Repeat("words without an end of line ", 240), raw(310), false},
		{"split of numbers", "section-split", strings.Repeat("1 2 3\n", 1200), raw(310), false},
		{"split of short paragraphs", "section-split", strings.Repeat("Words of a stage, one line.\n\n", 240), raw(310), false},
		{"split of a JSON string", "section-split", `"` + strings.Repeat("words of a stage ", 400) + `"`, raw(310), false},
		{"split of a JSON object with one string", "section-split", `{"a":"` + strings.Repeat("words of a stage\\n", 400) + `"}`, raw(310), false},
		{"split of small records", "section-split", strings.Repeat("{}\n", 3000), raw(310), false},
		{"split with one part that is almost the whole text", "section-split", "# One\n\n" + plain(200), raw(400), false},
		{"index of the original after the text, saves nothing", "index", reports(7), raw(310), true},
		{"index of the original after the text, saves tokens", "index", reports(7), raw(4500), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.put(t, "stages/own.wasm", new(hosttest.Module).Call(abi.FuncOutWrite, c.text).File())
			r.put(t, "proxymodels/m.yaml", []byte(model("m", "type: own", "type: "+c.second)))
			r.reload(t)
			sh := r.show(t, toolResult(c.original, ""))
			if !sh.Changed || strings.Contains(string(sh.Text), c.text) != c.whole {
				t.Fatalf("changed %v, whole text %v, want %v: %s\n%.600s", sh.Changed, !c.whole, c.whole, outcomes(sh.Run), sh.Text)
			}
			if !c.whole && r.derived(sh.Ref) < len(c.text)*9/10 {
				t.Errorf("the sections lead to %d of %d bytes of the stage's text:\n%.600s", r.derived(sh.Ref), len(c.text), sh.Text)
			}
		})
	}
}

// derived returns how many bytes of texts of stages a client can read from the
// sections of a ref.
func (r *rig) derived(ref string) (n int) {
	seen := make(map[string]bool)
	var read func(id string)
	read = func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		a := r.Read(context.Background(), scope, ref, id)
		for _, o := range a.Meta.Offers {
			read(o)
		}
		if text, ok := strings.CutPrefix(string(a.Text), "derived text, not bytes of the original:\n"); ok && a.Meta.Kind == flow.AnswerDerived {
			n += len(text)
		}
	}
	read("")
	return n
}
