package access

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
)

// Tries that run at the same time do not pass the limit together.
func TestThrottleOfConcurrentTries(t *testing.T) {
	var th throttle
	now := time.Unix(1e9, 0)
	var passed atomic.Int64
	var work sync.WaitGroup
	for range 100 {
		work.Go(func() {
			if wait, _ := th.try("anna", now); wait == 0 {
				passed.Add(1)
			}
		})
	}
	work.Wait()
	if n := passed.Load(); n != freeTries {
		t.Errorf("%d of 100 concurrent tries passed, want %d", n, freeTries)
	}
	th.cancel("anna")
	if wait, _ := th.try("anna", now); wait != 0 {
		t.Errorf("after a try was cancelled: wait %v", wait)
	}
	th.succeed("anna")
	if wait, _ := th.try("anna", now); wait != 0 {
		t.Errorf("after a success: wait %v", wait)
	}
}

// Many names do not remove the entry of a name that has to wait.
func TestThrottleEvicts(t *testing.T) {
	now := time.Unix(1e9, 0)
	for _, tt := range []struct {
		name string
		more func(th *throttle, who string)
	}{
		{"tries that fail", func(th *throttle, who string) { th.try(who, now) }},
		{"tries that are cancelled", func(th *throttle, who string) { th.try(who, now); th.cancel(who) }},
	} {
		var th throttle
		for range freeTries {
			th.try("bob", now)
		}
		for i := range 2*maxThrottle + 100 {
			tt.more(&th, fmt.Sprint(i))
		}
		if wait, _ := th.try("bob", now); wait == 0 {
			t.Errorf("%s: bob does not have to wait", tt.name)
		}
		if n := len(th.tries); n > maxThrottle {
			t.Errorf("%s: %d entries", tt.name, n)
		}
	}
	var th throttle
	for i := range maxThrottle {
		for range freeTries {
			th.try(fmt.Sprint(i), now)
		}
	}
	th.try("new", now.Add(2*maxWait))
	if n := len(th.tries); n != 1 {
		t.Errorf("%d entries, of which one has an effect", n)
	}
	th.cancel("new")
	th.cancel("unknown")
	if n := len(th.tries); n != 0 {
		t.Errorf("%d entries after the only try was cancelled", n)
	}
}

// Refused tries are reported once for each wait.
func TestThrottleReportsOnce(t *testing.T) {
	var th throttle
	now := time.Unix(1e9, 0)
	for range freeTries {
		th.try("bob", now)
	}
	for _, want := range []bool{false, true, true} {
		if wait, repeated := th.try("bob", now); wait == 0 || repeated != want {
			t.Errorf("wait %v, repeated %v, want %v", wait, repeated, want)
		}
	}
	now = now.Add(maxWait)
	if wait, _ := th.try("bob", now); wait != 0 {
		t.Fatalf("after the wait: %v", wait)
	}
	if wait, repeated := th.try("bob", now); wait == 0 || repeated {
		t.Errorf("the next wait: %v, repeated %v", wait, repeated)
	}
}

// The addresses of one IPv6 network have the tries of one client, and other networks their own.
// Tries of logins and of the present password are counted apart.
func TestThrottledNetworks(t *testing.T) {
	eachWithClock(t, func(t *testing.T, a *Access, _ *clock, _ *keyring.Ring) {
		for _, tt := range []struct {
			peer      string
			throttled bool
		}{
			{"[2001:db8::1]:1", false}, {"[2001:db8::2]:1", false}, {"[2001:db8::3]:1", false}, {"[2001:db8::4]:1", false}, {"[2001:db8::5]:1", false},
			{"[2001:db8::6]:1", true},
			{"[2001:db8:0:1::1]:1", false},
			{"192.0.2.1:1", false},
		} {
			_, _, err := a.Login(t.Context(), "anna", "wrong password", tt.peer)
			if _, throttled := errors.AsType[*WaitError](err); throttled != tt.throttled || !throttled && !errors.Is(err, ErrLogin) {
				t.Errorf("%s: %v, want a wait %v", tt.peer, err, tt.throttled)
			}
		}
		wrong := "wrong password"
		for i := range freeTries + 1 {
			_, throttled := errors.AsType[*WaitError](a.SetPassword(t.Context(), "anna", &wrong, password2))
			if throttled != (i == freeTries) {
				t.Errorf("check %d of the present password: throttled %v", i+1, throttled)
			}
		}
	})
}

func TestWaitIsRoundedUp(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		time.Nanosecond:         "wait 1s",
		400 * time.Millisecond:  "wait 1s",
		time.Second:             "wait 1s",
		1100 * time.Millisecond: "wait 2s",
		5 * time.Minute:         "wait 5m0s",
	} {
		if got := waitAfter("failed logins", wait, false); !strings.HasSuffix(got.Message, want) || got.After != wait {
			t.Errorf("%v: %+v, want %s", wait, got, want)
		}
	}
}
