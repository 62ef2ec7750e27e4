package logscan

import "github.com/mcpctl/mcpctl/plugins/src/internal/times"

// patterns are how logs write times, those that hold others first. Y, M, D, h, m
// and s stand for a digit of the year to the second, y for one of a year of this
// century, H, I
// and S for hours, minutes and seconds of one or two digits, _D for such a day, N for
// the name of a month, W for that of a weekday, L for the letter of a level, E
// for seconds or more since 1970; ? is a blank, a T or what else stands between
// date and time.
var patterns = [...]string{
	"YYYY-MM-DD?hh:mm:ss", "YYYY/MM/DD?hh:mm:ss", "YYYY.MM.DD?hh:mm:ss", "YYYY-MM-DD-hh.mm.ss", "YYYY-MM-DD?hh:mm",
	"YYYYMMDD?H:I:S", "YYYYMMDD?hhmmss", "DD/N/YYYY:hh:mm:ss", "DD-N-YYYY hh:mm:ss", "DD N YYYY hh:mm:ss", "DD.MM.YYYY hh:mm:ss",
	"W N _D hh:mm:ss YYYY", "N _D hh:mm:ss YYYY", "N _D YYYY hh:mm:ss", "N _D, YYYY H:mm:ss", "N _D hh:mm:ss",
	"yy/MM/DD hh:mm:ss", "MM-DD hh:mm:ss", "MM.DD hh:mm:ss", "MM/DD hh:mm:ss", "LMMDD hh:mm:ss", "yyMMDD hhmmss", "E", "hh:mm:ss",
}

// stamp is a time in a line.
type stamp struct {
	times.Stamp
	clock int // where its time of day begins
	end   int // where the time ends, its fraction and zone included
}

const noTime = "0000-00-00T00:00"

// read reads the time that is written by a pattern at b[p].
func read(pattern string, b []byte, p int) (s stamp, ok bool) {
	if pattern == "E" {
		return readEpoch(b, p)
	}
	copy(s.Stamp[:], noTime)
	to := 0 // where the next digit goes
	for i := 0; i < len(pattern); i++ {
		if p >= len(b) {
			return s, false
		}
		c, want := b[p], pattern[i]
		if c == '.' && want == ' ' && i > 0 && pattern[i-1] == 's' { // a fraction before the year
			for p++; p < len(b) && b[p]-'0' <= 9; p++ {
			}
			i--
			continue
		}
		if i == 0 || want != pattern[i-1] {
			switch want {
			case 'Y':
				to = 0
			case 'y':
				s.Stamp[0], s.Stamp[1], to = '2', '0', 2
			case 'M':
				to = 5
			case 'D':
				to = 8
			case 'h':
				s.clock, to = p, 11
			case 'H':
				s.clock = p
			case 'm':
				to = 14
			}
		}
		switch want {
		case 'Y', 'y', 'M', 'D', 'h', 'm':
			if c-'0' > 9 {
				return s, false
			}
			s.Stamp[to] = c
			to++
		case 's':
			if c-'0' > 9 {
				return s, false
			}
		case '?':
			if !separates(c) {
				return s, false
			}
		case '_', 'H', 'I', 'S':
			if want == '_' && c == ' ' {
				p++
			}
			n := 0
			if n, p, ok = number2(b, p); !ok {
				return s, false
			}
			switch want {
			case '_':
				s.set(8, n)
				i++ // the D
			case 'H':
				s.set(11, n)
			case 'I':
				s.set(14, n)
			}
			continue
		case 'N':
			n := times.Month(b[p:])
			if n == 0 {
				return s, false
			}
			s.set(5, n)
			p += 2
		case 'W':
			if len(b)-p < 3 || !isWeekday(string(b[p:p+3])) {
				return s, false
			}
			p += 2
		case 'L':
			if levelLetter(c) == unknown {
				return s, false
			}
		default:
			if c != want {
				return s, false
			}
		}
		p++
	}
	return s, s.ends(b, p)
}

// separates reports what may stand between date and time.
func separates(c byte) bool { return c == ' ' || c == 'T' || c == '_' || c == '-' }

// ends finds the end of a time behind its seconds, and reports whether it is one.
func (s *stamp) ends(b []byte, p int) bool {
	s.end = afterClock(b, p)
	if s.end < len(b) && (isLetter(b[s.end]) || b[s.end]-'0' <= 9) {
		return false
	}
	return s.valid()
}

// set writes a number of two digits.
func (s *stamp) set(at, n int) { s.Stamp[at], s.Stamp[at+1] = '0'+byte(n/10), '0'+byte(n%10) }

// number2 reads a number of one or two digits.
func number2(b []byte, p int) (n, end int, ok bool) {
	for end = p; end < len(b) && end < p+2 && b[end]-'0' <= 9; end++ {
		n = n*10 + int(b[end]-'0')
	}
	return n, end, end > p
}

// afterClock skips the fraction of a second, the zone, and AM or PM.
func afterClock(b []byte, p int) int {
	if p+1 < len(b) && (b[p] == '.' || b[p] == ',' || b[p] == ':') && b[p+1]-'0' <= 9 {
		q := p + 1
		for q < len(b) && b[q]-'0' <= 9 {
			q++
		}
		if b[p] != ',' || q-p == 4 || q-p == 7 || q-p == 10 {
			p = q
		}
	}
	switch rest := b[p:]; {
	case len(rest) > 0 && rest[0] == 'Z':
		return p + 1
	case len(rest) > 2 && rest[0] == ' ' && (rest[1] == 'A' || rest[1] == 'P') && rest[2] == 'M':
		return p + 3
	case len(rest) > 4 && (rest[0] == '+' || rest[0] == '-' || rest[0] == ' ' && (rest[1] == '+' || rest[1] == '-')):
		q := p + 1
		if rest[0] == ' ' {
			q++
		}
		from := q
		for q < len(b) && q < from+5 && (b[q]-'0' <= 9 || b[q] == ':') {
			q++
		}
		if q-from >= 4 {
			return q
		}
	}
	return p
}

// valid reports whether the parts of a time are in their ranges.
func (s *stamp) valid() bool {
	two := func(i int) byte { return 10*(s.Stamp[i]-'0') + s.Stamp[i+1] - '0' }
	return two(5) <= 12 && two(8) <= 31 && two(11) < 24 && two(14) < 60
}

// readEpoch reads seconds or a finer unit since 1970.
func readEpoch(b []byte, p int) (s stamp, ok bool) {
	end := p
	for end < len(b) && b[end]-'0' <= 9 {
		end++
	}
	if end-p != 10 && end-p != 13 {
		return s, false
	}
	if s.Stamp, ok = times.ParseEpoch(b[p:end]); !ok {
		return s, false
	}
	if end < len(b) && b[end] == '.' {
		for end++; end < len(b) && b[end]-'0' <= 9; end++ {
		}
	}
	s.clock, s.end = p, end
	return s, end == len(b) || !isLetter(b[end])
}

func isWeekday(s string) bool {
	switch s {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun":
		return true
	}
	return false
}

func isLetter(c byte) bool { return c|0x20-'a' < 26 }
