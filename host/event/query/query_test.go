package query

import (
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
)

// call is a tool call with most fields.
var call = event.Event{
	Type: event.ToolCall, Project: "Demo", Session: "s1f3", Client: "claude-code/2.1.154", Method: "tools/call",
	Server: "github", Source: "github/list_issues", Called: "find", InBytes: 60_000, InTokens: 20_000, OutBytes: 3_000, OutTokens: 1_000,
	Micros: 2_500_000, Changed: true,
	Runs:  []flow.RunReport{{Model: "default", Stages: []flow.StageReport{{Role: "paginate", Outcome: "cached"}, {Role: "summarize", Outcome: "done", LLMRequests: 2}}}},
	Hooks: []flow.HookReport{{Role: "gate", Outcome: "done"}},
}

// others are one event of each further kind.
var (
	section  = event.Event{Type: event.SectionRead, Method: "tools/call", Source: "read_section", Section: "issues/4", OutBytes: 900, OutTokens: 300, Micros: 800}
	failing  = event.Event{Type: event.ToolCall, Source: "jira/get", Server: "jira", IsError: true, Error: "Connection refused", Micros: 10}
	withheld = event.Event{Type: event.ToolCall, Source: "jira/get", Runs: []flow.RunReport{{Stages: []flow.StageReport{{Role: "redact", Outcome: "blocked", Error: "x"}}}}}
	hookErr  = event.Event{Type: event.ToolCall, Hooks: []flow.HookReport{{Role: "gate", Outcome: "failed", LLMRequests: 1}}}
	resource = event.Event{Type: event.ResourceRead, Method: "resources/read", Source: "file:///srv/a.txt"}
	reload   = event.Event{Type: event.StageReloaded, Change: &event.Change{Name: "paginate", From: "aa", To: "bb", Reason: "file changed"}}
	switched = event.Event{Type: event.ModelSwitched, Project: "Demo", Change: &event.Change{From: "default", To: "subindex"}}
	paused   = event.Event{Type: event.ContentPaused, Hold: &event.Hold{ID: 1}}
	edited   = event.Event{Type: event.ToolCall, Hold: &event.Hold{ID: 1, Outcome: "edited"}}
	dropped  = event.Event{Type: event.ToolCall, Hold: &event.Hold{ID: 1, Outcome: "dropped"}, IsError: true}
	grown    = event.Event{Type: event.ToolCall, InTokens: 100, OutTokens: 150}
	opened   = event.Event{Type: event.SessionOpened, Session: "s1f3"}
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		event      event.Event
		want       bool
	}{
		{"an empty query matches", "", opened, true},
		{"spaces are an empty query", " \t\n", opened, true},

		{"the whole tool", "tool:github/list_issues", call, true},
		{"the tool without its server", "tool:list_issues", call, true},
		{"part of a tool", "tool:list", call, false},
		{"a glob", "tool:list_*", call, true},
		{"a glob with the server", "tool:git*/list_*", call, true},
		{"a glob in the middle", "tool:l*t*es", call, true},
		{"parts of a glob do not overlap", "tool:list_issues*issues", call, false},
		{"order of the parts of a glob", "tool:*issues*list*", call, false},
		{"only a wildcard", "tool:*", call, true},
		{"only a wildcard, but no tool", "tool:*", opened, false},
		{"the tool that the client called", "tool:find", call, true},
		{"names ignore case", "tool:LIST_Issues project:demo", call, true},
		{"a quoted wildcard is a character", `tool:"list_*"`, call, false},
		{"a drill-down", "tool:read_section", section, true},
		{"a URI", "tool:file:///srv/*", resource, true},
		{"one of two values", "tool:x,list_issues", call, true},
		{"none of two values", "tool:x,y", call, false},
		{"a quoted comma", `tool:"x,list_issues"`, call, false},

		{"method", "method:tools/*", call, true},
		{"another method", "method:resources/read", call, false},
		{"session", "session:s1*", call, true},
		{"server", "server:github", call, true},
		{"no server", "server:*", opened, false},
		{"client without its version", "client:claude-code", call, true},
		{"client with its version", `client:"claude-code/2.1.154"`, call, true},
		{"client by a glob", "client:*2.1*", call, true},
		{"another client", "client:cursor", call, false},
		{"section", "section:issues/*", section, true},
		{"model", "model:default", call, true},
		{"another model", "model:subindex", call, false},
		{"model that a project switched to", "model:subindex", switched, true},
		{"stage", "stage:summarize", call, true},
		{"controller", "stage:gate", call, true},
		{"stage that was reloaded", "stage:paginate", reload, true},
		{"another stage", "stage:redact", call, false},
		{"type", "type:tool_call", call, true},
		{"one of two types", "type:section_read,tool_call", call, true},
		{"another type", "type:section_read", call, false},
		{"types by a glob", "type:content_*", paused, true},

		{"saved percent above", "saved:>90%", call, true},
		{"saved percent below", "saved:<30%", call, false},
		{"saved percent of more tokens", "saved:<0%", grown, true},
		{"saved percent without tokens of the server", "saved:<30%", section, false},
		{"saved tokens", "saved:>=19k", call, true},
		{"saved tokens, exclusive", "saved:>19k", call, false},
		{"a drill-down saves less than nothing", "saved:<-200", section, true},
		{"saved range of percents", "saved:90%..100%", call, true},
		{"size", "size:>50k", call, true},
		{"size in kb", "size:>50kb", call, true},
		{"size, equal", "size:60k", call, true},
		{"size, equal with a sign", "size:=60000", call, true},
		{"size, decimal", "size:<=0.06mb", call, true},
		{"size in upper case", "size:>50KB", call, true},
		{"size of an event without content", "size:<1k", opened, false},
		{"not of a size", "-size:>0", opened, true},
		{"one of two ranges", "size:<1k,>50k", call, true},
		{"inside a range", "out:1k..5k", call, true},
		{"bounds belong to a range", "out:3k..3k", call, true},
		{"outside a range", "out:1k..2k", call, false},
		{"tokens", "tokens:<=1k", call, true},
		{"took seconds", "took:>2s", call, true},
		{"took milliseconds", "took:<2500ms", call, false},
		{"took minutes", "took:<1m", call, true},
		{"took a range of units", "took:500us..1ms", section, true},

		{"held", "held", paused, true},
		{"was held", "held", edited, true},
		{"never held", "held", call, false},
		{"edited", "edited", edited, true},
		{"not edited", "edited", dropped, false},
		{"dropped", "dropped", dropped, true},
		{"an error", "err", failing, true},
		{"no error", "err", call, false},
		{"a controller failed", "err", hookErr, true},
		{"a filter withheld", "err blocked", withheld, true},
		{"cached", "cached", call, true},
		{"llm of a stage", "llm", call, true},
		{"llm of a controller", "llm", hookErr, true},
		{"no llm", "llm", withheld, false},
		{"changed", "changed", call, true},

		{"a word of the source", "issues", call, true},
		{"a word ignores case", "REFUSED", failing, true},
		{"a word of the client", "2.1.154", call, true},
		{"a word of a change", "subindex", switched, true},
		{"a word that is missing", "zebra", call, false},
		{"a phrase in one field", `"connection refused"`, failing, true},
		{"a phrase over two fields", `"jira get"`, failing, false},
		{"a quoted flag is text", `"err"`, failing, false},
		{"a quoted colon is text", `"file:///srv"`, resource, true},
		{"a key without a colon is text", "tool", section, true},

		{"all tokens match", "tool:list_issues size:>50k cached issues", call, true},
		{"one token does not match", "tool:list_issues size:>90k cached issues", call, false},
		{"a negated key", "-tool:list_issues", call, false},
		{"a negated key of an event without it", "-tool:list_issues", opened, true},
		{"a negated word", "-zebra", call, true},
		{"a negated phrase", `-"connection refused"`, failing, false},
		{"a negated flag", "-err", call, true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			q, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := q.Matches(Record{Event: c.event}); got != c.want {
				t.Errorf("%s matches %+v: %v, want %v", c.text, c.event, got, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		offset     int
		token      string
		want       string
	}{
		{"a misspelt key", "err toool:x", 4, "toool", `unknown key "toool" at position 5, did you mean "tool"?`},
		{"a key in upper case", "Tool:x", 0, "Tool", `unknown key "Tool" at position 1, did you mean "tool"?`},
		{"a negated misspelt key", "-serverr:x", 1, "serverr", `unknown key "serverr" at position 2, did you mean "server"?`},
		{"text with a colon", "http://localhost", 0, "http", `unknown key "http" at position 1; quote the token to search for it as text`},
		{"no key", ":x", 0, "", `unknown key "" at position 1; quote the token to search for it as text`},
		{"no value", "tool:", 0, "tool:", `"tool:" at position 1 has no value, for example tool:github/list_*`},
		{"an empty value", "tool:a,,b", 7, "", `empty value "" at position 8`},
		{"a comma at the end", "tool:a,", 7, "", `empty value "" at position 8`},
		{"a flag with a value", "err:yes", 0, "err:yes", `"err:yes" at position 1 has a value, but err takes none`},
		{"a misspelt type", "type:tool_call,tool_cal", 15, "tool_cal", `unknown type "tool_cal" at position 16, did you mean "tool_call"?`},
		{"a glob without types", "type:zebra*", 5, "zebra*", `unknown type "zebra*" at position 6`},
		{"only a minus sign", "a - b", 2, "-", `"-" at position 3 negates nothing; quote it to search for it as text`},
		{"two minus signs", "--err", 0, "--err", `"--err" at position 1 negates nothing; quote it to search for it as text`},
		{"an open quotation mark", `a tool:"b c`, 7, `"b c`, `quotation mark of "\"b c" at position 8 is not closed`},
		{"an escaped closing quotation mark", `"a\"`, 0, `"a\"`, `quotation mark of "\"a\\\"" at position 1 is not closed`},
		{"an empty phrase", `""`, 0, `""`, `"\"\"" at position 1 is empty`},
		{"text after a phrase", `"a"b`, 0, `"a"b`, `"\"a\"b" at position 1 continues after its closing quotation mark`},
		{"a quotation mark in a word", `a"b"`, 0, `a"b"`, `"a\"b\"" at position 1 has a quotation mark inside; write it as \" in quotation marks`},
		{"no figure", "size:large", 5, "large", `invalid value "large" at position 6, want a figure such as size:>50k`},
		{"only an operator", "size:>", 5, ">", `invalid value ">" at position 6, want a figure such as size:>50k`},
		{"two operators", "size:=>5", 5, "=>5", `invalid value "=>5" at position 6, want a figure such as size:>50k`},
		{"a unit of another key", "size:>5s", 5, ">5s", `invalid value ">5s" at position 6, want a figure such as size:>50k`},
		{"a duration without a unit", "took:>2", 5, ">2", `invalid value ">2" at position 6, want a figure such as took:>2s`},
		{"a percentage of bytes", "out:<5%", 4, "<5%", `invalid value "<5%" at position 5, want a figure such as out:>50k`},
		{"a range with one percentage", "saved:5%..10", 6, "5%..10", `invalid value "5%..10" at position 7, want a figure such as saved:<30%`},
		{"a range without an end", "size:5k..", 5, "5k..", `invalid value "5k.." at position 6, want a figure such as size:>50k`},
		{"a range with an operator", "size:>5k..6k", 5, ">5k..6k", `invalid value ">5k..6k" at position 6, want a figure such as size:>50k`},
		{"a reversed range", "size:5k..1k", 5, "5k..1k", `empty range "5k..1k" at position 6`},
		{"a special number", "size:<inf", 5, "<inf", `invalid value "<inf" at position 6, want a figure such as size:>50k`},
		{"a hexadecimal number", "size:0x10", 5, "0x10", `invalid value "0x10" at position 6, want a figure such as size:>50k`},
		{"a number over the range", "size:" + strings.Repeat("9", 400), 5, strings.Repeat("9", 400), `invalid value "9999999999999999999999999999999999999999..." at position 6, want a figure such as size:>50k`},
		{"text that is not UTF-8", "a \xff", 2, "\xff", `"\xff" at position 3 is not UTF-8`},
		{"an escape sequence in an error", "\x1b[2J:x", 0, "\x1b[2J", `unknown key "\x1b[2J" at position 1; quote the token to search for it as text`},
		{"too many tokens", strings.Repeat("a ", 65), 128, "a", `too many tokens: "a" at position 129 is over the limit of 64`},
		{"a text over the limit", strings.Repeat("ä", 2049), 0, strings.Repeat("ä", 2049), `query "` + strings.Repeat("ä", 20) + `..." at position 1 is too long: 4098 bytes, limit 4096`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, err := Parse(c.text)
			var e *SyntaxError
			if !errors.As(err, &e) {
				t.Fatalf("error is %v", err)
			}
			if e.Error() != c.want || e.Offset != c.offset || e.Token != c.token {
				t.Errorf("got  %d %q %s\nwant %d %q %s", e.Offset, e.Token, e, c.offset, c.token, c.want)
			}
			if !errors.Is(err, abi.ErrConfig) {
				t.Error("error is not abi.ErrConfig")
			}
		})
	}
}

// The texts of an event are loaded once, and only if fields do not decide.
func TestTextsAreLoadedIfNeeded(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       bool
		loads      int
	}{
		{"a word of a text", "Zebra", true, 1},
		{"a phrase of a text", `"zebra crossing"`, true, 1},
		{"two words of different texts", "zebra lion", true, 1},
		{"a word that is missing", "tiger", false, 1},
		{"a negated word", "-zebra", false, 1},
		{"a word of a field", "list_issues", true, 0},
		{"no word", "err", false, 0},
		{"another token decides, after the word", "zebra err", false, 0},
	} {
		t.Run(c.rule, func(t *testing.T) {
			loads := 0
			q, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			got := q.Matches(Record{Event: call, Text: func() []string {
				loads++
				return []string{"A ZEBRA crossing", "a lion"}
			}})
			if got != c.want || loads != c.loads {
				t.Errorf("got %v after %d loads, want %v after %d", got, loads, c.want, c.loads)
			}
		})
	}
}

