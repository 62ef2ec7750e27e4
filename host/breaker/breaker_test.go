package breaker

import (
	"errors"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// host/pipeline and host/controller test the breaker with real runs. The tests here
// cover the rest.

func TestUnusedCircuitsAreRemoved(t *testing.T) {
	now := time.UnixMilli(0)
	b := New[int](func() time.Time { return now })
	for i := range 1000 {
		fail(t, b, i, Failed, After)
		now = now.Add(time.Second)
	}
	if n := len(b.circuits); n > 70 {
		t.Errorf("%d circuits, want only those of the last minute", n)
	}
}

func fail(t *testing.T, b *Breaker[int], k int, v Verdict, times int) {
	t.Helper()
	for range times {
		p, err := b.Allow(k, 5000)
		if err != nil {
			t.Fatal(err)
		}
		b.Done(p, v)
	}
}

func TestOutError(t *testing.T) {
	tests := []struct {
		rule    string
		verdict Verdict
		size    int
		after   time.Duration
		kind    error
		want    string
	}{
		{"failure counts for every size", Failed, 0, 0, abi.ErrUnavailable, "out of service after 3 failures in 1m0s, tried again in 1s"},
		{"remaining wait", Failed, 0, 440 * time.Millisecond, abi.ErrUnavailable, "out of service after 3 failures in 1m0s, tried again in 600ms"},
		{"failure at a limit counts for larger sizes", Exceeded, 4096, 0, abi.ErrLimit, "out of service for content of 4 KiB or more after 3 failures in 1m0s, tried again in 1s"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			now := time.UnixMilli(0)
			b := New[int](func() time.Time { return now })
			fail(t, b, 1, tt.verdict, After)
			now = now.Add(tt.after)
			_, err := b.Allow(1, tt.size)
			if err == nil || err.Error() != tt.want || !errors.Is(err, tt.kind) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// After a cancelled trial the next run is a trial again.
func TestCancelledTrialIsRepeated(t *testing.T) {
	now := time.UnixMilli(0)
	b := New[int](func() time.Time { return now })
	fail(t, b, 1, Failed, After)
	now = now.Add(time.Second)
	fail(t, b, 1, Unknown, 5)
	fail(t, b, 1, Good, 1)
	fail(t, b, 1, Failed, After-1) // in service again, with no failures counted
	if _, err := b.Allow(1, 0); err != nil {
		t.Error(err)
	}
}
