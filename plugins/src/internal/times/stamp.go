// Package times reads the times of records and groups the records by them.
package times

import (
	"encoding/binary"
	"strconv"
)

// Stamp is a time as text that sorts: 2026-11-21T08:15, or 2026-11-21 and blanks
// for a date alone. The zone is the writer's; groups need no other.
type Stamp [16]byte

// String is the stamp without the blanks at its end.
func (s Stamp) String() string { return string(s[:s.size()]) }

func (s Stamp) size() int {
	if s[10] == ' ' {
		return 10
	}
	return len(s)
}

// Before compares the first n characters.
func (s Stamp) Before(o Stamp, n int) bool { return string(s[:n]) < string(o[:n]) }

// A stamp is compared as two words: nearly every one is that of the record before,
// and to be told so by a call takes several times as long in Wasm.

// Same reports whether two stamps are equal.
func (s *Stamp) Same(o *Stamp) bool {
	date, time := s.words()
	otherDate, otherTime := o.words()
	return date == otherDate && time == otherTime
}

func (s *Stamp) words() (date, time uint64) {
	return binary.LittleEndian.Uint64(s[:]), binary.LittleEndian.Uint64(s[8:])
}

// masks are set in the first n characters of the words.
func masks(n int) (head, tail uint64) {
	return ^uint64(0) >> (64 - 8*min(n, 8)), ^uint64(0) >> (64 - 8*max(n-8, 0))
}

// Parse reads 2026-11-21, the same with T or a blank and a time of day, and
// the 21/Nov/2026:08:15:00 of web servers.
func Parse(b []byte) (s Stamp, ok bool) {
	switch {
	case len(b) < len("2026-11-21"): // most texts
		return s, false
	case b[4] == '-' && len(b) >= len(s):
		copy(s[:], b)
		s[10] = 'T'
		return s, minute(b)
	case b[4] == '-' && len(b) == 10:
		copy(s[:], b)
		copy(s[10:], "      ")
		return s, shaped(b, "0000-00-00")
	case b[2] == '/' && len(b) >= len("21/Nov/2026:08:15") && web(b):
		m := Month(b[3:])
		copy(s[0:], b[7:11])
		copy(s[4:], "-00-00T")
		s[5], s[6] = '0'+byte(m/10), '0'+byte(m%10)
		copy(s[8:], b[0:2])
		copy(s[11:], b[12:17])
		return s, m > 0
	}
	return s, false
}

// In two words each byte is what it is more than the least that may stand in its
// place: 9 at most for a digit, 0 for a sign.
const (
	tops              = 0x8080808080808080
	leastDate, inDate = 0x2d30302d30303030, 0x7f76767f76767676 // 0000-00-
	leastTime, inTime = 0x30303a3030003030, 0x76767f7676007676 // 00?00:00
	leastDay, inDay   = 0x302f0000002f3030, 0x767f0000007f7676 // 00/???/0
	leastYear, inYear = 0x303a30303a303030, 0x767f76767f767676 // 000:00:0
)

// minute reports whether b begins with a date and hours and minutes.
func minute(b []byte) bool {
	date, time := binary.LittleEndian.Uint64(b)^leastDate, binary.LittleEndian.Uint64(b[8:])^leastTime
	odd := ((date&^tops + inDate) | date | (time&^tops + inTime) | time) & tops
	return odd == 0 && (b[10] == 'T' || b[10] == ' ')
}

// web reports whether b begins as 21/Nov/2026:08:15 does, the month apart.
func web(b []byte) bool {
	day, year := binary.LittleEndian.Uint64(b)^leastDay, binary.LittleEndian.Uint64(b[8:])^leastYear
	odd := ((day&^tops + inDay) | day | (year&^tops + inYear) | year) & tops
	return odd == 0 && b[16]-'0' <= 9
}

// Month is the number of the month whose English abbreviation b begins with, 0 if
// there is none.
func Month(b []byte) int {
	if len(b) < 3 {
		return 0
	}
	switch string(b[:3]) {
	case "Jan":
		return 1
	case "Feb":
		return 2
	case "Mar":
		return 3
	case "Apr":
		return 4
	case "May":
		return 5
	case "Jun":
		return 6
	case "Jul":
		return 7
	case "Aug":
		return 8
	case "Sep":
		return 9
	case "Oct":
		return 10
	case "Nov":
		return 11
	case "Dec":
		return 12
	}
	return 0
}

// shaped reports whether b begins with a digit where shape has 0, and with its
// bytes elsewhere.
func shaped(b []byte, shape string) bool {
	if len(b) < len(shape) {
		return false
	}
	for i := range len(shape) {
		if shape[i] == '0' && b[i]-'0' > 9 || shape[i] != '0' && b[i] != shape[i] {
			return false
		}
	}
	return true
}

// ParseEpoch reads seconds or milliseconds since 1970, from 2001 to 2065.
func ParseEpoch(b []byte) (s Stamp, ok bool) {
	n := int64(0)
	for _, c := range b {
		if c == '.' {
			break
		}
		if c-'0' > 9 || n > 1e14 {
			return s, false
		}
		n = n*10 + int64(c-'0')
	}
	if n > 1e12 {
		n /= 1000
	}
	if n < 1e9 || n > 3e9 {
		return s, false
	}
	y, m, d := civil(int(n / 86400))
	text := strconv.AppendInt(s[:0], int64(y), 10)
	text = append(two(append(text, '-'), m), '-')
	text = append(two(text, d), 'T')
	two(append(two(text, int(n/3600%24)), ':'), int(n/60%60))
	return s, true
}

func two(b []byte, n int) []byte { return append(b, '0'+byte(n/10), '0'+byte(n%10)) }

// civil turns days since 1970-01-01 into a date, by years that begin in March.
func civil(days int) (year, month, day int) {
	days += 719468
	era, doe := days/146097, days%146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	year, month, day = yoe+era*400, mp+3, doy-(153*mp+2)/5+1
	if month > 12 {
		return year + 1, month - 12, day
	}
	return year, month, day
}
