package content

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
)

// stuckDisk does not finish large writes, or removals and stamps, until a channel is
// closed. A nil channel stops nothing.
type stuckDisk struct {
	disk
	largeWrites, tidying chan struct{}
}

func openStuck(t *testing.T, opt Options, d stuckDisk) *Store {
	t.Helper()
	dir, err := openDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d.disk = dir
	s, err := open(d, testKey, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range []chan struct{}{d.largeWrites, d.tidying} {
			if c != nil {
				close(c)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (d stuckDisk) write(name string, data []byte, used time.Time) error {
	if d.largeWrites != nil && len(data) > smallBytes {
		<-d.largeWrites
	}
	return d.disk.write(name, data, used)
}

func (d stuckDisk) touch(name string, at time.Time) error {
	if d.tidying != nil {
		<-d.tidying
	}
	return d.disk.touch(name, at)
}

func (d stuckDisk) remove(name string) error {
	if d.tidying != nil {
		<-d.tidying
	}
	return d.disk.remove(name)
}

// wantReturn fails the test if f does not return while the disk is stuck.
func wantReturn(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute): // far more than any f takes
		t.Error("it waits for the other files")
	}
}

func TestSmallWriteDoesNotWaitForLargeOnes(t *testing.T) {
	s := openStuck(t, Options{}, stuckDisk{largeWrites: make(chan struct{})})
	for i := range 16 {
		put(t, s, flow.Scope{Project: "busy", Session: fmt.Sprint(i)}, fmt.Sprint(i, strings.Repeat("x", smallBytes)))
	}
	wantReturn(t, func() {
		ref := put(t, s, alice, "small")
		if err := s.SetView(alice, ref, someView()); err != nil {
			t.Error(err)
		}
	})
}

func TestRemovalAndStampOfFilesBlockNoCaller(t *testing.T) {
	c := newClock()
	s := openStuck(t, Options{MaxFiles: 4, Now: c.now}, stuckDisk{tidying: make(chan struct{})})
	wantReturn(t, func() {
		for i := range 5 { // evicts
			ref := put(t, s, alice, fmt.Sprint(i))
			if err := s.SetView(alice, ref, someView()); err != nil {
				t.Error(err)
			}
			c.add(2 * stampEvery)
			wantBytes(t, s, alice, ref, fmt.Sprint(i)) // stamps
		}
	})
}

// A session with many writes does not delay one with a single write.
func TestSessionsTakeTurns(t *testing.T) {
	l := newLane()
	for i, session := range []string{"a", "a", "a", "b", "a", "c", "b"} {
		l.push(&write{name: fmt.Sprint(session, i), scope: flow.Scope{Session: session}})
	}
	var order []string
	for w := l.pop(); w != nil; w = l.pop() {
		order = append(order, w.name)
	}
	if got, want := strings.Join(order, " "), "a0 b3 c5 a1 b6 a2 a4"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if len(l.queued) > 0 {
		t.Errorf("%d sessions are kept", len(l.queued))
	}
}
