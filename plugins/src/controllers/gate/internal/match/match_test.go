package match

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// order returns a List in the order of the host.
func order(prompts []controller.Prompt) *List {
	slices.SortFunc(prompts, func(p, q controller.Prompt) int {
		return cmp.Or(q.Priority-p.Priority, strings.Compare(p.Name, q.Name))
	})
	return NewList(shelfOf(prompts))
}

// shelf is a Source with pages of three prompts.
type shelf struct {
	prompts []controller.Prompt
	pages   []*controller.PromptPage
}

func (s *shelf) Len() int                   { return len(s.prompts) }
func (s *shelf) At(i int) controller.Prompt { return s.prompts[i] }
func (s *shelf) Name(i int) string          { return s.prompts[i].Name }

func (s *shelf) Pages() iter.Seq[*controller.PromptPage] { return slices.Values(s.pages) }

func shelfOf(prompts []controller.Prompt) *shelf {
	s := &shelf{prompts: prompts}
	for list := range slices.Chunk(prompts, 3) {
		page := &controller.PromptPage{First: 3 * len(s.pages)}
		for _, p := range list {
			page.Starts, page.Priorities = append(page.Starts, len(page.Text)), append(page.Priorities, p.Priority)
			page.Text += strings.Join(append([]string{p.Name, p.Summary}, p.Chapters...), "\n") + "\n"
		}
		page.Starts = append(page.Starts, len(page.Text))
		s.pages = append(s.pages, page)
	}
	return s
}

func names(prompts *List, found []int) string {
	var s []string
	for _, i := range found {
		s = append(s, prompts.At(i).Name)
	}
	return strings.Join(s, " ")
}

func TestRank(t *testing.T) {
	prompts := order([]controller.Prompt{
		{Name: "stack", Priority: 5, Summary: "Zigbee2MQTT beside Home Assistant", Chapters: []string{"MQTT broker", "Pairing"}},
		{Name: "security-policy", Priority: 8, Summary: "Firewall and VPN", Chapters: []string{"Audit logging"}},
		{Name: "catalog", Priority: 8, Summary: "The catalogue of parts"},
		{Name: "notes", Priority: 2, Summary: "Old notes on mqtt and vpn"},
		{Name: "lighting", Priority: 5, Summary: "How lamps are named"},
	})
	for _, c := range []struct{ rule, keywords, want string }{
		{"score is matching tags by priority", "zigbee mqtt pairing", "stack"},
		{"case does not matter", "VPN", "security-policy notes"},
		{"chapters count", "audit pairing", "security-policy stack"},
		{"more tags outweigh a higher priority", "mqtt pairing vpn", "stack security-policy notes"},
		{"from priority 7 a substring is enough", "log", "catalog security-policy"},
		{"a standard prompt needs the start of a word", "ghting", ""},
		{"the start of a word is enough for a standard prompt", "lamp", "lighting"},
		{"or two keywords within words", "ghting amps", "lighting"},
		{"a reference needs two words", "mqtt zigbee x1 x2", "stack"},
		{"a reference with two words", "mqtt vpn x1 x2", "security-policy stack notes"},
		{"a single keyword is enough for a reference if no other is given", "notes", "notes"},
		{"a digit ends a word: Zigbee2MQTT", "mqtt x1", "stack"},
		{"blanks and hyphens are the same", "home-assistant", "stack"},
		{"a prompt asked for by name is first", "lighting vpn mqtt zigbee pairing", "lighting stack security-policy notes"},
		{"a name with hyphens", "security-policy", "security-policy"},
		{"two letters count at the start of a word only", "al", ""},
		{"nothing matches", "kubernetes", ""},
		{"no keywords", "", ""},
	} {
		if got := names(prompts, Rank(prompts, strings.Fields(c.keywords))); got != c.want {
			t.Errorf("%s: %q selects %q, want %q", c.rule, c.keywords, got, c.want)
		}
	}
}

