package top

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// hostile has names with escape sequences, wide characters and too many characters.
var hostile = append(traffic[:len(traffic):len(traffic)],
	api.Event{ID: 20, Type: "tool_call", Source: "x/\x1b[2J\r\n\u202e名前", In: 5},
	api.Event{ID: 21, Type: "tool_call", Source: "server_with_a_long_name/and_a_tool_with_an_even_longer_name", In: 1_234_567, Out: 999_949, Micros: 12_300_000, Upstream: 1})

func TestGoldenTables(t *testing.T) {
	for _, c := range []struct {
		name, format string
		width        int
	}{{"80.txt", "table", 80}, {"60.txt", "table", 60}, {"wide.txt", "wide", 0}, {"wide100.txt", "wide", 100}, {"json.txt", "json", 0}, {"name.txt", "name", 0}} {
		t.Run(c.name, func(t *testing.T) {
			streams, _, out, _ := iostreams.Test()
			streams.OutWidth = c.width
			if err := printer.Print(streams, c.format, listing(tallyOf(byTool, hostile), "saved", noon.Add(time.Hour), c.width)); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, out.String())
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); c.width > 0 && n > c.width {
					t.Errorf("a line of %d characters: %s", n, line)
				}
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s differs (%v), UPDATE_GOLDEN=1 rewrites it:\n%s", file, err, got)
	}
}

// screen is a terminal: writes are draws.
type screen struct{ draws []string }

func (s *screen) Write(p []byte) (int, error) {
	s.draws = append(s.draws, string(p))
	return len(p), nil
}

func newLive(s *screen, events chan api.Event, keys chan byte, tick chan time.Time) *live {
	return &live{io: &iostreams.Streams{Out: s}, tally: newTally(byTool), events: events, keys: keys, tick: tick,
		now: func() time.Time { return noon }, size: func() (int, int) { return 80, 12 }, sorted: "saved"}
}

// Events alone draw nothing; a tick and a key that changes the order do.
func TestLiveDrawsAtTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, events, keys, tick := &screen{}, make(chan api.Event), make(chan byte), make(chan time.Time)
		ended := make(chan error)
		go func() { ended <- newLive(s, events, keys, tick).run(t.Context()) }()
		want := func(draws int) {
			t.Helper()
			synctest.Wait()
			if len(s.draws) != draws {
				t.Fatalf("%d draws, want %d", len(s.draws), draws)
			}
		}
		want(1)
		for _, e := range traffic {
			events <- e
		}
		want(1)
		tick <- noon
		want(2)
		if last := s.draws[1]; !strings.HasPrefix(last, wrapOff+"\r\x1b[3A") || !strings.Contains(last, "github/list  2      0    30k    2k") {
			t.Errorf("drew %q", last)
		}
		keys <- 'e'
		want(3)
		if jira, github := strings.Index(s.draws[2], "jira"), strings.Index(s.draws[2], "github"); jira > github {
			t.Errorf("not sorted by errors: %q", s.draws[2])
		}
		keys <- 'e' // the same order
		keys <- 'x' // no key
		want(3)
		keys <- 'q'
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestLiveEnds(t *testing.T) {
	for _, c := range []struct {
		rule string
		end  func(keys chan byte, stop context.CancelFunc)
	}{
		{"q", func(keys chan byte, _ context.CancelFunc) { keys <- 'q' }},
		{"Ctrl-C in raw mode", func(keys chan byte, _ context.CancelFunc) { keys <- 3 }},
		{"a signal, or the end of the stream", func(_ chan byte, stop context.CancelFunc) { stop() }},
		{"a signal after the end of the input", func(keys chan byte, stop context.CancelFunc) { close(keys); stop() }},
	} {
		ctx, stop := context.WithCancel(t.Context())
		keys, ended := make(chan byte), make(chan error)
		go func() { ended <- newLive(&screen{}, nil, keys, nil).run(ctx) }()
		c.end(keys, stop)
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", c.rule, err)
		}
		stop()
	}
}

// A table that is higher than the terminal keeps its total; a new size clears the screen.
func TestLiveFitsTerminal(t *testing.T) {
	s := &screen{}
	v := newLive(s, nil, nil, nil)
	for _, e := range hostile {
		v.tally.add(e)
	}
	for i, height := range []int{6, 6, 40, 1} {
		v.size = func() (int, int) { return 60, height }
		if err := v.draw(); err != nil {
			t.Fatal(err)
		}
		draw := s.draws[i]
		if n := strings.Count(draw, "\r\n"); n > max(height-1, 4) {
			t.Errorf("%d lines at a height of %d", n, height)
		}
		if !strings.Contains(draw, "(all)") || !strings.Contains(draw, "q quit") {
			t.Errorf("no total or no keys: %q", draw)
		}
		if cleared := strings.Contains(draw, clearAll); cleared != (i > 1) {
			t.Errorf("draw %d clears the screen: %v", i, cleared)
		}
		if rest := bytes.ReplaceAll([]byte(draw), []byte("\r\n"), nil); bytes.ContainsAny(rest, "\n\u202e") || strings.Contains(draw, "\x1b[2J\\r") {
			t.Errorf("control characters of a name are drawn: %q", draw)
		}
	}
}

func TestLiveReturnsWriteErrors(t *testing.T) {
	v := newLive(nil, nil, nil, nil)
	v.io.Out = failing{}
	if err := v.run(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error is %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }
