package proxy

import (
	"context"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
)

// An unknown _section is answered like read_section. If an earlier result of the same call
// was different, the index follows a note that the content has changed. An answer that is
// no index never contains the note.
func TestUnknownSectionOfCall(t *testing.T) {
	answer := `{\"a\":1}`
	server := oneTool(func(context.Context, fakeCall) string {
		return `{"content":[{"type":"text","text":"` + answer + `"}]}`
	}, "t")
	p := Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true}}}
	r := newRig(t, fakeUpstreams{"s": server}, p, Options{})
	c := r.open(t, "")
	ask := func(section string) string {
		args := `{}`
		if section != "" {
			args = fmt.Sprintf(`{"_section":%q}`, section)
		}
		return c.ask("tools/call", `{"name":"s__t","arguments":`+args+`}`)
	}
	for _, tc := range []struct {
		rule, answer, section string
		isError, text, kind   string
	}{
		{"nothing stored", answer, "gone", "true", `"no section gone"`, ""},
		{"same result again", answer, "gone", "true", `"no section gone"`, ""},
		{"leaf", answer, "a", "", `"1"`, `"leaf"`},
		{"different result", `{\"b\":2}`, "", "", `"{\"b\":2}"`, ""},
		{"section of the earlier result", `{\"b\":2}`, "a", "", `"content changed: no section \"a\" here now\nindex of ref0000000000001"`, `"index"`},
	} {
		answer = tc.answer
		got := ask(tc.section)
		if at(got, "/result/isError") != tc.isError || at(got, "/result/content/0/text") != tc.text || at(got, "/result/_meta/mcpctl~1kind") != tc.kind {
			t.Errorf("%s: %s", tc.rule, got)
		}
	}
}

func TestUnknownSectionWithoutAnIndex(t *testing.T) {
	unknown := flow.Answer{Text: []byte("no section x"), IsError: true}
	whole := flow.Answer{Text: []byte("the content"), Meta: flow.AnswerMeta{Kind: flow.AnswerLeaf, Bytes: &[2]int{0, 11}}}
	got := noSection("x", unknown, whole, true)
	if want := "content changed: no section \"x\" here now\nno section x"; string(got.Text) != want || !got.IsError {
		t.Errorf("got %q, error %t; want %q", got.Text, got.IsError, want)
	}
}
