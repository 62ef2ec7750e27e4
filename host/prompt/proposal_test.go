package prompt

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
)

func snapshotWith(t *testing.T, docs ...string) *store.Snapshot {
	t.Helper()
	objects, _, err := object.Decode("t.yaml", []byte(strings.Join(docs, "---\n")))
	if err != nil {
		t.Fatal(err)
	}
	return (&store.Snapshot{}).With(objects)
}

func openRequest(name string) string {
	return "kind: PromptRequest\nmetadata: {name: " + name + ", project: home}\nspec: {content: c}\n"
}

func TestProposals(t *testing.T) {
	text, _ := json.Marshal(strings.Repeat("x", MaxProposalBytes+1))
	var many []string
	for i := range MaxOpenProposals {
		many = append(many, openRequest(fmt.Sprint("p", i)))
	}
	for _, tc := range []struct {
		name, proposal string
		there          []string
		want           error
	}{
		{"new prompt", `{"name":"a","content":"c"}`, nil, nil},
		{"with a priority", `{"name":"a","content":"c","priority":9}`, nil, nil},
		{"new content for an existing prompt", `{"name":"a","content":"new"}`, []string{"kind: Prompt\nmetadata: {name: a, project: home}\nspec: {content: old}\n"}, nil},
		{"content of the existing prompt", `{"name":"a","content":"old"}`, []string{"kind: Prompt\nmetadata: {name: a, project: home}\nspec: {content: old}\n"}, abi.ErrConflict},
		{"the prompt is a link", `{"name":"a","content":"new"}`, []string{"kind: Prompt\nmetadata: {name: a, project: home}\nspec: {linkTarget: \"p/s:u://x\"}\n"}, abi.ErrConflict},
		{"proposal of the same name is open", `{"name":"a","content":"new"}`, []string{openRequest("a")}, abi.ErrConflict},
		{"too many open proposals", `{"name":"a","content":"c"}`, many, abi.ErrLimit},
		{"a path for a name", `{"name":"../a","content":"c"}`, nil, abi.ErrConfig},
		{"no content", `{"name":"a","content":" \n"}`, nil, abi.ErrConfig},
		{"too long", `{"name":"a","content":` + string(text) + `}`, nil, abi.ErrLimit},
		{"priority out of range", `{"name":"a","content":"c","priority":11}`, nil, abi.ErrConfig},
		{"a NUL", `{"name":"a","content":"c\u0000"}`, nil, abi.ErrConfig},
		{"unknown field", `{"name":"a","content":"c","project":"work"}`, nil, abi.ErrConfig},
		{"two values", `{"name":"a","content":"c"}{}`, nil, abi.ErrConfig},
		{"no JSON", `name: a`, nil, abi.ErrConfig},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := ParseProposal([]byte(tc.proposal))
			var o object.Object
			if err == nil {
				o, err = Propose(snapshotWith(t, tc.there...), "home", p)
			}
			if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
				t.Fatalf("got %v, want %v", err, tc.want)
			}
			if err == nil && (o.Key() != object.Key{Kind: object.KindPromptRequest, Project: "home", Name: "a"}) {
				t.Errorf("got %s", o.Key())
			}
		})
	}
}

func TestNewApprovedPrompt(t *testing.T) {
	s := snapshotWith(t, "kind: PromptRequest\nmetadata: {name: a, project: home}\nspec: {content: \"c\\n\", priority: 8}\n")
	o, err := NewApprovedPrompt(s, s.PromptRequests("home")[0])
	if err != nil {
		t.Fatal(err)
	}
	if p := o.(*object.Prompt); p.Spec.Content != "c\n" || p.Spec.Priority != 8 || p.Key().Project != "home" {
		t.Errorf("got %+v", p.Spec)
	}
	s = snapshotWith(t, openRequest("a"), "kind: Prompt\nmetadata: {name: a, project: home}\nspec: {linkTarget: \"x/y:z\"}\n")
	if _, err := NewApprovedPrompt(s, s.PromptRequests("home")[0]); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("the prompt is a link: %v", err)
	}
}
