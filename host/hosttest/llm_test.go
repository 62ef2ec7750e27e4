package hosttest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

func request(project, text string) abi.LLMRequest {
	return abi.LLMRequest{Project: project, MaxTokens: 100, Parts: []abi.LLMPart{{Text: []byte(text)}}}
}

func send(t *testing.T, l *LLM, ctx context.Context, r abi.LLMRequest) abi.LLMCall {
	t.Helper()
	c, err := l.Send(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSingleFlightAndStore verifies that equal requests are sent once, and that projects do
// not share answers.
func TestSingleFlightAndStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &LLM{Latency: time.Second}
		a, b := send(t, l, t.Context(), request("home", "x")), send(t, l, t.Context(), request("home", "x"))
		other := send(t, l, t.Context(), request("work", "x"))
		<-a.Done()
		<-b.Done()
		<-other.Done()
		if l.Asked() != 2 {
			t.Errorf("asked %d times, want once for each project", l.Asked())
		}
		if _, ok := l.Stored(request("home", "x")); !ok {
			t.Error("not stored")
		}
		if _, ok := l.Stored(request("play", "x")); ok {
			t.Error("stored for a project that never asked")
		}
	})
}

func TestSlotsLimitConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &LLM{Latency: time.Second, Slots: 2}
		start := time.Now()
		var calls []abi.LLMCall
		for _, text := range []string{"a", "b", "c", "d", "e"} {
			calls = append(calls, send(t, l, t.Context(), request("home", text)))
		}
		for _, c := range calls {
			<-c.Done()
		}
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("5 requests by 2 took %v, want 3s", d)
		}
	})
}

// TestLastCallerEndsFlight verifies that a request continues until its last caller is gone.
func TestLastCallerEndsFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &LLM{}
		l.SetFault(Mute)
		first, leaveFirst := context.WithCancel(t.Context())
		second, leaveSecond := context.WithCancel(t.Context())
		c := send(t, l, first, request("home", "x"))
		send(t, l, second, request("home", "x"))
		leaveFirst()
		synctest.Wait()
		select {
		case <-c.Done():
			t.Fatal("ended with one asker left")
		default:
		}
		leaveSecond()
		l.Wait()
		if _, err := c.Answer(); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestOnlyCompleteAnswersAreStored(t *testing.T) {
	for _, fault := range []Fault{Overloaded, Garbage, Half} {
		synctest.Test(t, func(t *testing.T) {
			l := &LLM{}
			l.SetFault(fault)
			c := send(t, l, t.Context(), request("home", "x"))
			<-c.Done()
			if _, err := c.Answer(); err == nil {
				t.Errorf("fault %d: no error", fault)
			}
			if _, ok := l.Stored(request("home", "x")); ok {
				t.Errorf("fault %d: stored", fault)
			}
			l.SetFault(Healthy)
			c = send(t, l, t.Context(), request("home", "x"))
			<-c.Done()
			if a, err := c.Answer(); err != nil || string(a.Text) != "fake: x" {
				t.Errorf("afterwards: %q, %v", a.Text, err)
			}
		})
	}
}
