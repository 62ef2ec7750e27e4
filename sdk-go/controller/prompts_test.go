package controller_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
)

func init() {
	controller.Register("looker", controller.Hooks{ToolCall: func(c *controller.Ctx) error { return look(c) }})
}

// look is the hook of the controller looker.
var look func(c *controller.Ctx) error

// withPrompts runs f in a hook of a project with these prompts.
func withPrompts(t testing.TB, prompts []controllertest.Prompt, f func(c *controller.Ctx)) {
	t.Helper()
	look = func(c *controller.Ctx) error { f(c); return controller.Pass }
	s := &controllertest.Session{Role: "looker", Prompts: prompts, Tools: []controllertest.Tool{{Name: "a/b"}}}
	if e := s.Call("a/b", "{}"); e.Outcome != "pass" {
		t.Fatalf("%+v", e)
	}
}

// randomPrompts returns n prompts with texts of all kinds.
func randomPrompts(dice *rand.Rand, n int) []controllertest.Prompt {
	pieces := []string{"a", "gate", " ", "é", "日本", "😀", `"`, `\`, "\t", "{", "]", ","}
	text := func() (s string) {
		for range dice.IntN(9) {
			s += pieces[dice.IntN(len(pieces))]
		}
		return s
	}
	list := make([]controllertest.Prompt, n)
	for i := range list {
		p := controllertest.Prompt{Name: fmt.Sprintf("p%03d", i), Priority: 1 + dice.IntN(10), Summary: text(), Body: text()}
		for range dice.IntN(4) {
			p.Chapters = append(p.Chapters, text()+".")
		}
		if dice.IntN(5) == 0 {
			p.Link, p.LinkStatus, p.Project = "p/s:"+text(), []string{"alive", "dead", "unknown"}[dice.IntN(3)], "other"
		}
		list[i] = p
	}
	return list
}

// Prompts, At and Pages return the same prompts, in the order of priority and name.
func TestPromptsAtAndPagesAgree(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 127, 128, 129, 700} {
		wrote := randomPrompts(dice, n)
		withPrompts(t, wrote, func(c *controller.Ctx) {
			all := slices.Collect(c.Prompts())
			l, err := c.PromptList()
			if err != nil || l.Len() != n || len(all) != n {
				t.Fatalf("%d prompts: %d in the list, %d from Prompts, %v", n, l.Len(), len(all), err)
			}
			for i, p := range all {
				if q := l.At(i); !reflect.DeepEqual(p, q) || l.Name(i) != p.Name {
					t.Fatalf("prompt %d: %+v, one by one %+v", i, p, q)
				}
				if i > 0 && (all[i-1].Priority < p.Priority || all[i-1].Priority == p.Priority && all[i-1].Name > p.Name) {
					t.Errorf("%s follows %s", p.Name, all[i-1].Name)
				}
				w := wrote[slices.IndexFunc(wrote, func(w controllertest.Prompt) bool { return w.Name == p.Name })]
				if p.Summary != w.Summary || !slices.Equal(p.Chapters, w.Chapters) || p.Priority != w.Priority || p.Link != w.Link || p.LinkStatus != w.LinkStatus ||
					p.Bytes != len(w.Body) || len(p.Hash) != 64 || p.Project == "" {
					t.Fatalf("read %+v, want %+v", p, w)
				}
			}
			seen := 0
			for page := range l.Pages() {
				for i := range page.Len() {
					p := all[page.First+i]
					want := strings.Join(append([]string{p.Name, p.Summary}, p.Chapters...), "\n") + "\n"
					if got := page.Text[page.Starts[i]:page.Starts[i+1]]; got != want || page.Name(i) != p.Name || page.Priorities[i] != p.Priority {
						t.Fatalf("page has %q of priority %d, want %q of %+v", got, page.Priorities[i], want, p)
					}
					seen++
				}
			}
			if seen != n {
				t.Errorf("%d prompts on pages, want %d", seen, n)
			}
		})
	}
}

// A list that is created after the body was read has its ref.
func TestPromptHasRefAfterItWasRead(t *testing.T) {
	withPrompts(t, []controllertest.Prompt{{Name: "a", Body: "text"}}, func(c *controller.Ctx) {
		before, _ := c.PromptList()
		if _, err := c.PromptBody("a"); err != nil {
			t.Fatal(err)
		}
		after, _ := c.PromptList()
		if before.At(0).Ref != "" || len(after.At(0).Ref) != 16 {
			t.Errorf("ref %q, then %q", before.At(0).Ref, after.At(0).Ref)
		}
	})
}

func TestPromptsStopWhenAsked(t *testing.T) {
	withPrompts(t, randomPrompts(rand.New(rand.NewPCG(3, 4)), 600), func(c *controller.Ctx) {
		n := 0
		for range c.Prompts() {
			if n++; n == 300 {
				break
			}
		}
		l, _ := c.PromptList()
		for range l.Pages() {
			n++
			break
		}
		if n != 301 {
			t.Errorf("%d, want 300 prompts and one page", n)
		}
	})
}

// A page reuses the memory of the previous one.
func TestPagesShareMemory(t *testing.T) {
	withPrompts(t, randomPrompts(rand.New(rand.NewPCG(5, 6)), 2000), func(c *controller.Ctx) {
		l, _ := c.PromptList()
		pages := func() {
			for range l.Pages() {
			}
		}
		pages()
		if n := testing.AllocsPerRun(10, pages); n > 48 { // the test host allocates once per import
			t.Errorf("%v allocations for 16 pages", n)
		}
	})
}

func BenchmarkPages(b *testing.B) {
	withPrompts(b, randomPrompts(rand.New(rand.NewPCG(7, 8)), 10_000), func(c *controller.Ctx) {
		l, _ := c.PromptList()
		for b.Loop() {
			for range l.Pages() {
			}
		}
	})
}
