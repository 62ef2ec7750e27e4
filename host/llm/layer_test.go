package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// 30 summaries from a provider with six slots and a latency of 500 ms take five
// rounds if the guest waits. In the background they do not delay the guest.
func TestThirtySummaries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes("maxConcurrent: 6", `answers: [{latency: 500ms, answer: "a summary"}]`))
		send := func(background bool, prefix string) (calls []abi.LLMCall) {
			for i := range 30 {
				q := ask(fmt.Sprint(prefix, " ", i))
				q.Background = background
				call, err := r.Send(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				calls = append(calls, call)
			}
			return calls
		}
		start := time.Now()
		for _, call := range send(false, "waited for") {
			<-call.Done()
			if a, err := call.Answer(); err != nil || string(a.Text) != "a summary" {
				t.Fatalf("%q, %v", a.Text, err)
			}
		}
		if took := time.Since(start); took != 2500*time.Millisecond {
			t.Errorf("in the foreground: %v, want 2.5s", took)
		}
		start = time.Now()
		calls := send(true, "background")
		if took := time.Since(start); took != 0 {
			t.Errorf("in the background: %v, want 0s", took)
		}
		for _, call := range calls {
			<-call.Done()
		}
		if n := len(r.store.texts()); n != 60 {
			t.Errorf("%d answers stored, want 60", n)
		}
		if n, err := r.Available("home", abi.TierFast); n != 6 || err != nil {
			t.Errorf("available %d, %v", n, err)
		}
	})
}

// Equal requests share one attempt. A caller that leaves does not end it for the others,
// the last one does, and a request in the background continues without its caller.
func TestSingleFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes("answers: [{latency: 2s, answer: once}]"))
		q := ask("the text")
		q.Background = false
		first, leave := context.WithCancel(t.Context())
		var calls []abi.LLMCall
		for i := range 100 {
			ctx := t.Context()
			if i == 0 {
				ctx = first
			}
			q.Module = fmt.Sprint("module ", i)
			call, err := r.Send(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, call)
		}
		leave()
		for _, call := range calls {
			<-call.Done()
			if a, err := call.Answer(); err != nil || string(a.Text) != "once" {
				t.Fatalf("%q, %v", a.Text, err)
			}
		}
		if st := r.Providers()[0]; st.Requests != 1 {
			t.Errorf("%d requests for 100 callers", st.Requests)
		}
	})
}

func TestRequestEndsWithItsLastCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes("answers: [{latency: 2s}]"))
		q := ask("the text")
		q.Background = false
		ctx, leave := context.WithCancel(t.Context())
		call, err := r.Send(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // virtual
		start := time.Now()
		leave()
		<-call.Done()
		if _, err := call.Answer(); !errors.Is(err, context.Canceled) || time.Since(start) != 0 || len(r.store.texts()) != 0 {
			t.Errorf("%v after %v, stored %q", err, time.Since(start), r.store.texts())
		}
		if st := r.Providers()[0]; strings.HasPrefix(st.State, "failed") {
			t.Errorf("state %s: a timeout of the caller does not count against the provider", st.State)
		}
		if a, err := r.get(t.Context(), q); err != nil || len(a.Text) == 0 {
			t.Errorf("second request: %q, %v", a.Text, err)
		}
	})
}

