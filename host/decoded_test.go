package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/section/crawl"
)

// If a stage decodes a string with json_text, the parts of the string are readable
// by path, decoded, also after a restart and from the cache.
func TestPartsOfJSONStringAreDecoded(t *testing.T) {
	t.Parallel()
	steps, rest := "# Steps\nsay \"hé\"\n", "# Rest\n"+strings.Repeat("a line\n", 900)
	literal := `"` + strings.NewReplacer("\n", `\n`, `"`, `\"`, "é", `\u00e9`).Replace(steps+rest) + `"`
	original := `{"issue": {"body": ` + literal + `}}`
	start := strings.Index(original, literal)
	end := start + len(literal)
	const firstHandle = 16
	enter := new(hosttest.Module).
		Call(abi.FuncSectionAdd, -1, abi.BufOriginal, 10, len(original)-1, "issue").
		Call(abi.FuncSectionAdd, 0, abi.BufOriginal, start, end, "body").
		Call(abi.FuncJSONText, abi.BufOriginal, start, end).
		Call(abi.FuncSectionAdd, 1, firstHandle, 0, len(steps), "Steps").
		Call(abi.FuncSectionAdd, 1, firstHandle, len(steps), len(steps+rest), "Rest").
		Call(abi.FuncMetaSet, "type", "json-object").
		Call(abi.FuncOutIndex, -1, 0, 0)
	dir := newHome(t, files{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], proxyModel: enter}\n",
		"proxymodels/enter.yaml": model("enter", "{type: enter}"),
		"stages/enter.wasm":      string(enter.Manifest(`{"name":"enter","abi":"1.0","roles":[{"name":"enter","kind":"stage"}]}`).File())})
	for _, run := range []string{"done", "cached"} { // the second by another Host
		r := openRig(t, dir)
		shown := r.show(t, toolResult([]byte(original), ""))
		if got := outcomes(shown.Run); !strings.Contains(got, run) || !strings.Contains(string(shown.Text), "[issue/body/steps] (18B)\n") {
			t.Fatalf("%s: %s\n%s", run, got, shown.Text)
		}
		a := r.Read(t.Context(), scope, shown.Ref, "issue/body/steps")
		if string(a.Text) != steps || a.Meta.Kind != flow.AnswerDecoded || *a.Meta.Bytes != [2]int{0, len(steps)} || *a.Meta.Literal != [2]int{start, end} {
			t.Errorf("%s: %q, %+v", run, a.Text, a.Meta)
		}
		if a := r.Read(t.Context(), scope, shown.Ref, "issue/body!"); string(a.Text) != literal {
			t.Errorf("%s: the raw literal gets %.80q", run, a.Text)
		}
		read := func(path string) flow.Answer { return r.Read(t.Context(), scope, shown.Ref, path) }
		if err := crawl.Run(read, []byte(original), hosttest.IsStructure).Err(); err != nil {
			t.Errorf("%s: %v", run, err)
		}
		r.stop()
	}
}
