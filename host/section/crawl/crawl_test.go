package crawl_test

import (
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section/crawl"
)

const original = "alpha\nbeta\n\"g\\n\"\n"

func index(text string, offers ...string) flow.Answer {
	return flow.Answer{Text: []byte(text), Meta: flow.AnswerMeta{Kind: flow.AnswerIndex, Offers: offers}}
}

func leaf(text string, start, end int) flow.Answer {
	return flow.Answer{Text: []byte(text), Meta: flow.AnswerMeta{Kind: flow.AnswerLeaf, Bytes: &[2]int{start, end}}}
}

func decoded(text string, start, end int) flow.Answer {
	a := leaf(text, start, end)
	a.Meta.Kind, a.Meta.Literal = flow.AnswerDecoded, &[2]int{11, 16}
	return a
}

// validAnswers returns the answers of a reader for which the law holds.
func validAnswers() map[string]flow.Answer {
	return map[string]flow.Answer{
		"":    index("text, 3 parts\n[a] alpha (6B)\n[b] (5B)\n[c/1] g (2B)\n", "a", "b", "c/1"),
		"a":   leaf("alpha\n", 0, 6),
		"b":   leaf("beta\n", 6, 11),
		"c/1": decoded("g\n", 0, 2),
	}
}

func crawled(answers map[string]flow.Answer) crawl.Report {
	return crawl.Run(func(id string) flow.Answer {
		a, ok := answers[id]
		a.IsError = !ok
		return a
	}, []byte(original), nil)
}

func TestValidReader(t *testing.T) {
	r := crawled(validAnswers())
	if r.Err() != nil || r.Leaves != 3 || r.Calls != 4 || r.Gap != 1 || r.MaxLines != 3 || r.MaxDepth != 1 {
		t.Errorf("%+v", r)
	}
}

func TestInvalidReader(t *testing.T) {
	for fault, c := range map[string]struct {
		apply func(m map[string]flow.Answer)
		count func(r crawl.Report) int
	}{
		"changed leaf":       {func(m map[string]flow.Answer) { m["a"] = leaf("Alpha\n", 0, 6) }, notSub},
		"leaf after the end": {func(m map[string]flow.Answer) { m["a"] = leaf("alpha\n", 0, 600) }, notSub},
		"leaf without a span": {func(m map[string]flow.Answer) {
			m["a"] = flow.Answer{Text: []byte("alpha\n"), Meta: flow.AnswerMeta{Kind: flow.AnswerLeaf}}
		}, notSub},
		"unknown id":                       {func(m map[string]flow.Answer) { delete(m, "b") }, notSub},
		"changed decoded leaf":             {func(m map[string]flow.Answer) { m["c/1"] = decoded("h\n", 0, 2) }, notSub},
		"missing part of a decoded string": {func(m map[string]flow.Answer) { m["c/1"] = decoded("\n", 1, 2) }, badGap},
		"bytes in two leaves":              {func(m map[string]flow.Answer) { m["b"] = leaf("a\nbeta\n", 4, 11) }, overlap},
		"section offered twice":            {func(m map[string]flow.Answer) { m["b"] = index("[a] (6B)\n", "a") }, overlap},
		"section that offers itself":       {func(m map[string]flow.Answer) { m["b"] = index("[b] (6B)\n", "b") }, overlap},
		"bytes outside of all leaves":      {func(m map[string]flow.Answer) { m["b"] = leaf("bet", 6, 9) }, badGap},
		"bracket line without an offer":    {func(m map[string]flow.Answer) { m["b"] = index("[x] no size\n"); m["b2"] = leaf("beta\n", 6, 11) }, broken},
		"offer without a line":             {func(m map[string]flow.Answer) { m[""] = index("[a] (6B)\n[b] (5B)\n[c/1] g (2B)\n", "a", "b") }, broken},
		"derived text without a mark": {func(m map[string]flow.Answer) {
			m["a"] = flow.Answer{Text: []byte("x"), Meta: flow.AnswerMeta{Kind: flow.AnswerDerived}}
		}, broken},
		"answer of another kind": {func(m map[string]flow.Answer) { m["a"] = flow.Answer{Meta: flow.AnswerMeta{Kind: flow.AnswerSearch}} }, notSub},
	} {
		answers := validAnswers()
		c.apply(answers)
		if r := crawled(answers); c.count(r) == 0 || r.Err() == nil {
			t.Errorf("%s: report is %+v", fault, r)
		}
	}
}

func notSub(r crawl.Report) int  { return r.NotSub }
func overlap(r crawl.Report) int { return r.Overlap }
func badGap(r crawl.Report) int  { return r.BadGap }
func broken(r crawl.Report) int  { return r.Broken }
