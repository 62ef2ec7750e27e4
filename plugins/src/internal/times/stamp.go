// Package times parses the times of records and groups records by time.
package times

import (
	"encoding/binary"
	"strconv"
)

// Stamp is a time as a text that can be compared: 2026-11-21T08:15, or a date followed by
// blanks. Zones are ignored, because the records of one text usually share one.
type Stamp [16]byte

// String returns the stamp without trailing blanks.
func (s Stamp) String() string { return string(s[:s.size()]) }

func (s Stamp) size() int {
	if s[10] == ' ' {
		return 10
	}
	return len(s)
}

// Before reports whether the first n characters of s sort before those of o.
func (s Stamp) Before(o Stamp, n int) bool { return string(s[:n]) < string(o[:n]) }

// Same reports whether two stamps are equal. It compares them as two words, because the
// stamps of most neighbouring records are equal, and a call is slow in Wasm.
func (s *Stamp) Same(o *Stamp) bool {
	date, time := s.words()
	otherDate, otherTime := o.words()
	return date == otherDate && time == otherTime
}

func (s *Stamp) words() (date, time uint64) {
	return binary.LittleEndian.Uint64(s[:]), binary.LittleEndian.Uint64(s[8:])
}

// masks returns masks of the words that select the first n characters.
func masks(n int) (head, tail uint64) {
	return ^uint64(0) >> (64 - 8*min(n, 8)), ^uint64(0) >> (64 - 8*max(n-8, 0))
}

// Parse parses a date such as 2026-11-21, optionally followed by T or a blank and a time of
// day, and times of web servers such as 21/Nov/2026:08:15:00.
func Parse(b []byte) (s Stamp, ok bool) {
	switch {
	case len(b) < len("2026-11-21"): // most texts
		return s, false
	case b[4] == '-' && len(b) >= len(s):
		copy(s[:], b)
		s[10] = 'T'
		return s, hasMinutes(b)
	case b[4] == '-' && len(b) == 10:
		copy(s[:], b)
		copy(s[10:], "      ")
		return s, hasShape(b, "0000-00-00")
	case b[2] == '/' && len(b) >= len("21/Nov/2026:08:15") && isWebTime(b):
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

// Eight bytes are checked at a time. The XOR of a word and the low word of a shape must be
// at most 9 in the place of a digit and 0 in the place of a separator. Adding the limit of
// the shape sets the top bit of each byte that is larger.
const (
	tops               = 0x8080808080808080
	lowDate, limitDate = 0x2d30302d30303030, 0x7f76767f76767676 // 0000-00-
	lowTime, limitTime = 0x30303a3030003030, 0x76767f7676007676 // 00?00:00
	lowDay, limitDay   = 0x302f0000002f3030, 0x767f0000007f7676 // 00/???/0
	lowYear, limitYear = 0x303a30303a303030, 0x767f76767f767676 // 000:00:0
)

// hasMinutes reports whether b begins with a date, hours and minutes.
func hasMinutes(b []byte) bool {
	date, time := binary.LittleEndian.Uint64(b)^lowDate, binary.LittleEndian.Uint64(b[8:])^lowTime
	invalid := ((date&^tops + limitDate) | date | (time&^tops + limitTime) | time) & tops
	return invalid == 0 && (b[10] == 'T' || b[10] == ' ')
}

// isWebTime reports whether b begins like 21/Nov/2026:08:15, whatever the month is.
func isWebTime(b []byte) bool {
	day, year := binary.LittleEndian.Uint64(b)^lowDay, binary.LittleEndian.Uint64(b[8:])^lowYear
	invalid := ((day&^tops + limitDay) | day | (year&^tops + limitYear) | year) & tops
	return invalid == 0 && b[16]-'0' <= 9
}

// Month returns the number of the month by the English abbreviation at the start of b, 0 if
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

// hasShape reports whether b begins with a digit where shape has 0, and with the bytes of
// shape elsewhere.
func hasShape(b []byte, shape string) bool {
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

// ParseEpoch parses seconds or milliseconds since 1970, from 2001 to 2065.
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
	y, m, d := dateOf(int(n / 86400))
	text := strconv.AppendInt(s[:0], int64(y), 10)
	text = append(appendTwo(append(text, '-'), m), '-')
	text = append(appendTwo(text, d), 'T')
	appendTwo(append(appendTwo(text, int(n/3600%24)), ':'), int(n/60%60))
	return s, true
}

// appendTwo appends a number of two digits.
func appendTwo(b []byte, n int) []byte { return append(b, '0'+byte(n/10), '0'+byte(n%10)) }

// dateOf converts days since 1970-01-01 to a date. It counts years that begin in March, so
// that leap days are at their ends.
func dateOf(days int) (year, month, day int) {
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