// A request that a guest waits for has 10 s. When it is also requested in the
// background, it has the time of the background.
func TestTimeLimits(t *testing.T) {
	for _, c := range []struct {
		name               string
		background, joined bool
		want               time.Duration
	}{
		{"foreground", false, false, foregroundTime},
		{"background", true, false, time.Minute},
		{"both", false, true, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, fakes("answers: [{fault: hang}]"))
			q := ask("the text")
			q.Background = c.background
			start := time.Now()
			call, err := r.Send(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if c.joined {
				q.Background = true
				if _, err := r.Send(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
			<-call.Done()
			if _, err := call.Answer(); kindOf(err) != "timeout" || time.Since(start) != c.want {
				t.Errorf("%s: %v after %v, want %v", c.name, err, time.Since(start), c.want)
			}
		})
	}
}

// Providers of a tier are tried in order. A missing tier is equal to the other one.
func TestTiersFallBack(t *testing.T) {
	const section = `llm:
  providers:
  - {name: a, type: fake, answers: [{match: hard, fault: html}, {answer: from a}]}
  - {name: b, type: fake, answers: [{match: impossible, fault: empty}, {answer: from b}]}
  tiers: {fast: [a, b], heavy: [b]}
`
	synctest.Test(t, func(t *testing.T) {
		r := open(t, section)
		for _, c := range []struct {
			text string
			tier int
			want string
			err  string
		}{
			{"easy", abi.TierFast, "from a", ""},
			{"easy", abi.TierHeavy, "from b", ""},
			{"hard", abi.TierFast, "from b", ""},
			{"hard and impossible", abi.TierFast, "", `LLM provider "a": the answer is text/html, want application/json; LLM provider "b": the answer is empty`},
		} {
			q := ask(c.text)
			q.Tier = c.tier
			a, err := r.get(t.Context(), q)
			if string(a.Text) != c.want || err != nil && err.Error() != c.err || (err == nil) != (c.err == "") {
				t.Errorf("%s, tier %d: %q, %v", c.text, c.tier, a.Text, err)
			}
		}
		r.set(t, strings.Replace(section, "fast: [a, b], ", "", 1))
		if got := r.Resolution("home"); got != "b (fake) (llm.tiers of config.yaml)" {
			t.Errorf("resolution %q", got)
		}
	})
}

// The llmProvider of a project has precedence over tiers.
func TestProviderOfProject(t *testing.T) {
	none, b, lost := "none", "b", "lost"
	choice := map[string]*string{"off": &none, "own": &b, "broken": &lost}
	r := open(t, "llm:\n  providers: [{name: a, type: fake}, {name: b, type: fake, maxConcurrent: 9, model: fake-2}]\n  tiers: {fast: [a], heavy: [b]}\n",
		func(o *Options) { o.Choice = func(p string) *string { return choice[p] } })
	for _, c := range []struct {
		project    string
		slots      int
		err        error
		resolution string
	}{
		{"home", 4, nil, "fast a (fake); heavy b (fake, fake-2) (llm.tiers of config.yaml)"},
		{"off", 0, nil, "none (llmProvider: none)"},
		{"own", 9, nil, "b (fake, fake-2) (llmProvider)"},
		{"broken", 0, abi.ErrUnavailable, "failed: lost is not in config.yaml (llmProvider)"},
	} {
		n, err := r.Available(c.project, abi.TierFast)
		if n != c.slots || !errors.Is(err, c.err) || r.Resolution(c.project) != c.resolution {
			t.Errorf("%s: available %d, %v, %q", c.project, n, err, r.Resolution(c.project))
		}
		q := ask("x")
		q.Project = c.project
		if _, err := r.get(t.Context(), q); (err == nil) != (c.slots > 0) {
			t.Errorf("%s: %v", c.project, err)
		}
	}
	if r.Identity("off") != "" || r.Identity("own") == r.Identity("home") || r.Identity("broken") == "" {
		t.Errorf("identities %q, %q, %q", r.Identity("off"), r.Identity("own"), r.Identity("home"))
	}
}

// No provider is not an error.
func TestWithoutProviders(t *testing.T) {
	r := open(t, "")
	if n, err := r.Available("home", abi.TierHeavy); n != 0 || err != nil || r.Identity("home") != "" {
		t.Errorf("available %d, %v, identity %q", n, err, r.Identity("home"))
	}
	if _, err := r.Send(t.Context(), ask("x")); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("sent: %v", err)
	}
	if got := r.Resolution("home"); got != "none (no provider in config.yaml)" {
		t.Errorf("resolution %q", got)
	}
}