// At, Name, Named and Places agree.
func TestListLookups(t *testing.T) {
	prompts := order([]controller.Prompt{{Name: "a", Priority: 10}, {Name: "b", Priority: 10}, {Name: "c", Priority: 10}, {Name: "d", Priority: 10}, {Name: "e", Priority: 9}})
	if n := prompts.CountCritical(); n != 4 {
		t.Errorf("%d critical ones, want 4", n)
	}
	if got := Places(prompts, map[string]int{"b": 0, "e": 0, "x": 0}); len(got) != 2 || got["b"] != 1 || got["e"] != 4 {
		t.Errorf("places %v", got)
	}
	if p := prompts.Named("d"); p == nil || p.Name != "d" || prompts.Name(3) != "d" || prompts.Name(4) != "e" || prompts.Named("") != nil {
		t.Errorf("by name %+v", p)
	}
	if n := order(nil).CountCritical(); n != 0 {
		t.Errorf("%d critical ones of none", n)
	}
}

func TestTiesAreOrderedByPriorityThenName(t *testing.T) {
	prompts := order([]controller.Prompt{
		{Name: "d", Priority: 4, Summary: "vpn mqtt"}, // 8
		{Name: "c", Priority: 8, Summary: "vpn"},      // 8
		{Name: "b", Priority: 8, Summary: "mqtt"},     // 8
		{Name: "a", Priority: 3, Summary: "vpn mqtt"}, // 6
	})
	found := Rank(prompts, []string{"vpn", "mqtt"})
	if got := names(prompts, found); got != "b c d a" {
		t.Errorf("%q", got)
	}
}

func TestOtherScripts(t *testing.T) {
	prompts := order([]controller.Prompt{
		{Name: "a", Priority: 5, Summary: "ÜBERGABE der Schicht"},
		{Name: "b", Priority: 5, Summary: "部屋の照明を設定する"},
	})
	for keyword, want := range map[string]string{"übergabe": "a", "照明": "b", "schicht": "a"} {
		if got := names(prompts, Rank(prompts, []string{keyword})); got != want {
			t.Errorf("%s: %q, want %q", keyword, got, want)
		}
	}
}

// The finder agrees with strings.Contains for each keyword.
func TestFinderAgreesWithContains(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	text := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abAB1-_ "[rnd.Intn(8)]
		}
		return string(b)
	}
	gaps := strings.NewReplacer("-", " ", "_", " ")
	for range 20_000 {
		var keywords []string
		for range 1 + rnd.Intn(6) {
			keywords = append(keywords, "a"+text(2+rnd.Intn(4)))
		}
		hay := text(rnd.Intn(40))
		var want uint32
		for i, k := range keywords {
			if strings.Contains(gaps.Replace(strings.ToLower(hay)), gaps.Replace(strings.ToLower(k))) {
				want |= 1 << i
			}
		}
		found := matched{}
		for page := range shelfOf([]controller.Prompt{{Name: "b", Summary: hay}}).Pages() {
			newFinder(keywords).search(page, func(_ int, m matched) { found = m })
		}
		if found.tags != bits.OnesCount32(want) {
			t.Fatalf("%q in %q: %d, want %b", keywords, hay, found.tags, want)
		}
	}
}

// library returns a project of n prompts of about 240 bytes each.
func library(n int) *List {
	topics := strings.Fields("zigbee lights mqtt pairing automation firewall vpn backup release naming audit tokens review schema deploy")
	rnd := rand.New(rand.NewSource(2))
	word := func() string { return topics[rnd.Intn(len(topics))] }
	prompts := make([]controller.Prompt, n)
	for i := range prompts {
		prompts[i] = controller.Prompt{
			Name: fmt.Sprintf("%s-%s-%05d", word(), word(), i), Priority: 1 + 9*(n-i)/n,
			Summary:  "What holds for " + word() + " where it meets " + word() + " and who is asked before anything of it is changed by anyone at all",
			Chapters: []string{"Rules for " + word(), "Who decides", "Exceptions and " + word(), "What was tried before", "Contacts"},
		}
	}
	return order(prompts)
}

func BenchmarkRank10000(b *testing.B) {
	prompts := library(10_000)
	keywords := []string{"zigbee", "lights", "mqtt", "pairing", "automation"}
	for b.Loop() {
		Rank(prompts, keywords)
	}
}