func TestListed(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		of         event.Type
		want       bool
	}{
		{"the default view hides stored contents", "", event.ContentOriginal, false},
		{"and their transformed texts", "", event.ContentTransformed, false},
		{"but shows holds", "", event.ContentPaused, true},
		{"another key does not change that", "tool:x", event.ContentOriginal, false},
		{"a query for types shows them", "type:content_*", event.ContentOriginal, true},
		{"a negated type does not", "-type:request", event.ContentOriginal, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			q, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := q.Listed(c.of); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// The example of each key is a valid token, and no word is a key and a flag.
func TestWordsOfTheLanguage(t *testing.T) {
	for _, k := range Keys() {
		if q, err := Parse(k.Example); err != nil || q.String() != k.Example {
			t.Errorf("%s: %v", k.Example, err)
		}
		if _, ok := flags[k.Name]; ok {
			t.Errorf("%s is a key and a flag", k.Name)
		}
	}
	for _, f := range Flags() {
		if q, err := Parse(f.Name); err != nil || len(q.terms) != 1 || q.terms[0].test != flag(f.Name) {
			t.Errorf("%s is not a flag: %v", f.Name, err)
		}
	}
}

// For random queries and events: String and Parse round-trip, a negated token is the
// complement of the token, and a query is the conjunction of its tokens.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		checkLaws(t, randomQuery(r), randomEvent(r))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "-a", `tool:"a\"b",c* size:1k..5k`, "saved:<-0.5%", `"\\" -"x:y"`, "took:>=1m,<2ms err", "a\u00a0b", "İ:ǅ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Parse(text); err != nil {
			var e *SyntaxError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset+len(e.Token) > len(text) || text[e.Offset:e.Offset+len(e.Token)] != e.Token {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		for _, e := range []event.Event{call, section, failing, switched, edited} {
			checkLaws(t, text, e)
		}
	})
}

