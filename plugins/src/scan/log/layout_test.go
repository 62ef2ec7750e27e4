package logscan

import (
	"math/rand/v2"
	"testing"
)

// written are digits and names in the places of a pattern, mostly such as could be
// a time.
func written(rnd *rand.Rand, pattern string) (out []byte) {
	pick := func(words ...string) string { return words[rnd.IntN(len(words))] }
	signs := spread(pattern)
	for i, c := range signs {
		if i > 0 && c == signs[i-1] && (c == 'N' || c == 'W') {
			continue // of the same word
		}
		switch c {
		case 'E':
			out = append(out, pick("1763712930", "1763712930123", "176371293")...)
		case 'Y', 'M', 'D', 'h', 'm', 's', 'y':
			out = append(out, pick("0", "1", "2", "1", "0", "9")...)
		case '_':
			out = append(out, pick(" ", "1", "", "2", "  ")...)
		case '?':
			out = append(out, pick(" ", "T", "_", "-", "x")...)
		case 'L':
			out = append(out, pick("I", "W", "x")...)
		case 'N':
			out = append(out, pick("Jan", "Dec", "May", "Max")...)
		case 'W':
			out = append(out, pick("Sun", "Mon", "Tom")...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// A layout reads what its pattern reads, of any text.
func TestLayoutsReadWhatPatternsRead(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	ends := []string{"", " INFO started the worker again", ".123456 2026 x", "Z text of more than that", ",123 ERROR", "5", "é and other letters", " AM a.b"}
	for i, pattern := range patterns {
		l, times := &layouts[i], 0
		if l.size > places {
			t.Fatalf("%s has %d places", pattern, l.size)
		}
		for range 4000 {
			line := append(written(rnd, pattern), ends[rnd.IntN(len(ends))]...)
			if rnd.IntN(4) == 0 {
				line[rnd.IntN(len(line))] = byte(rnd.IntN(256))
			}
			line = append([]byte("["), line...)
			got, ok := l.read(line, 1)
			want, isTime := read(pattern, line, 1)
			if ok != isTime || ok && got != want {
				t.Fatalf("%s: %q is %v %t, want %v %t", pattern, line, got, ok, want, isTime)
			}
			if isTime && !begins(line[1:]) {
				t.Fatalf("%s: %q does not begin like a time", pattern, line)
			}
			if isTime && nextNumber(line, 0) == len(line) {
				t.Fatalf("%s: %q has no number", pattern, line)
			}
			if ok {
				times++
			}
		}
		if times == 0 {
			t.Errorf("%s: no time was written", pattern)
		}
	}
}
