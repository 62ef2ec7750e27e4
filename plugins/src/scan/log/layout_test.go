package log

import (
	"math/rand/v2"
	"testing"
)

// randomTime returns a text for each element of a layout, mostly one that is valid.
func randomTime(rnd *rand.Rand, l *layout) (out []byte) {
	pick := func(words ...string) string { return words[rnd.IntN(len(words))] }
	if l.isEpoch {
		return []byte(pick("1763712930", "1763712930123", "176371293"))
	}
	digit := func() string { return pick("0", "1", "2", "1", "0", "9") }
	for _, e := range l.elements {
		switch e.kind {
		case number:
			for range e.size {
				out = append(out, digit()...)
			}
		case variable:
			out = append(out, pick(digit(), digit()+digit(), digit()+digit())...)
		case padded:
			out = append(out, pick(" ", "1", "", "2", "  ")+pick(digit(), digit(), digit(), " ")...)
		case fraction:
			out = append(out, pick("", "", ".5", ".123456", ".")...)
		case separator:
			out = append(out, pick(" ", "T", "_", "-", "x")...)
		case letter:
			out = append(out, pick("I", "W", "x")...)
		case month:
			out = append(out, pick("Jan", "Dec", "May", "Max")...)
		case weekday:
			out = append(out, pick("Sun", "Mon", "Tom")...)
		default:
			out = append(out, e.text...)
		}
	}
	return out
}

// read returns the same as readElements for any text.
func TestReadAgreesWithReadElements(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	ends := []string{"", " INFO started the worker again", ".123456 2026 x", "Z text of more than that", ",123 ERROR", "5", "é and other letters", " AM a.b"}
	for i := range layouts {
		l, times := &layouts[i], 0
		text := layoutTexts[i]
		if l.size > maxSize {
			t.Fatalf("%s has %d places", text, l.size)
		}
		for range 4000 {
			line := append(randomTime(rnd, l), ends[rnd.IntN(len(ends))]...)
			if rnd.IntN(4) == 0 {
				line[rnd.IntN(len(line))] = byte(rnd.IntN(256))
			}
			line = append([]byte("["), line...)
			got, ok := l.read(line, 1)
			want, isTime := got, ok
			if !l.isEpoch {
				want, isTime = l.readElements(line, 1)
			}
			if ok != isTime || ok && got != want {
				t.Fatalf("%s: %q is %v %t, want %v %t", text, line, got, ok, want, isTime)
			}
			if isTime && !isLikelyTime(line[1:]) {
				t.Fatalf("%s: isLikelyTime(%q) = false", text, line)
			}
			if isTime && indexDigits(line, 0) == len(line) {
				t.Fatalf("%s: no adjacent digits in %q", text, line)
			}
			if ok {
				times++
			}
		}
		if times == 0 {
			t.Errorf("%s: no valid time was generated", text)
		}
	}
}
