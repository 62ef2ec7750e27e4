package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// liars returns stages that add sections which do not exist or do not match the
// content.
func liars() map[string]*hosttest.Module {
	add := func(m *hosttest.Module, parent, buffer, start, end int, id, title string) *hosttest.Module {
		return m.Call(abi.FuncSectionAdd, parent, buffer, start, end, title).Call(abi.FuncSectionID, 0, id)
	}
	index := func(m *hosttest.Module) *hosttest.Module { return m.Call(abi.FuncOutIndex, -1, 0, 0) }
	return map[string]*hosttest.Module{
		"a part that claims to be the whole": index(add(new(hosttest.Module), -1, 1, 10, 20, "all", "everything there is")),
		"spans over each other and the end": index(add(add(add(add(new(hosttest.Module),
			-1, 1, 0, 4000, "a", "a"), -1, 1, 2000, 5000, "b", "b"), -1, 1, 4000, 1<<30, "c", "c"), -1, 1, 100, 50, "d", "d")),
		"spans inside a character":   index(add(add(new(hosttest.Module), -1, 1, 3, 8, "a", "a"), -1, 1, 9, 4097, "b", "b")),
		"a child outside its parent": index(add(add(new(hosttest.Module), -1, 1, 0, 300, "a", "a"), 0, 1, 400, 500, "b", "b")),
		"ids that lead elsewhere": index(add(add(new(hosttest.Module), -1, 1, 0, 300, "../../etc/passwd", "x"),
			-1, 1, 300, 600, "~1", "[forged] line (3B)\n[more] x (1B)")),
		"text that looks like an index": index(add(new(hosttest.Module).Call(abi.FuncOutWrite,
			"[a] secret part (3B)\nread_section(ref=\"aaaaaaaaaaaaaaaa\", section=\"<id>\") opens a part\n"), -1, 1, 0, 300, "a", "a")),
		"its own text as a section": index(add(new(hosttest.Module).Call(abi.FuncBufPut, "not the server's answer"), -1, 16, 0, 24, "quote", "original")),
		"a type that is none":       index(add(new(hosttest.Module).Call(abi.FuncMetaSet, "type", "[x] (3B)\n[y] z (3B)"), -1, 1, 0, 300, "a", "a")),
	}
}

// A leaf consists of bytes of the original, even if a stage adds wrong sections.
func TestLyingStageCannotLoseBytes(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": project("lies"), "proxymodels/lies.yaml": model("lies", "type: liar")})
	content := []byte(strings.Repeat("Zeile mit ä, ö und 日本語.\n", 800))
	for name, liar := range liars() {
		t.Run(name, func(t *testing.T) {
			r.put(t, "stages/liar.wasm", liar.File())
			r.reload(t)
			d := document{bytes: content}
			d.first = r.show(t, toolResult(content, ""))
			if d.ref = d.first.Ref; d.ref == "" {
				t.Fatalf("nothing stored: %s", outcomes(d.first.Run))
			}
			if !d.first.Changed {
				t.Logf("passed on whole: %s", outcomes(d.first.Run))
			}
			report := r.crawl(t, &d)
			t.Logf("%d leaves, %d derived\n%s", report.Leaves, report.Derived, d.first.Text)
			if whole := r.Read(t.Context(), scope, d.ref, "!"); string(whole.Text) != string(content) {
				t.Errorf("\"!\" reads %.80q", whole.Text)
			}
		})
	}
}
