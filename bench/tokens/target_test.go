package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/bench/internal/count"
	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

// Each picker finds the expected targets, as path and bytes.
func TestCandidates(t *testing.T) {
	pad := strings.Repeat("x", minTarget)
	tests := []struct {
		name, kind, text string
		want             []string
	}{
		{"every value below the root", "json", `{"a": ["` + pad + `", 1], "b":{"c" :"y` + pad + `"}}`, []string{
			`a/0: "` + pad + `"`, `a: ["` + pad + `", 1]`, `b/c: "y` + pad + `"`, `b: {"c" :"y` + pad + `"}`,
		}},
		{"every element below the root", "xml", `<r><!-- c --><a k="` + pad + `"/><b><c>` + pad + `</c></b></r>`, []string{
			`r/a: <a k="` + pad + `"/>`, `r/b/c: <c>` + pad + `</c>`, `r/b: <b><c>` + pad + `</c></b>`,
		}},
		{"a heading up to the next one", "prose", "# A\n\n" + pad + "\n\n## B\n\n```\n# no\n```\n" + pad + "\n", []string{
			"A: # A\n\n" + pad + "\n\n", "A/B: ## B\n\n```\n# no\n```\n" + pad + "\n",
		}},
		{"a heading in HTML", "html", "<p>x</p><h2 id=a>A <b>b</b></h2>" + pad, []string{"A b: <h2 id=a>A <b>b</b></h2>" + pad}},
		{"a key's block", "yaml", "a:\n  b: |\n    " + pad + "\n    k: no\n  c: " + pad + "\n# of d\nd:\n- e: " + pad + "\n", []string{
			"a/b:   b: |\n    " + pad + "\n    k: no\n", "a/c:   c: " + pad + "\n",
			"a: a:\n  b: |\n    " + pad + "\n    k: no\n  c: " + pad + "\n",
			"d/0/e: - e: " + pad + "\n", "d: d:\n- e: " + pad + "\n",
		}},
		{"keys in lists", "yaml", "a:\n  - b: " + pad + "\n  -\n    c:\n    - - d: " + pad + "\n      - e: " + pad + "\nf: " + pad + "\n", []string{
			"a/0/b:   - b: " + pad + "\n", "a/1/c/0/0/d:     - - d: " + pad + "\n", "a/1/c/0/1/e:       - e: " + pad + "\n",
			"a/1/c:     c:\n    - - d: " + pad + "\n      - e: " + pad + "\n", "a: a:\n  - b: " + pad + "\n  -\n    c:\n    - - d: " + pad + "\n      - e: " + pad + "\n", "f: f: " + pad + "\n",
		}},
		{"a function with its comment", "go", "package p\n\n// F does.\nfunc F() {\n\t" + pad + "()\n}\n", []string{"F: // F does.\nfunc F() {\n\t" + pad + "()\n}\n"}},
		{"a line without its end", "lines", "short\n" + pad + "\r\n", []string{"line 2: " + pad}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkCandidates(t, tt.kind, tt.text, tt.want)
		})
	}
}

// checkCandidates checks the targets of a text, as path and bytes.
func checkCandidates(t *testing.T, kind, text string, want []string) {
	t.Helper()
	all, err := candidates(kind, text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		got = append(got, strings.Join(c.path, "/")+": "+text[c.start:c.end])
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// A hunt that does not find its target costs the whole content.
func TestFailedHuntCostsWholeContent(t *testing.T) {
	counter, err := count.New()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("one line of some words\n", 400)
	p := &product{count: counter, file: file{text: text}}
	root := &node{answer: answer{tokens: 7}}
	hunted := func() hunt {
		t.Helper()
		h, err := p.huntPerfect(t.Context(), root, target{start: 100, end: 200})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if h := hunted(); h.found || h.tokens != 7+counter.Tokens(text) {
		t.Errorf("hunt %+v, want not found and %d tokens", h, 7+counter.Tokens(text))
	}
	across := []*node{{id: "a/b/c", answer: answer{tokens: 50}, spans: []span{{0, 150}}}, {id: "a/b/d", spans: []span{{150, len(text)}}}}
	root.children = across
	p.known = map[string]answer{"a/b!": {}} // does not contain the target
	if h, want := hunted(), 7+2*callCost+counter.Tokens(text[:150])+counter.Tokens(text[150:]); !h.found || h.tokens != want || h.calls != 2 {
		t.Errorf("hunt %+v, want found with %d tokens in 2 calls", h, want)
	}
	p.known["a/b!"] = answer{Answer: rig.Answer{Text: text[90:210]}, tokens: 30} // the common path of all children
	if h, want := hunted(), 7+callCost+30; !h.found || h.tokens != want || h.calls != 1 {
		t.Errorf("hunt %+v, want found with %d tokens in 1 call", h, want)
	}
	// A target between the parts of a group is found through the group.
	root.children = []*node{{answer: answer{tokens: 9}, spans: []span{{0, 150}, {152, 400}}, children: across}, {spans: []span{{400, len(text)}}}}
	if h, want := hunted(), 7+callCost+9+callCost+30; !h.found || h.tokens != want || h.calls != 2 {
		t.Errorf("hunt %+v, want found with %d tokens in 2 calls", h, want)
	}
}
