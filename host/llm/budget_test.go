package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
)

// Answers that cannot be used count for the budget, so that a module cannot exceed it
// with them.
func TestUnusableAnswersCountForBudget(t *testing.T) {
	completion := func(finish, usage string) string {
		return `{"choices":[{"message":{"content":"a few words"},"finish_reason":"` + finish + `"}],"usage":` + usage + `}`
	}
	for name, c := range map[string]struct {
		answer string
		json   bool
	}{
		"prose instead of JSON":            {completion("stop", `{"prompt_tokens":11,"completion_tokens":7}`), true},
		"JSON that was cut":                {completion("length", `{"prompt_tokens":11,"completion_tokens":7}`), true},
		"stopped by a filter":              {completion("content_filter", `{"prompt_tokens":11,"completion_tokens":7}`), false},
		"negative token counts":            {completion("stop", `{"prompt_tokens":-1000000,"completion_tokens":-1}`), false},
		"token counts that overflow a sum": {completion("stop", `{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(c.answer))
			})
			r := open(t, served(s)+"  budget: {dailyTokens: 300}\n")
			for n := range 100 {
				q := ask(fmt.Sprint("text ", n))
				q.JSON = c.json
				if _, err := r.get(t.Context(), q); errors.Is(err, abi.ErrLimit) {
					return
				}
			}
			spent, _ := r.Budget()
			t.Errorf("100 requests within 300 tokens: %+v", spent)
		})
	}
}

// An abandoned request has been sent and costs tokens.
func TestAbandonedRequestCounts(t *testing.T) {
	asked := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_ = read(r)
		close(asked)
		<-r.Context().Done()
	})
	r := open(t, served(s))
	ctx, leave := context.WithCancel(t.Context())
	call, err := r.Send(ctx, ask("a text of some words"))
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	leave()
	<-call.Done()
	if spent, _ := r.Budget(); len(spent) != 1 || spent[0].Tokens < 5 || spent[0].Tokens >= 100 {
		t.Errorf("spent %+v, want the prompt without the answer", spent)
	}
}

// The reserved tokens of a request that was not sent, or was rejected by the
// provider, are released.
func TestUnsentRequestDoesNotCount(t *testing.T) {
	dialed := make(chan struct{})
	p := &provider{driver: newOpenAI(&http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			close(dialed)
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}}, llmconfig.Provider{BaseURL: "http://away.invalid/v1"})}
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-dialed; leave() }()
	f := newFlight(ctx, ask("the text"))
	if _, err := p.attempt(ctx, f, requestOf(f.req)); !errors.Is(err, context.Canceled) || f.spent != 0 {
		t.Errorf("%v, %d tokens spent", err, f.spent)
	}
}

func TestRejectedRequestDoesNotCount(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	r := open(t, served(s))
	if _, err := r.get(t.Context(), ask("the text")); err == nil {
		t.Fatal("answered")
	}
	if spent, _ := r.Budget(); len(spent) != 1 || spent[0].Tokens != 0 {
		t.Errorf("spent %+v", spent)
	}
}

// Concurrent requests never exceed the budget, and unused tokens are returned.
func TestConcurrentRequestsStayInBudget(t *testing.T) {
	const limit, each, many = 1000, 7, 400
	b, who := &budget{}, budgetKey{"m", "p"}
	var running sync.WaitGroup
	var kept atomic.Int64
	for n := range many {
		running.Go(func() {
			day, err := b.reserve(who, each, limit)
			switch {
			case err != nil:
			case n%2 == 0:
				b.settle(who, day, each, 0)
			default:
				kept.Add(each)
			}
			if spent := b.list()[0].Tokens; spent > limit {
				t.Errorf("%d tokens spent of %d", spent, limit)
			}
		})
	}
	running.Wait()
	if spent := b.list()[0].Tokens; int64(spent) != kept.Load() {
		t.Errorf("%d tokens spent, %d unreturned", spent, kept.Load())
	}
}

// A ledger that cannot be written does not fail requests. A number that is too large for
// a counter uses up the budget.
func TestUnwritableLedgerFailsNoRequest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "away")
	r := open(t, fakes("answers: [{answer: ok}]"), keeping(filepath.Join(dir, "spent.json")))
	if _, err := r.get(t.Context(), ask("the text")); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory was created: %v", err)
	}

	file := filepath.Join(t.TempDir(), "spent.json")
	row := Spent{Project: "home", Module: "mod", Tokens: math.MaxInt}
	if err := writeLedger(file, ledger{Day: time.Now().UTC().Format(time.DateOnly), Spent: []Spent{row, row, row}}); err != nil {
		t.Fatal(err)
	}
	r = open(t, fakes("answers: [{answer: ok}]")+"  budget: {dailyTokens: 300}\n", keeping(file))
	if _, err := r.get(t.Context(), ask("the text")); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("got %v", err)
	}
}
