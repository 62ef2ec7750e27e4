package studio

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

var update = flag.Bool("update", false, "write the golden files")

func frameText(m *Model) string {
	var b strings.Builder
	for _, l := range m.Frame() {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

// checkFrame fails if a line of the screen is not exactly as wide as the terminal.
func checkFrame(t *testing.T, m *Model) {
	t.Helper()
	lines := m.Frame()
	if len(lines) != max(m.height, 0) && m.width > 0 {
		t.Fatalf("%dx%d: %d lines", m.width, m.height, len(lines))
	}
	for i, l := range lines {
		if l.Width() != m.width || ansi.StringWidth(l.Render()) > m.width || ansi.StringWidthWc(l.Render()) > m.width {
			t.Fatalf("%dx%d: line %d takes %d cells, %d on a terminal: %q", m.width, m.height, i, l.Width(), ansi.StringWidth(l.Render()), l.String())
		}
	}
}

// trafficOf returns a daemon with calls, an error, and events of other types.
func trafficOf(t *testing.T) *daemon {
	t.Helper()
	d := newDaemon()
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	run := api.Run{Model: "subindex", Type: "json-array", Stages: []api.RunStage{
		{Role: "section-split", ModuleHash: "aaaaaaaaaaaaaaaa", Outcome: "done", Micros: 43_500, InBytes: 400, OutBytes: 120},
		{Role: "summarize-tree", ModuleHash: "bbbbbbbbbbbbbbbb", Outcome: "pass", Micros: 470, InBytes: 120, OutBytes: 120},
	}}
	d.events = []api.Event{
		{ID: 1, Type: "session_opened", Client: "claude-code/2", Session: "s1"},
		{ID: 2, Type: "request", Method: "tools/list", Micros: 3000},
		{ID: 5, Type: "tool_call", Source: "home/get_flows", In: 43_123, Out: 567, Micros: 104_000, Changed: true, Refs: []string{"r"}, Runs: []api.Run{run}},
		{ID: 8, Type: "tool_call", Source: "home/get", IsError: true, Error: "no such id \x1b[2J\nmore", Micros: 900},
		{ID: 9, Type: "section_read", Source: "home/get_flows", Section: "items.3", In: 90, Out: 90, Refs: []string{"r"}},
		{ID: 10, Type: "stage_reloaded", Change: &api.Change{Name: "shout", From: strings.Repeat("a", 64), To: strings.Repeat("b", 64)}},
		{ID: 12, Type: "tool_call", Source: "home/list", In: 1200, Out: 300, Micros: 2_300_000, Changed: true, Refs: []string{"r"}, Runs: []api.Run{run}},
	}
	for i := range d.events {
		d.events[i].Time = at.Add(time.Duration(i) * time.Second)
	}
	before, after := "# Title\n\nThe quick brown fox jumps.\nunchanged\nremoved line\n", "# Title\n\nThe slow brown fox jumps.\nunchanged\nadded line\n"
	d.bodies[12] = [2][]string{{before, `{"a": 1, "b": [1, 2]}`}, {after, `{"a": 2, "b": [1]}`}}
	d.bodies[5] = [2][]string{{strings.Repeat("a long original text ", 40)}, {"short"}}
	d.bodies[9] = [2][]string{{"section text"}, {"section text"}}
	d.replay = api.Replay{Parts: []api.ReplayPart{{Text: after, Same: true, Tokens: 20, Stages: []api.ReplayStage{
		{Role: "section-split", Outcome: "done", Module: "aaaaaaaaaaaaaaaaffff", Micros: 3100, Text: "first output\n", Meta: map[string]string{"type": "json-array"}},
		{Role: "summarize-tree", Outcome: "failed", Error: "no\x1b[1m LLM", Module: "cccccccccccccccc", Micros: 10, Text: "second output\n", Log: []string{"a\nlog"}},
	}}, {Text: "another", Tokens: 2, Stages: []api.ReplayStage{{Role: "new-stage", Outcome: "done", Text: "another"}}}}}
	d.sessions = []api.Session{{ID: "s1", Client: "claude-code/2", Open: true, Events: 7, Held: 1}, {ID: "s2", Client: "日本語クライアント\x1b[1m", Events: 3}}
	return d
}

var hostileText = "\x1b[31mred\x1b[0m\tTab\t|\n日本語の長いテキスト、幅は二倍です。" + strings.Repeat("語", 60) + "\n👩‍👩‍👧‍👦 ❤️ 🇩🇪 👍🏽 e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\n" +
	"\u202ereversed\u202c \u200bzero\u200b \U000e0041tag\r\n\x1b]0;title\a\x9b2J\n" + strings.Repeat("x", 1<<20) + "\nafter the long line\n"

// TestFrames compares screens with golden files, at three sizes.
func TestFrames(t *testing.T) {
	hostile := func(t *testing.T) *daemon {
		d := trafficOf(t)
		d.events = append(d.events, api.Event{ID: 20, Type: "tool_call", Source: "日本語サーバー/ツール👩‍👧\x1b[31m\u202e", In: 1 << 20, Out: 9, Changed: true, Refs: []string{"r"}, Time: d.events[0].Time})
		d.bodies[20] = [2][]string{{hostileText}, {strings.Replace(hostileText, "Tab", "tab", 1)}}
		return d
	}
	for _, tc := range []struct {
		name   string
		daemon func(*testing.T) *daemon
		opt    func(*Options)
		keys   []string
	}{
		{name: "transformed", daemon: trafficOf},
		{name: "original", daemon: trafficOf, keys: []string{"o", "o"}},
		{name: "difference", daemon: trafficOf, keys: []string{"o"}},
		{name: "tokens", daemon: trafficOf, keys: []string{"t"}},
		{name: "stage", daemon: trafficOf, keys: []string{"]]"}},
		{name: "stage-difference", daemon: trafficOf, keys: []string{"[", "o"}},
		{name: "replay", daemon: trafficOf, keys: []string{"R", "enter"}},
		{name: "error", daemon: trafficOf, keys: []string{"kkk"}},
		{name: "missing", daemon: func(t *testing.T) *daemon { d := trafficOf(t); delete(d.bodies, 12); return d }},
		{name: "sessions", daemon: trafficOf, keys: []string{"s", "j"}},
		{name: "models", daemon: trafficOf, keys: []string{"m"}},
		{name: "help", daemon: trafficOf, keys: []string{"?"}},
		{name: "read-only", daemon: trafficOf, opt: func(o *Options) { o.ReadOnly = true }, keys: []string{"p"}},
		{name: "expanded", daemon: trafficOf, keys: []string{"enter"}},
		{name: "query", daemon: trafficOf, keys: []string{"/", "bad", "enter"}},
		{name: "empty", daemon: func(*testing.T) *daemon { return newDaemon() }},
		{name: "hostile", daemon: hostile},
		{name: "hostile-difference", daemon: hostile, keys: []string{"o", "end"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, size := range [][2]int{{60, 15}, {80, 24}, {200, 60}} {
				onTerminal(t, tc.daemon(t), size[0], size[1], tc.opt, func(x *terminal) {
					x.keys(tc.keys...)
					checkFrame(t, x.m)
					compareGolden(t, fmt.Sprintf("%s-%dx%d", tc.name, size[0], size[1]), x.text())
				})
			}
		})
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "frames", name+".txt")
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// TestNoLineIsWiderThanTheTerminal presses random keys on screens of random sizes.
func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	pieces := []string{"x", "日本", "👩‍👧", "\x1b[1m", "\t", "e\u0301", "\n", "\u202e", "❤️", " ", "\xff", "word"}
	random := func() string {
		var b strings.Builder
		for range r.IntN(80) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	keys := []string{"j", "k", "o", "]", "[", "R", "t", "s", "m", "?", "enter", "esc", "up", "down", "pgdown", "G", "g", "e", "/", ":", "i", "q", "n", "c", "x", "日", "ctrl+s", "y", "end", "d"}
	for range 40 {
		d := trafficOf(t)
		for i := range d.events {
			e := &d.events[i]
			e.Source, e.Error, e.Section = random(), random(), random()
			d.bodies[e.ID] = [2][]string{{random(), random()}, {random()}}
		}
		onTerminal(t, d, 80, 24, nil, func(x *terminal) {
			d.hold(30, 3, []string{random()}, []string{random(), random()})
			x.wait(2 * time.Second)
			for range 30 {
				x.send(tea.WindowSizeMsg{Width: r.IntN(210), Height: r.IntN(50)})
				x.keys(keys[r.IntN(len(keys))])
				checkFrame(t, x.m)
			}
		})
	}
}

func TestHeldAnswerIsEditedAndReleased(t *testing.T) {
	d := trafficOf(t)
	onTerminal(t, d, 80, 24, nil, func(x *terminal) {
		x.keys("p")
		if !d.rule.All || !strings.Contains(x.text(), "HOLD ALL") {
			t.Fatalf("rule %+v\n%s", d.rule, x.text())
		}
		d.hold(30, 3, []string{"the original"}, []string{"first", "second"})
		x.wait(1300 * time.Millisecond)
		if text := x.text(); !strings.Contains(text, "1 held") || !strings.Contains(text, "held: home/get") || !strings.Contains(text, "0:43") || !strings.Contains(text, "second") {
			t.Fatalf("held answer:\n%s", text)
		}
		x.keys("e", "X", "ctrl+s")
		if text := x.text(); !strings.Contains(text, "+ Xfirst") || !strings.Contains(text, "V reverts") {
			t.Fatalf("edited answer:\n%s", text)
		}
		x.keys("V")
		if text := x.text(); !strings.Contains(text, "reverted") || x.m.holds.isEdited(3) {
			t.Fatalf("reverted:\n%s", text)
		}
		x.keys("e", "Y", "ctrl+s", "r")
		if want := []string{"edit Yfirst second"}; !slices.Equal(d.released, want) {
			t.Fatalf("released %q, want %q", d.released, want)
		}
		if text := x.text(); strings.Contains(text, "held: home/get") || !strings.Contains(text, "released with the edit") {
			t.Fatalf("released:\n%s", text)
		}
		d.add(api.Event{ID: 31, Type: "content_edited", Source: "home/get", Time: time.Now(), Refs: []string{"r"}, Hold: &api.HoldEnd{ID: 3, Outcome: "edited"}},
			api.Event{ID: 32, Type: "content_released", Source: "home/get", Time: time.Now(), Hold: &api.HoldEnd{ID: 3, Outcome: "edited"}})
		x.wait(time.Second)
		d.corrections = []api.Correction{{ID: "far", SourceName: "home/get", Timestamp: time.Now().Add(-time.Hour)}, {ID: "c1", SourceName: "home/get", Timestamp: time.Now()},
			{ID: "c2", SourceName: "home/get", Timestamp: time.Now()}, {ID: "other", SourceName: "x", Timestamp: time.Now()}}
		x.keys("x")
		if want := []string{"c1", "c2"}; !slices.Equal(x.saved, want) {
			t.Fatalf("saved %q, want %q", x.saved, want)
		}
	})
}

// An answer that was sent while its text was edited gets no edit, and a message says so.
func TestEditOfSentAnswer(t *testing.T) {
	d := trafficOf(t)
	onTerminal(t, d, 80, 24, nil, func(x *terminal) {
		d.hold(30, 3, []string{"original"}, []string{"shown"})
		x.wait(1300 * time.Millisecond)
		x.keys("e", "X")
		d.mu.Lock()
		d.held = nil
		d.mu.Unlock()
		x.wait(3 * time.Second)
		x.keys("ctrl+s")
		if text := x.text(); !strings.Contains(text, "the answer was sent before the edit was kept") || len(x.m.holds.edits) > 0 {
			t.Errorf("edits %v:\n%s", x.m.holds.edits, text)
		}
	})
}

// An edit that is kept before the holds are listed again is kept.
func TestEditOfNewAnswer(t *testing.T) {
	d := trafficOf(t)
	onTerminal(t, d, 80, 24, nil, func(x *terminal) {
		x.wait(1300 * time.Millisecond)
		d.hold(30, 3, []string{"original"}, []string{"shown"})
		x.wait(100 * time.Millisecond)
		x.keys("e", "X", "ctrl+s")
		if text := x.text(); strings.Contains(text, "was sent") || len(x.m.holds.edits) != 1 {
			t.Errorf("edits %v:\n%s", x.m.holds.edits, text)
		}
	})
}

func TestSteering(t *testing.T) {
	for _, tc := range []struct {
		name     string
		keys     []string
		released []string
		rule     api.HoldRule
		quit     bool
		text     string
	}{
		{"release", []string{"r"}, []string{"release"}, api.HoldRule{}, false, "released"},
		{"drop is confirmed", []string{"d", "y"}, []string{"drop"}, api.HoldRule{}, false, "dropped"},
		{"drop is declined", []string{"d", "n"}, nil, api.HoldRule{}, false, "held: home/get"},
		{"release all", []string{"A"}, []string{"all"}, api.HoldRule{}, false, "1 answer released"},
		{"hold by query", []string{"i", "tool:x", "enter"}, nil, api.HoldRule{Query: "tool:x"}, false, "hold tool:x"},
		{"invalid hold query", []string{"i", "bad", "enter"}, nil, api.HoldRule{}, false, `unknown word "bad"`},
		{"hold all twice", []string{"p", "p"}, nil, api.HoldRule{}, false, "A releases them"},
		{"quit asks", []string{"q"}, nil, api.HoldRule{}, false, "1 answer is held: release and quit? [y/N]"},
		{"quit is declined", []string{"q", "n"}, nil, api.HoldRule{}, false, "held: home/get"},
		{"quit releases and turns its rule off", []string{"p", "q", "y"}, []string{"all"}, api.HoldRule{}, true, ""},
		{"a discarded edit is not sent", []string{"e", "X", "esc", "r"}, []string{"release"}, api.HoldRule{}, false, "released"},
		{"an unchanged edit is not sent", []string{"e", "ctrl+s", "r"}, []string{"release"}, api.HoldRule{}, false, "released"},
		{"released held answers are found", []string{"gg", ":", "holds", "enter", "r"}, []string{"release"}, api.HoldRule{}, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := trafficOf(t)
			onTerminal(t, d, 80, 24, nil, func(x *terminal) {
				d.hold(30, 3, []string{"original"}, []string{"shown"})
				x.wait(1300 * time.Millisecond)
				x.keys(tc.keys...)
				if !slices.Equal(d.released, tc.released) || d.rule != tc.rule || x.hasQuit != tc.quit || !strings.Contains(x.text(), tc.text) {
					t.Errorf("released %q, rule %+v, quit %v:\n%s", d.released, d.rule, x.hasQuit, x.text())
				}
			})
		})
	}
}

// After a release the next held answer is selected, also if the list does not follow.
func TestNextHeldAnswerIsSelected(t *testing.T) {
	d := trafficOf(t)
	onTerminal(t, d, 80, 24, nil, func(x *terminal) {
		d.hold(30, 3, []string{"a"}, []string{"first"})
		d.hold(31, 4, []string{"a"}, []string{"second"})
		d.add(api.Event{ID: 32, Type: "tool_call", Source: "home/other"})
		x.wait(1300 * time.Millisecond)
		x.m.list.jump(31)
		x.keys("r")
		if e, ok := x.m.list.current(); !ok || e.ID != 30 {
			t.Errorf("selected %+v:\n%s", e, x.text())
		}
	})
}

func TestOldestHeldAnswerIsSelected(t *testing.T) {
	d := trafficOf(t)
	onTerminal(t, d, 80, 24, nil, func(x *terminal) {
		d.hold(30, 3, []string{"a"}, []string{"first"})
		x.wait(1300 * time.Millisecond)
		d.hold(31, 4, []string{"a"}, []string{"second"})
		d.add(api.Event{ID: 32, Type: "tool_call", Source: "home/other"})
		x.wait(1300 * time.Millisecond)
		x.keys("e", "X", "ctrl+s", "r", "r")
		if want := []string{"edit Xfirst", "release"}; !slices.Equal(d.released, want) || x.m.list.selected != 32 {
			t.Errorf("released %q, want %q; selected %d", d.released, want, x.m.list.selected)
		}
	})
}

func TestReadOnlyScreenDoesNotSteer(t *testing.T) {
	d := trafficOf(t)
	onTerminal(t, d, 80, 24, func(o *Options) { o.ReadOnly = true }, func(x *terminal) {
		d.hold(30, 3, []string{"original"}, []string{"shown"})
		x.wait(1300 * time.Millisecond)
		for _, key := range []string{"p", "i", "e", "V", "r", "d", "A", "m", "u", "x"} {
			x.keys(key)
			if text := x.text(); !strings.Contains(text, "read only; to steer: mcpctl console") {
				t.Errorf("%s:\n%s", key, text)
			}
		}
		x.keys("q")
		if !x.hasQuit || len(d.released) > 0 || d.rule.All || d.model != "subindex" {
			t.Errorf("quit %v, released %q, rule %+v, model %s", x.hasQuit, d.released, d.rule, d.model)
		}
	})
}

func TestProxyModelIsSwitchedAndRestored(t *testing.T) {
	d := trafficOf(t)
	d.model = ""
	onTerminal(t, d, 80, 24, nil, func(x *terminal) {
		x.keys("m", "jj", "enter")
		if d.model != "mine" || !strings.Contains(x.text(), "model mine") {
			t.Fatalf("model %q:\n%s", d.model, x.text())
		}
		x.keys("u")
		if d.model != "" || !strings.Contains(x.text(), "model default") {
			t.Fatalf("model %q:\n%s", d.model, x.text())
		}
		x.keys("u")
		if !strings.Contains(x.text(), "no switch") {
			t.Errorf("nothing to undo:\n%s", x.text())
		}
	})
}

func TestScreenReconnects(t *testing.T) {
	d := trafficOf(t)
	onTerminal(t, d, 80, 24, nil, func(x *terminal) {
		x.keys("p")
		d.stop()
		d.rule = api.HoldRule{}
		x.wait(2 * time.Second)
		if text := x.text(); !strings.Contains(text, "NO DAEMON") || !strings.Contains(text, "home/list") {
			t.Fatalf("without a daemon:\n%s", text)
		}
		d.start()
		d.add(api.Event{ID: 1, Type: "tool_call", Source: "home/new"})
		x.wait(4 * time.Second)
		if text := x.text(); !strings.Contains(text, "are no longer held") || strings.Contains(text, "NO DAEMON") || strings.Contains(text, "home/list") || !strings.Contains(text, "home/new") {
			t.Errorf("with a new daemon:\n%s", text)
		}
	})
}

func TestQueryAndCommands(t *testing.T) {
	d := trafficOf(t)
	onTerminal(t, d, 80, 24, nil, func(x *terminal) {
		x.keys("/", "bad", "enter")
		if text := x.text(); !strings.Contains(text, `query:1: unknown word "bad"`) || !strings.Contains(text, "/bad") {
			t.Fatalf("invalid query:\n%s", text)
		}
		x.keys("backspace", "backspace", "backspace", "tool:x", "enter")
		if last := d.queries[len(d.queries)-1]; last != "tool:x" || !strings.Contains(x.text(), "query tool:x") {
			t.Fatalf("query %q:\n%s", last, x.text())
		}
		x.keys("esc")
		if last := d.queries[len(d.queries)-1]; last != "" {
			t.Fatalf("query %q", last)
		}
		x.wait(time.Second) // its events have arrived
		x.keys(":5", "enter")
		if x.m.list.selected != 5 {
			t.Errorf("selected %d", x.m.list.selected)
		}
		x.keys(":hodls", "enter")
		if !strings.Contains(x.text(), "did you mean holds") {
			t.Errorf("unknown command:\n%s", x.text())
		}
		x.keys("s", "j", "enter")
		if last := d.queries[len(d.queries)-1]; last != "session:s1" {
			t.Errorf("query of a session: %q", last)
		}
		x.keys("esc")
		x.wait(time.Second) // the events of all sessions have arrived
		x.keys("G", "y")
		if !strings.Contains(x.clip, "The slow brown fox") {
			t.Errorf("copied %q", x.clip)
		}
		x.keys("c")
		d.add(api.Event{ID: 40, Type: "tool_call", Source: "home/later"})
		x.wait(time.Second)
		if text := x.text(); strings.Contains(text, "home/list") || !strings.Contains(text, "home/later") {
			t.Errorf("cleared list:\n%s", text)
		}
		x.keys(":q", "enter")
		if !x.hasQuit {
			t.Error("did not quit")
		}
	})
}

func TestSelectionStaysWhileEventsArrive(t *testing.T) {
	d := trafficOf(t)
	onTerminal(t, d, 80, 24, nil, func(x *terminal) {
		x.keys("k")
		d.add(api.Event{ID: 50, Type: "tool_call", Source: "home/later"})
		x.wait(time.Second)
		if x.m.list.selected != 10 {
			t.Errorf("selected %d", x.m.list.selected)
		}
		x.keys("G")
		d.add(api.Event{ID: 51, Type: "tool_call", Source: "home/last"})
		x.wait(time.Second)
		if x.m.list.selected != 51 {
			t.Errorf("selected %d while following", x.m.list.selected)
		}
	})
}

func TestRedrawsAreLimited(t *testing.T) {
	var p pacer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var drawn []time.Time
	for range 5000 { // a message each millisecond
		if p.take(now) == 0 {
			drawn = append(drawn, now)
		}
		now = now.Add(time.Millisecond)
	}
	for i := range drawn {
		n := 0
		for _, at := range drawn[i:] {
			if at.Sub(drawn[i]) < time.Second {
				n++
			}
		}
		if n > 20 {
			t.Fatalf("%d redraws in the second after %v", n, drawn[i])
		}
	}
	if p = (pacer{}); p.take(now) != 0 || p.take(now.Add(200*time.Millisecond)) != 0 {
		t.Error("a single key is not drawn at once")
	}
}

func TestSplitTexts(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before []string
		edit   func(string) string
		want   []string
		fails  bool
	}{
		{"unchanged", []string{"a", "b\n", "c"}, func(s string) string { return s }, []string{"a", "b\n", "c"}, false},
		{"line end added by the editor", []string{"a"}, func(s string) string { return s + "\n" }, []string{"a"}, false},
		{"line end that was there", []string{"a\n"}, func(s string) string { return s }, []string{"a\n"}, false},
		{"missing divider", []string{"a", "b"}, func(string) string { return "ab" }, nil, true},
		{"changed", []string{"a", "b"}, func(s string) string { return strings.TrimSuffix(s, "b") + "c\n" }, []string{"a", "c"}, false},
	} {
		got, err := splitTexts(tc.edit(joinTexts(tc.before)), tc.before)
		if !slices.Equal(got, tc.want) || (err != nil) != tc.fails {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}

// When a signal ends a screen, its hold rule is removed. The rule of another screen stays.
func TestEndedScreenHoldsNothing(t *testing.T) {
	for _, ours := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		d := newDaemon()
		d.rule, d.held = api.HoldRule{All: true}, []api.Hold{{ID: 1, Project: "home"}}
		m := NewModel(ctx, Options{Service: d, Project: "home"})
		m.holds.ours = ours
		cancel()
		if err := m.abandon(); err != nil {
			t.Fatal(err)
		}
		if d.rule.All == ours || len(d.held) == 0 != ours {
			t.Errorf("ours %v: rule %+v, %d held", ours, d.rule, len(d.held))
		}
	}
}
