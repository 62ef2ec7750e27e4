package access

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Tries that run at the same time do not pass the limit together.
func TestThrottleOfConcurrentTries(t *testing.T) {
	var th throttle
	now := time.Unix(1e9, 0)
	var passed atomic.Int64
	var work sync.WaitGroup
	for range 100 {
		work.Go(func() {
			if th.try("anna", now) == 0 {
				passed.Add(1)
			}
		})
	}
	work.Wait()
	if n := passed.Load(); n != freeTries {
		t.Errorf("%d of 100 concurrent tries passed, want %d", n, freeTries)
	}
	th.cancel("anna")
	if wait := th.try("anna", now); wait != 0 {
		t.Errorf("after a try was cancelled: wait %v", wait)
	}
	th.succeed("anna")
	if wait := th.try("anna", now); wait != 0 {
		t.Errorf("after a success: wait %v", wait)
	}
}

func TestWaitIsRoundedUp(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		time.Nanosecond:         "wait 1s",
		400 * time.Millisecond:  "wait 1s",
		time.Second:             "wait 1s",
		1100 * time.Millisecond: "wait 2s",
		5 * time.Minute:         "wait 5m0s",
	} {
		if got := waitAfter("failed logins", wait); !strings.HasSuffix(got.Message, want) || got.After != wait {
			t.Errorf("%v: %+v, want %s", wait, got, want)
		}
	}
}
