package prompt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// source is a resource that tests change and remove.
type source struct {
	text  atomic.Pointer[string] // nil: removed
	delay time.Duration
	reads atomic.Int32
}

func (s *source) set(text string) { s.text.Store(&text) }

func (s *source) read(ctx context.Context, target string) ([]byte, error) {
	s.reads.Add(1)
	select {
	case <-time.After(s.delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if t := s.text.Load(); t != nil {
		return []byte(*t), nil
	}
	return nil, fmt.Errorf("dial 10.0.0.7: password is hunter2 (%s)", target)
}

const target = "system-public/docs:docs://a"

func linksOf(t *testing.T, s *source, log *strings.Builder) *Links {
	t.Helper()
	o := LinkOptions{Read: s.read}
	if log != nil {
		o.Log = slog.New(slog.NewTextHandler(log, nil))
	}
	l := NewLinks(o)
	t.Cleanup(func() { l.Close() })
	return l
}

// The status of a link follows its source, and the error of a dead link is logged.
func TestDeadLinkLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := &source{}
		s.set("# Pages\n\nHow it is built.")
		l := linksOf(t, s, &log)
		if got := l.Body(target); got.Status != Unknown {
			t.Errorf("before the first read: %+v", got)
		}
		text, err := l.Content(t.Context(), target)
		if err != nil || string(text) != "# Pages\n\nHow it is built." {
			t.Fatalf("%q, %v", text, err)
		}
		if got := l.Body(target); got.Status != Alive || got.Bytes != len(text) || got.Rule.Summary != "How it is built." {
			t.Errorf("alive: %+v", got)
		}
		s.text.Store(nil)
		if _, err := l.Content(t.Context(), target); err != nil {
			t.Errorf("within a minute: %v", err)
		}
		if err := l.Fault(target); err != nil {
			t.Errorf("alive: %v", err)
		}
		time.Sleep(freshFor)
		if text, err := l.Content(t.Context(), target); err != nil || string(text) != "# Pages\n\nHow it is built." {
			t.Errorf("copy while it is read again: %q, %v", text, err)
		}
		synctest.Wait()
		_, err = l.Content(t.Context(), target)
		if !errors.Is(err, abi.ErrUnavailable) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "docs") {
			t.Errorf("dead: %v", err)
		}
		if got := l.Body(target); got.Status != Dead || got.Rule == nil {
			t.Errorf("dead: %+v", got)
		}
		if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), target) {
			t.Errorf("logged: %s", log.String())
		}
		s.set("back")
		time.Sleep(checkDead)
		l.Check([]string{target})
		synctest.Wait()
		if got := l.Body(target); got.Status != Alive || got.Bytes != 4 {
			t.Errorf("restored: %+v", got)
		}
		if text, err := l.Content(t.Context(), target); err != nil || string(text) != "back" {
			t.Errorf("restored: %q, %v", text, err)
		}
	})
}

// Clients cannot distinguish why a link is dead: the server is not available, the resource
// is missing, or access is denied.
func TestDeadLinkDetection(t *testing.T) {
	for _, why := range []error{errors.New("no such server"), fmt.Errorf("%w: resource", abi.ErrNotFound), fmt.Errorf("%w: not yours", abi.ErrDenied)} {
		l := NewLinks(LinkOptions{Read: func(context.Context, string) ([]byte, error) { return nil, why }})
		_, err := l.Content(t.Context(), target)
		if err == nil || err.Error() != errDead.Error() || l.Body(target).Status != Dead {
			t.Errorf("%v: a client reads %q, status %s", why, err, l.Body(target).Status)
		}
		if got := l.Fault(target); !errors.Is(got, why) || l.Fault(target+"2") != nil {
			t.Errorf("%v: Fault returns %v", why, got)
		}
		l.Close()
	}
}

func TestFetchIsSharedAndWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{delay: time.Second}
		s.set("text")
		l := linksOf(t, s, nil)
		for range 20 {
			go l.Content(t.Context(), target)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := s.reads.Load(); n != 1 {
			t.Errorf("%d reads for 20 concurrent callers, want 1", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s.delay = time.Hour
		if _, err := l.Content(ctx, target+"2"); !errors.Is(err, abi.ErrUnavailable) || ctx.Err() != nil {
			t.Errorf("one second before the deadline: %v, %v", err, ctx.Err())
		}
		cancel()
		if _, err := l.Content(ctx, target+"3"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// Readers wait at most 2.5 s for all links whose server does not start. The links are
// then dead, with a reason, until they can be read.
func TestWaitForHangingLinksIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := &source{delay: 20 * time.Second}
		s.set("text")
		l := linksOf(t, s, &log)
		var targets []string
		for i := range fetchAtOnce {
			targets = append(targets, fmt.Sprint(target, i))
		}
		begin := time.Now()
		hook, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		l.Fetch(targets)
		for _, name := range targets {
			if _, err := l.Content(hook, name); !errors.Is(err, abi.ErrUnavailable) {
				t.Fatalf("%s: %v", name, err)
			}
			if err := l.Fault(name); l.Body(name).Status != Dead || err == nil || !strings.Contains(err.Error(), "2.5s") {
				t.Errorf("%s: status %s, reason %v", name, l.Body(name).Status, err)
			}
		}
		if waited := time.Since(begin); waited != maxWait {
			t.Errorf("a reader of %d links waited %v, want %v", len(targets), waited, maxWait)
		}
		time.Sleep(s.delay)
		if text, err := l.Content(t.Context(), targets[0]); string(text) != "text" || err != nil || l.Fault(targets[0]) != nil {
			t.Errorf("after the read: %q, %v, fault %v", text, err, l.Fault(targets[0]))
		}
		synctest.Wait()
		s.text.Store(nil)
		s.delay = 5 * time.Second
		l.Content(t.Context(), "late/and:dead")
		time.Sleep(s.delay)
		synctest.Wait()
		if err := l.Fault("late/and:dead"); err == nil || !strings.Contains(err.Error(), "dial") || !strings.Contains(log.String(), "dial") {
			t.Errorf("error of a late fetch: %v; log %s", err, log.String())
		}
	})
}

// A hook that reads many hanging links without Fetch keeps its reserve of time.
func TestHangingLinksLeaveReserveToHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := linksOf(t, &source{delay: time.Hour}, nil)
		hook, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for i := range 100 {
			if _, err := l.Content(hook, fmt.Sprint(target, i)); !errors.Is(err, abi.ErrUnavailable) {
				t.Fatalf("link %d: %v", i, err)
			}
		}
		if end, _ := hook.Deadline(); time.Until(end) < reserve {
			t.Errorf("%v left, want at least %v", time.Until(end), reserve)
		}
	})
}

func TestCopyIsServedDuringFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		s.set("old")
		l := linksOf(t, s, nil)
		l.Content(t.Context(), target)
		time.Sleep(freshFor)
		s.set("new")
		s.delay = 10 * time.Second
		begin := time.Now()
		for range 3 {
			if text, err := l.Content(t.Context(), target); string(text) != "old" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			time.Sleep(maxWait)
		}
		if s.reads.Load() != 2 || l.Body(target).Status != Alive {
			t.Errorf("%d reads, status %s", s.reads.Load(), l.Body(target).Status)
		}
		time.Sleep(s.delay - time.Since(begin))
		synctest.Wait()
		if text, _ := l.Content(t.Context(), target); string(text) != "new" {
			t.Errorf("after the fetch: %q", text)
		}
	})
}

func TestTooLargeResourceIsDead(t *testing.T) {
	s := &source{}
	s.set(strings.Repeat("x", maxLinkBytes+1))
	l := linksOf(t, s, nil)
	if _, err := l.Content(t.Context(), target); err == nil || l.Body(target).Status != Dead {
		t.Errorf("accepted: %v", err)
	}
}

// The total size of copies is limited, and Check removes unused links.
func TestCopiesAreLimited(t *testing.T) {
	l := NewLinks(LinkOptions{Read: func(context.Context, string) ([]byte, error) { return make([]byte, maxLinkBytes), nil }})
	defer l.Close()
	for i := range 2 * maxKeptBytes / maxLinkBytes {
		if _, err := l.Content(t.Context(), fmt.Sprint(target, i)); err != nil {
			t.Fatal(err)
		}
		if l.copyBytes > maxKeptBytes {
			t.Fatalf("%d bytes kept", l.copyBytes)
		}
	}
	l.Check(nil)
	if l.copyBytes != 0 || len(l.byName) != 0 {
		t.Errorf("%d bytes of %d unused links", l.copyBytes, len(l.byName))
	}
}

// Check reads a bounded number of links concurrently, and a link only when it is due.
func TestCheckIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most, all atomic.Int32
		l := NewLinks(LinkOptions{Read: func(context.Context, string) ([]byte, error) {
			most.Store(max(most.Load(), now.Add(1)))
			all.Add(1)
			time.Sleep(time.Second)
			now.Add(-1)
			return []byte("x"), nil
		}})
		defer l.Close()
		var targets []string
		for i := range 20 {
			targets = append(targets, fmt.Sprint(target, i))
		}
		l.Check(targets)
		l.Check(targets)
		time.Sleep(time.Minute)
		l.Check(targets)
		time.Sleep(time.Minute)
		if all.Load() != 20 || most.Load() != checksAtOnce {
			t.Errorf("%d reads, %d concurrent; want 20, %d", all.Load(), most.Load(), checksAtOnce)
		}
		time.Sleep(checkAlive)
		l.Check(targets)
		time.Sleep(time.Minute)
		if all.Load() != 40 {
			t.Errorf("%d reads after the second check, want 40", all.Load())
		}
	})
}

// Close cancels a fetch without marking its link as dead.
func TestCloseDuringFetch(t *testing.T) {
	looking := make(chan struct{})
	l := NewLinks(LinkOptions{Read: func(ctx context.Context, _ string) ([]byte, error) {
		close(looking)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	got := make(chan error)
	go func() {
		_, err := l.Content(context.Background(), target)
		got <- err
	}()
	<-looking
	l.Close()
	if err := <-got; err == nil || l.Body(target).Status != Unknown {
		t.Errorf("%v, status %s", err, l.Body(target).Status)
	}
	if _, err := l.Content(t.Context(), target); err == nil {
		t.Error("Content after Close: no error")
	}
}

// Only Read limits the time of a fetch, because a server may have to be installed first.
func TestSlowServerStartIsNotCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLinks(LinkOptions{Read: func(ctx context.Context, _ string) ([]byte, error) {
			select {
			case <-time.After(50 * time.Second):
				return []byte("installed"), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}})
		defer l.Close()
		if _, err := l.Content(t.Context(), target); err == nil {
			t.Error("Content waited for the installation")
		}
		time.Sleep(time.Minute)
		if got := l.Body(target); got.Status != Alive {
			t.Errorf("status %s", got.Status)
		}
	})
}
