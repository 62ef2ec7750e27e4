package content

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// jumpStore is a Store on a fake clock with Originals of known age.
type jumpStore struct {
	*Store
	t   *testing.T
	dir string
	c   *clock
}

// reopen closes the Store, or leaves it as a killed process does, and opens it again when
// the wall clock has advanced by d.
func (s *jumpStore) reopen(d time.Duration, killed bool) {
	s.t.Helper()
	if s.Store != nil && !killed {
		if err := s.Close(); err != nil {
			s.t.Fatal(err)
		}
	}
	s.c.add(d)
	s.Store = openStore(s.t, s.dir, Options{Now: s.c.now, Memory: 1}) // TTL 24 h
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waitTidy()
}

// pass lets time pass while the Store is open.
func (s *jumpStore) pass(d time.Duration) {
	s.c.add(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom()
	s.waitTidy()
}

// want checks which of n Originals the index has; it is no use of them.
func (s *jumpStore) want(when string, want ...int) {
	s.t.Helper()
	var got []int
	for i := range 4 {
		if b, err := s.Peek(alice, makeRef(testKey, sha([]byte(fmt.Sprint(i))), alice), 100); err == nil && string(b) == fmt.Sprint(i) {
			got = append(got, i)
		}
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: originals %v, want %v", when, got, want)
	}
}

// openJump returns a Store with Originals that were last used 25 h, 23.9 h, 12 h and 0 h
// ago.
func openJump(t *testing.T) *jumpStore {
	s := &jumpStore{t: t, dir: t.TempDir(), c: newClock()}
	s.reopen(0, false)
	for i, wait := range []time.Duration{66 * time.Minute, 714 * time.Minute, 12 * time.Hour, 0} {
		ref := put(t, s.Store, alice, fmt.Sprint(i))
		if err := s.SetView(alice, ref, View{}); err != nil {
			t.Fatal(err)
		}
		s.pass(wait)
	}
	return s
}

func TestClockJumpsForwardAtStart(t *testing.T) {
	for _, killed := range []bool{false, true} {
		for _, jump := range []time.Duration{24 * time.Hour, 400 * 24 * time.Hour} {
			s := openJump(t)
			s.want("before", 1, 2, 3)
			s.reopen(jump, killed)
			s.want("after the jump", 1, 2, 3)
			if n := s.Stats().Expired; n > 0 {
				t.Errorf("%d files expired at start", n)
			}
			s.reopen(0, killed)
			s.want("after another start", 1, 2, 3)
			s.pass(7 * time.Minute)
			s.want("7 min later: 1 had 6 min left", 2, 3)
			wantBytes(t, s.Store, alice, makeRef(testKey, sha([]byte("2")), alice), "2")
			s.pass(time.Hour)
			s.want("after the grace period", 2) // it was used
			s.reopen(-jump, killed)
			s.want("after the clock was corrected", 2)
		}
	}
}

func TestClockJumpsBackAtStart(t *testing.T) {
	s := openJump(t)
	s.reopen(-24*time.Hour, false)
	s.want("after the jump", 1, 2, 3)
	s.pass(23 * time.Hour)
	s.reopen(time.Second, false)
	s.want("23 h later", 1, 2, 3)
	s.pass(2 * time.Hour)
	s.want("25 h later")
}

// Time during which the Store is not open counts, except for the last hour of a file.
func TestStartAfterANight(t *testing.T) {
	s := openJump(t)
	s.reopen(13*time.Hour, false)
	s.want("at start", 1, 2, 3)
	s.pass(61 * time.Minute)
	s.want("an hour later", 3)
	s.pass(10 * time.Hour)
	s.want("24 h after its last use")
}

// A directory of an earlier version has no clock file.
func TestClockJumpWithoutClockFile(t *testing.T) {
	s := openJump(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := openDir(s.dir)
	if err == nil {
		err = d.remove(clockFile)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.reopen(24*time.Hour, true)
	s.want("after the jump", 1, 2, 3)
}
