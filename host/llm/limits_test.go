package llm

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Every request waits for the time of Retry-After, or fails at once if it does not have
// that much time.
func TestRetryAfterIsHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes(`answers: [{fault: "429", retryAfter: 20s, times: 1}, {answer: late}]`))
		start := time.Now()
		calls := make([]abi.LLMCall, 2)
		for i, text := range []string{"one", "two"} {
			var err error
			if calls[i], err = r.Send(t.Context(), ask(text)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if n, err := r.Available("home", abi.TierFast); n != 0 || !errors.Is(err, abi.ErrUnavailable) {
			t.Errorf("available %d, %v during a pause that is longer than guests wait", n, err)
		}
		for _, call := range calls {
			<-call.Done()
			if _, err := call.Answer(); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("answered after %v, want 20s", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes(`answers: [{fault: "429", retryAfter: 20s}]`))
		start := time.Now()
		q := ask("one")
		q.Background = false
		if _, err := r.get(t.Context(), q); kindOf(err) != "unavailable" || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// Temporary failures are retried after growing pauses.
func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes(`answers: [{fault: "500", times: 1}, {fault: half, times: 1}, {fault: "429", times: 1}, {answer: good}]`))
		start := time.Now()
		a, err := r.get(t.Context(), ask("the text"))
		if err != nil || string(a.Text) != "good" {
			t.Fatalf("%q, %v", a.Text, err)
		}
		if took := time.Since(start); took < 875*time.Millisecond || took > 1750*time.Millisecond {
			t.Errorf("three retries took %v, want 0.875 to 1.75 s", took)
		}
	})
}

// After five failures in a row a provider is disabled, and then tried by one
// request.
func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes(`answers: [{fault: html, times: 6}, {answer: well}]`))
		for i := range breakAfter {
			if n, err := r.Available("home", abi.TierFast); n != 4 || err != nil {
				t.Fatalf("before failure %d: available %d, %v", i+1, n, err)
			}
			if _, err := r.get(t.Context(), ask(fmt.Sprint(i))); kindOf(err) != "upstream" {
				t.Fatal(err)
			}
		}
		out := func(when string) {
			t.Helper()
			if n, err := r.Available("home", abi.TierFast); n != 0 || !errors.Is(err, abi.ErrUnavailable) {
				t.Errorf("%s: available %d, %v", when, n, err)
			}
			if _, err := r.Send(t.Context(), ask("x")); !errors.Is(err, abi.ErrUnavailable) {
				t.Errorf("%s: sent, %v", when, err)
			}
		}
		out("opened")
		if log := r.log.String(); strings.Count(log, "LLM provider out of order") != 1 {
			t.Errorf("logged %s", log)
		}
		time.Sleep(waitFirst) // virtual, as all below
		if _, err := r.get(t.Context(), ask("trial")); kindOf(err) != "upstream" {
			t.Errorf("trial: %v", err)
		}
		out("after the trial")
		time.Sleep(waitFirst)
		out("half of the time that doubled")
		time.Sleep(waitFirst)
		if a, err := r.get(t.Context(), ask("again")); err != nil || string(a.Text) != "well" {
			t.Errorf("%q, %v", a.Text, err)
		}
		if n, err := r.Available("home", abi.TierFast); n != 4 || err != nil {
			t.Errorf("after the success: available %d, %v", n, err)
		}
	})
}

// A budget is per module, project and day. Reserved tokens that are not used are
// returned.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes("answers: [{answer: ok}]")+"  budget: {dailyTokens: 300}\n")
		q := ask("the text")
		q.MaxTokens = 150
		sent := 0
		spend := func() (err error) {
			for err == nil {
				q.Parts = []abi.LLMPart{{Text: fmt.Append(nil, "text ", sent)}}
				_, err = r.get(t.Context(), q)
				sent++
			}
			return err
		}
		if err := spend(); !errors.Is(err, abi.ErrLimit) || !strings.Contains(err.Error(), "limit 300 in a project (llm.budget.dailyTokens)") {
			t.Fatal(err)
		}
		if sent < 10 {
			t.Errorf("%d requests of about 10 tokens within 300: unused tokens must be returned", sent)
		}
		q.Module = "another"
		if _, err := r.get(t.Context(), q); err != nil {
			t.Errorf("another module: %v", err)
		}
		q.Module, q.Project = "mod", "another"
		if _, err := r.get(t.Context(), q); err != nil {
			t.Errorf("another project: %v", err)
		}
		q.Project = "home"
		time.Sleep(24 * time.Hour) // virtual
		if _, err := r.get(t.Context(), q); err != nil {
			t.Errorf("another day: %v", err)
		}
	})
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes("rateLimit: {perMinute: 3}", "maxConcurrent: 10"))
		start := time.Now()
		var at []time.Duration
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 7 {
			all.Go(func() {
				if _, err := r.get(t.Context(), ask(fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				at = append(at, time.Since(start))
			})
		}
		all.Wait()
		want := []time.Duration{0, 0, 0, time.Minute, time.Minute, time.Minute, 2 * time.Minute}
		if fmt.Sprint(at) != fmt.Sprint(want) {
			t.Errorf("answered at %v, want %v", at, want)
		}
	})
}