func checkLaws(t *testing.T, text string, e event.Event) {
	t.Helper()
	q, err := Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	again, err := Parse(q.String())
	if len(q.String()) > MaxBytes {
		return // quotation marks made it too long
	}
	if err != nil || again.String() != q.String() || len(again.terms) != len(q.terms) {
		t.Fatalf("%q is printed as %q, which is %q, %v", text, q, again, err)
	}
	rec := Record{Event: e, Text: func() []string { return []string{"some Text", e.Error} }}
	if again.Matches(rec) != q.Matches(rec) {
		t.Fatalf("%q and %q match differently", text, q)
	}
	all := true
	for _, one := range q.terms {
		alone := &Query{[]term{one}}
		all = all && alone.Matches(rec)
		one.negated = !one.negated
		if inverse := (&Query{[]term{one}}); inverse.Matches(rec) == alone.Matches(rec) {
			t.Fatalf("%q and %q match alike", alone, inverse)
		}
	}
	if q.Matches(rec) != all {
		t.Fatalf("%q: %v, but its tokens %v", q, q.Matches(rec), all)
	}
}

func randomQuery(r *rand.Rand) string {
	var tokens []string
	for range r.IntN(6) {
		tokens = append(tokens, []string{"", "-"}[r.IntN(2)]+randomToken(r))
	}
	return strings.Join(tokens, " ")
}