// A stored answer is found by provider, request and project. The module and the kind of
// request do not matter.
func TestKeyOfStoredAnswers(t *testing.T) {
	const section = "llm:\n  providers: [{name: a, type: fake, model: M}]\n"
	r := open(t, section)
	q := ask("the text")
	if _, err := r.get(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	same, other := q, q
	same.Module, same.Background = "rebuilt", false
	other.Project = "work"
	if _, ok := r.Stored(same); !ok {
		t.Error("a rebuilt module does not find the answer")
	}
	if _, ok := r.Stored(other); ok {
		t.Error("another project finds the answer")
	}
	r.set(t, strings.Replace(section, "M}", "M2}", 1))
	if _, ok := r.Stored(q); ok {
		t.Error("another model finds the answer")
	}
	r.set(t, strings.Replace(section, "M}", "M, maxConcurrent: 2}", 1))
	if _, ok := r.Stored(q); !ok {
		t.Error("another setting of the same model does not find the answer")
	}
}

// If the settings change, requests in progress keep their provider, and an
// unchanged provider keeps its statistics.
func TestSettingsChangeDuringRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := "{name: a, type: fake, answers: [{latency: 1s, answer: old}]}"
		b := "{name: b, type: fake}"
		r := open(t, "llm:\n  providers: ["+a+", "+b+"]\n")
		call, err := r.Send(t.Context(), ask("x"))
		if err != nil {
			t.Fatal(err)
		}
		q := ask("y")
		q.Tier = abi.TierHeavy
		synctest.Wait()
		r.set(t, "llm:\n  providers: ["+b+", "+strings.Replace(a, "old", "new", 1)+"]\n")
		start := time.Now()
		if got, err := r.get(t.Context(), ask("x")); err != nil || string(got.Text) == "old" || time.Since(start) != 0 {
			t.Errorf("a request after the change gets %q, %v after %v", got.Text, err, time.Since(start))
		}
		<-call.Done()
		if got, err := call.Answer(); err != nil || string(got.Text) != "old" {
			t.Errorf("%q, %v", got.Text, err)
		}
		if _, err := r.get(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		r.set(t, "llm:\n  providers: ["+b+"]\n")
		if st := r.Providers(); len(st) != 1 || st[0].Requests != 2 {
			t.Errorf("status %+v", st)
		}
	})
}

// The script of a fake provider is a file in the home, and its answers name the
// fake.
func TestScriptOfFakeProvider(t *testing.T) {
	r := open(t, fakes("script: answers.yaml"))
	if n, err := r.Available("home", abi.TierFast); n != 0 || !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "answers.yaml") {
		t.Errorf("without the file: available %d, %v", n, err)
	}
	if f := r.Faults(); len(f) != 1 {
		t.Errorf("faults %v", f)
	}
	echo := open(t, fakes())
	a, err := echo.get(t.Context(), ask("the text"))
	if err != nil || string(a.Text) != "fake: the text" {
		t.Errorf("%q, %v", a.Text, err)
	}
	if st := echo.Providers()[0]; st.Type != "fake" || st.Model != "fake" || !strings.Contains(echo.Identity("home"), "fake") || !strings.Contains(echo.Resolution("home"), "fake") {
		t.Errorf("status %+v", st)
	}
}

func TestMissingKey(t *testing.T) {
	var asked atomic.Int32
	s := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	r := open(t, strings.Replace(served(s), "${KEY}", "${OTHER_KEY}", 1))
	_, err := r.Send(t.Context(), ask("x"))
	if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "apiKey needs ${OTHER_KEY}, set neither") || asked.Load() != 0 {
		t.Errorf("%v, asked %d", err, asked.Load())
	}
	if st := r.Providers()[0]; !strings.HasPrefix(st.State, "failed: apiKey needs ${OTHER_KEY}") {
		t.Errorf("state %q", st.State)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, fakes("answers: [{fault: hang}]"))
		call, err := r.Send(t.Context(), ask("x"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Error(err)
		}
		<-call.Done()
		if _, err := call.Answer(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, err := r.Send(t.Context(), ask("y")); !errors.Is(err, abi.ErrUnavailable) {
			t.Error(err)
		}
	})
}
