package content

import "time"

// instant is a time in Unix nanoseconds, of the clock of a Store.
type instant int64

func instantOf(t time.Time) instant                  { return instant(t.UnixNano()) }
func (i instant) time() time.Time                    { return time.Unix(0, int64(i)) }
func (i instant) since(before instant) time.Duration { return time.Duration(i - before) }

// now returns the time of the Store: the wall clock when it was opened, advanced by the
// monotonic clock. A change of the wall clock does not change the age of a file. The
// monotonic clock of most systems stops while they are suspended.
func (s *Store) now() instant {
	return instantOf(s.opened.Add(s.opt.Now().Sub(s.opened)))
}

// clockFile is an empty file. Its modification time is the last time at which the Store
// was open, to a precision of sweepEvery.
const clockFile = "clock"

// graceAtStart is the time after a start during which no file expires that had as much of
// its TTL left when the Store was last open.
const graceAtStart = time.Hour

// lastUse returns the last use of a file that was found at start, now, given its time on
// disk, the time at which the Store was last open, and the TTL.
//
// The time since then may be a change of the wall clock: whether it was, cannot be known.
// It therefore expires nothing at once. A file that was valid when the Store was last open
// is valid for what was left of its TTL then, up to graceAtStart. Nothing is valid for
// longer than its TTL plus the time during which the Store was not open. If the clock was
// set back, a file with a time in the future was used now.
func lastUse(now, onDisk, open instant, ttl time.Duration) instant {
	if onDisk >= now {
		return now
	}
	left := ttl - now.since(onDisk)
	if closed := now.since(open); closed > 0 {
		left = max(left, min(left+closed, graceAtStart))
	}
	return now - instant(ttl-left)
}

// lastOpen returns the time at which the Store was last open: the time of clockFile or,
// in a directory of an earlier version, of the file that was used last.
func lastOpen(d disk, found []stat) instant {
	if _, at, err := d.read(clockFile); err == nil {
		return instantOf(at)
	}
	var last instant
	for _, f := range found {
		last = max(last, instantOf(f.used))
	}
	return last
}

// stampClock sets the time of clockFile. On failure, files may be valid for longer after
// the next start, by at most graceAtStart.
func stampClock(d disk, now instant) {
	if d.touch(clockFile, now.time()) != nil {
		_ = d.write(clockFile, nil, now.time())
	}
}
