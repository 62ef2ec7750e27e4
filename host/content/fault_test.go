package content

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestFailedWriteIsReported(t *testing.T) {
	d := &countingDisk{}
	s := openOn(t, d, t.TempDir())
	kept := put(t, s, alice, "before")
	if err := s.SetView(alice, kept, View{}); err != nil {
		t.Fatal(err)
	}
	d.fail(syscall.ENOSPC)
	ref, err := s.Put(alice, []byte("lost"), info) // may succeed: no write has failed yet
	if err == nil {
		err = s.SetView(alice, ref, someView())
	}
	if err == nil {
		t.Fatal("no error: an answer with the ref would be sent")
	}
	if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, abi.ErrNotFound) {
		t.Errorf("wrong cause: %v", err)
	}
	for range 3 {
		if _, err := s.Put(alice, []byte("lost too"), info); !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("Put on a full disk: %v", err)
		}
	}
	if st := s.Stats(); st.Failed == 0 || st.Failure == "" {
		t.Errorf("%+v", st)
	}
	wantBytes(t, s, alice, kept, "before")
	d.fail(nil)
	ref = put(t, s, alice, "lost")
	if err := s.SetView(alice, ref, someView()); err != nil {
		t.Errorf("after the disk recovered: %v", err)
	}
	wantBytes(t, s, alice, ref, "lost")
}

func TestBlockedWriteDoesNotBlockPutAndGet(t *testing.T) {
	d := &countingDisk{gate: make(chan struct{})}
	s := openOn(t, d, t.TempDir())
	var refs []string
	for i := range 20 {
		refs = append(refs, put(t, s, alice, fmt.Sprint("content ", i)))
	}
	for i, ref := range refs {
		wantBytes(t, s, alice, ref, fmt.Sprint("content ", i))
	}
	if st := s.Stats(); st.PendingBytes == 0 {
		t.Error("no pending bytes: the write was not blocked")
	}
	ctx, done := context.WithCancel(context.Background())
	go func() {
		defer done()
		if err := s.SetView(alice, refs[19], someView()); err != nil {
			t.Error(err)
		}
	}()
	if ctx.Err() != nil {
		t.Error("SetView returned before its original was written")
	}
	close(d.gate)
	<-ctx.Done()
	if st := s.Stats(); st.PendingBytes != 0 && st.Refs != 20 {
		t.Errorf("%+v", st)
	}
}

func TestPutWaitsAboveThePendingLimit(t *testing.T) {
	d := &countingDisk{gate: make(chan struct{})}
	s := openOn(t, d, t.TempDir())
	s.opt.Pending = 1000
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		put(t, s, alice, strings.Repeat("x", 5000))
	}()
	d.gate <- struct{}{} // the original
	select {
	case <-finished:
		t.Error("Put returned before its ref was written")
	default:
	}
	close(d.gate)
	<-finished
}