func randomToken(r *rand.Rand) string {
	ops := []string{"", "<", "<=", ">", ">=", "="}
	names := []string{"github", "git*", "*", `"a b"`, `"x*,y"`, `"q\"\\"`, "list_issues", "default", "demo"}
	name := func() string { return names[r.IntN(len(names))] }
	value := func() string { return ops[r.IntN(len(ops))] + []string{"0", "1k", "2.5m", "300"}[r.IntN(4)] }
	switch r.IntN(6) {
	case 0:
		return Flags()[r.IntN(len(flags))].Name
	case 1:
		return []string{"some", `"some text"`, "issues", `"err"`, "ä", "a-b", `"-"`, `"a:b"`, "a,b"}[r.IntN(9)]
	case 2:
		return "type:" + string(event.Types[r.IntN(len(event.Types))]) + ",content_*"
	case 3:
		return []string{"size:", "out:", "tokens:", "saved:"}[r.IntN(4)] + value() + "," + value()
	case 4:
		return []string{"took:>1ms", "took:1us..1m", "saved:<30%", "saved:-5%..90%"}[r.IntN(4)]
	}
	keys := []string{"tool", "method", "session", "project", "server", "stage", "model", "section", "client"}
	return keys[r.IntN(len(keys))] + ":" + name() + "," + name()
}

func randomEvent(r *rand.Rand) event.Event {
	list := []event.Event{call, section, failing, withheld, hookErr, resource, reload, switched, paused, edited, dropped, grown, opened}
	e := list[r.IntN(len(list))]
	e.InBytes, e.OutTokens, e.Micros = r.IntN(3000), r.IntN(400), r.Int64N(3000)
	return e
}

func BenchmarkMatches(b *testing.B) {
	q, err := Parse("tool:list_* size:>1k -err zebra")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("some line of a text with Capitals\n", 60)
	for b.Loop() {
		q.Matches(Record{Event: call, Text: func() []string { return []string{text, text} }})
	}
}

// The page about the language contains every key, flag and event type.
func TestPageIsComplete(t *testing.T) {
	page, err := os.ReadFile("../../../docs/query.md")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, k := range Keys() {
		words = append(words, k.Name+":")
	}
	for _, f := range Flags() {
		words = append(words, f.Name)
	}
	for _, w := range append(words, Types()...) {
		if !strings.Contains(string(page), "`"+w+"`") {
			t.Errorf("docs/query.md does not contain `%s`", w)
		}
	}
}
