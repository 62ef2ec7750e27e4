package log

import "github.com/mcpctl/mcpctl/plugins/src/internal/times"

// stamp is a time in a line.
type stamp struct {
	times.Stamp
	clock int // offset of the time of day
	end   int // offset after the time with its fraction and zone
}

const noTime = "0000-00-00T00:00"

// set writes a number of two digits.
func (s *stamp) set(at, n int) { s.Stamp[at], s.Stamp[at+1] = '0'+byte(n/10), '0'+byte(n%10) }

// finish sets the end of a time; its last element ends at p. It reports whether the time
// is valid and ends there.
func (s *stamp) finish(b []byte, p int) bool {
	s.end = skipZone(b, skipFraction(b, p))
	if s.end < len(b) && (isLetter(b[s.end]) || b[s.end]-'0' <= 9) {
		return false
	}
	two := func(i int) byte { return 10*(s.Stamp[i]-'0') + s.Stamp[i+1] - '0' }
	return two(5) <= 12 && two(8) <= 31 && two(11) < 24 && two(14) < 60
}

// skipFraction returns the offset after the fraction of a second at b[p], if there is
// one. After a comma it must have 3, 6 or 9 digits.
func skipFraction(b []byte, p int) int {
	if p+1 >= len(b) || b[p] != '.' && b[p] != ',' && b[p] != ':' || b[p+1]-'0' > 9 {
		return p
	}
	q := skipDigits(b, p+1)
	if b[p] == ',' && q-p != 4 && q-p != 7 && q-p != 10 {
		return p
	}
	return q
}

// skipZone returns the offset after the zone at b[p] (Z, +0100, +01:00 or " +0100"), or
// after AM or PM, if there is one.
func skipZone(b []byte, p int) int {
	rest := b[p:]
	switch {
	case len(rest) > 0 && rest[0] == 'Z':
		return p + 1
	case len(rest) > 2 && rest[0] == ' ' && (rest[1] == 'A' || rest[1] == 'P') && rest[2] == 'M':
		return p + 3
	case len(rest) < 5:
		return p
	}
	q := p
	if b[q] == ' ' {
		q++
	}
	if b[q] != '+' && b[q] != '-' {
		return p
	}
	q++
	from := q
	for q < len(b) && q < from+5 && (b[q]-'0' <= 9 || b[q] == ':') {
		q++
	}
	if q-from >= 4 {
		return q
	}
	return p
}

// readEpoch reads seconds or milliseconds since 1970, with an optional fraction.
func readEpoch(b []byte, p int) (s stamp, ok bool) {
	end := skipDigits(b, p)
	if end-p != 10 && end-p != 13 {
		return s, false
	}
	if s.Stamp, ok = times.ParseEpoch(b[p:end]); !ok {
		return s, false
	}
	if end < len(b) && b[end] == '.' {
		end = skipDigits(b, end+1)
	}
	s.clock, s.end = p, end
	return s, end == len(b) || !isLetter(b[end])
}

// isSeparator reports whether c may separate date and time.
func isSeparator(c byte) bool { return c == ' ' || c == 'T' || c == '_' || c == '-' }

func isWeekday(s string) bool {
	switch s {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun":
		return true
	}
	return false
}
