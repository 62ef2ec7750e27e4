package content

import "time"

// instant is a time in Unix nanoseconds, of the clock of a Store.
type instant int64

func instantOf(t time.Time) instant                  { return instant(t.UnixNano()) }
func (i instant) time() time.Time                    { return time.Unix(0, int64(i)) }
func (i instant) since(before instant) time.Duration { return time.Duration(i - before) }

// now returns the time of the Store: the wall clock when it was opened, advanced by the
// monotonic clock. A change of the wall clock does not change the age of a file.
func (s *Store) now() instant {
	return instantOf(s.opened.Add(s.opt.Now().Sub(s.opened)))
}
