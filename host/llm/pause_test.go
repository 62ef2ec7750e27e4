package llm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Callers learn at once that an answer will not come in time: the one that received the
// 429, those that wait for a slot, and later ones. Requests in the background are
// answered.
func TestPausedProviderIsReportedToWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes("maxConcurrent: 1", `answers: [{fault: "429", retryAfter: 8s, times: 1}, {answer: late}]`))
		start := time.Now()
		calls := make([]abi.LLMCall, 3)
		for i := range calls {
			var err error
			if calls[i], err = r.Send(t.Context(), ask(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		for i, call := range calls {
			<-call.(abi.LLMPostponed).Postponed()
			if took := time.Since(start); took != 0 {
				t.Errorf("request %d: reported after %v", i, took)
			}
		}
		if n, err := r.Available("home", abi.TierFast); n != 0 || !errors.Is(err, abi.ErrUnavailable) {
			t.Errorf("available %d, %v", n, err)
		}
		q := ask("waited for")
		q.Background = false
		if _, err := r.get(t.Context(), q); kindOf(err) != "unavailable" || time.Since(start) != 0 {
			t.Errorf("in the foreground: %v after %v", err, time.Since(start))
		}
		if state := r.Providers()[0].State; state != "failed: accepts no request for 8s" {
			t.Errorf("state %q", state)
		}
		for _, call := range calls {
			<-call.Done()
			if _, err := call.Answer(); err != nil || time.Since(start) != 8*time.Second {
				t.Errorf("%v after %v, want an answer after 8s", err, time.Since(start))
			}
		}
		if a, err := r.get(t.Context(), q); err != nil || string(a.Text) != "late" {
			t.Errorf("afterwards: %q, %v", a.Text, err)
		}
	})
}

// While the first provider of a tier is paused, the next one answers, also in the
// background. After the pause, the first one answers again.
func TestNextProviderAnswersDuringPause(t *testing.T) {
	const section = `llm:
  providers:
  - {name: a, type: fake, answers: [{fault: "429", retryAfter: 2s, times: 1}, {answer: from a}]}
  - {name: b, type: fake, answers: [{fault: "500", match: broken}, {answer: from b}]}
  tiers: {fast: [a, b]}
`
	for _, background := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, section)
			start := time.Now()
			get := func(text, want string, after time.Duration) {
				t.Helper()
				q := ask(text)
				q.Background = background
				a, err := r.get(t.Context(), q)
				if err != nil || string(a.Text) != want || time.Since(start).Truncate(time.Second) != after {
					t.Errorf("background %v, %s: %q, %v after %v, want %s after %v", background, text, a.Text, err, time.Since(start), want, after)
				}
			}
			get("one", "from b", 0)
			get("two", "from b", 0)
			get("broken", "from a", 2*time.Second)
			get("three", "from a", 2*time.Second)
		})
	}
}

// Requests wait for a pause of one or two seconds.
func TestRequestsWaitForShortPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes(`answers: [{fault: "429", retryAfter: 2s, times: 1}, {answer: good}]`))
		start := time.Now()
		q := ask("one")
		q.Background = false
		if a, err := r.get(t.Context(), q); err != nil || string(a.Text) != "good" || time.Since(start).Truncate(time.Second) != 2*time.Second {
			t.Errorf("%q, %v after %v", a.Text, err, time.Since(start))
		}
		if st := r.Providers()[0]; st.Requests != 1 || st.Errors != 0 || strings.HasPrefix(st.State, "failed") {
			t.Errorf("figures %+v", st)
		}
	})
}
