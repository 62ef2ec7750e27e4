package hold

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// start holds an answer in a goroutine and returns the channel of its decision.
func start(h *Holds, ctx context.Context, a Answer) <-chan Decision {
	got := make(chan Decision, 1)
	go func() {
		d, ok := h.Hold(ctx, a, func(Answer) {})
		if !ok {
			d.Outcome = "not held"
		}
		got <- d
	}()
	synctest.Wait()
	return got
}

func TestAnswerExpires(t *testing.T) {
	for _, tc := range []struct {
		rule     string
		progress bool
		watched  bool
		want     time.Duration
		messages int
	}{
		{"without progress", false, true, 45 * time.Second, 0},
		{"with progress", true, true, 10 * time.Minute, 59},
		{"with progress, the studio is gone", true, false, 50 * time.Second, 4},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var messages []string
				a := Answer{Project: "p", Texts: []string{"x"}}
				if tc.progress {
					a.Progress = func(step int, text string) { messages = append(messages, text) }
				}
				begin := time.Now()
				d := <-start(New(Options{Watched: func(string) bool { return tc.watched }}), t.Context(), a)
				if got := time.Since(begin); d.Outcome != Expired || got != tc.want {
					t.Errorf("%s after %v", d.Outcome, got)
				}
				if len(messages) < tc.messages || len(messages) > tc.messages+1 || tc.progress && messages[3] != "held in Model Studio, 0:40" {
					t.Errorf("%d messages: %.4q", len(messages), messages)
				}
			})
		})
	}
}

func TestDecisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{})
		for _, d := range []Decision{{Outcome: Released}, {Outcome: Dropped}, {Outcome: Edited, Texts: []string{"new"}}} {
			got := start(h, t.Context(), Answer{Project: "p", Texts: []string{"x"}})
			id := h.List("p")[0].ID
			if _, err := h.End(id, Decision{Outcome: Edited, Texts: []string{"a", "b"}}); !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), "2 texts, the answer has 1") {
				t.Errorf("an edit of another shape: %v", err)
			}
			if _, err := h.End(id, d); err != nil {
				t.Fatal(err)
			}
			if g := <-got; fmt.Sprint(g) != fmt.Sprint(d) {
				t.Errorf("got %v, want %v", g, d)
			}
			if _, err := h.End(id, d); !errors.Is(err, abi.ErrNotFound) {
				t.Errorf("decided twice: %v", err)
			}
		}
	})
}

func TestCancelledAnswerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		got := start(h, ctx, Answer{Project: "p"})
		cancel()
		if d := <-got; d.Outcome != Cancelled || len(h.List("")) != 0 {
			t.Errorf("%v, %d held", d, len(h.List("")))
		}
	})
}

// Above the limits answers are not held, and are counted until the rule is set again.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{MaxPending: 3, MaxBytes: 100})
		h.SetRule("p", Rule{All: true})
		for _, size := range []int{60, 30} {
			start(h, t.Context(), Answer{Project: "p", Texts: []string{strings.Repeat("x", size)}})
		}
		if d := <-start(h, t.Context(), Answer{Project: "p", Bytes: 10, Texts: []string{"x"}}); d.Outcome != "not held" {
			t.Errorf("over the limit of bytes: %v", d)
		}
		start(h, t.Context(), Answer{Project: "p"})
		if d := <-start(h, t.Context(), Answer{Project: "p"}); d.Outcome != "not held" {
			t.Errorf("over the limit of answers: %v", d)
		}
		if _, pending, passed := h.Rule("p"); pending != 3 || passed != 2 {
			t.Errorf("%d pending, %d passed", pending, passed)
		}
		if n := h.ReleaseAll("other"); n != 0 {
			t.Errorf("released %d of another project", n)
		}
		if n := h.ReleaseAll("p"); n != 3 {
			t.Errorf("released %d", n)
		}
		if d := <-start(h, t.Context(), Answer{Project: "p", Texts: []string{strings.Repeat("x", 100)}}); d.Outcome != Expired {
			t.Errorf("after all were released: %v", d)
		}
	})
}

// A rule that nobody attends to ends with the first answer that expires, so that a
// studio that was killed delays one answer and not all.
func TestUnattendedRuleEnds(t *testing.T) {
	for _, tc := range []struct {
		rule    string
		watched bool
		attend  func(h *Holds)
		active  bool
	}{
		{"nobody", false, func(*Holds) {}, false},
		{"a stream of events", true, func(*Holds) {}, true},
		{"a listing", false, func(h *Holds) { h.List("p") }, true},
		{"a listing of all projects", false, func(h *Holds) { h.List("") }, true},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := New(Options{Watched: func(string) bool { return tc.watched }})
				h.SetRule("p", Rule{All: true})
				time.Sleep(time.Second) // of the bubble
				got := start(h, t.Context(), Answer{Project: "p"})
				time.Sleep(time.Second)
				tc.attend(h)
				<-got
				if h.IsActive() != tc.active {
					t.Errorf("active is %v", h.IsActive())
				}
			})
		})
	}
}

func TestCloseReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{})
		h.SetRule("p", Rule{Match: func(a *Answer) bool { return true }})
		got := start(h, t.Context(), Answer{Project: "p"})
		h.Close()
		if d := <-got; d.Outcome != Released || h.IsActive() {
			t.Errorf("%v, active %v", d, h.IsActive())
		}
		if d := <-start(h, t.Context(), Answer{Project: "p"}); d.Outcome != "not held" {
			t.Errorf("after Close: %v", d)
		}
	})
}
