package number

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Kind{
		"0": Int, "-12": Int, "+7": Int, "007": Int, "1234567890123456789012": Int,
		"1.5": Decimal, ".5": Decimal, "5.": Decimal, "1e9": Decimal, "-1.25E-3": Decimal, "12345678.12345678": Decimal,
		"-": None, ".": None, "1.2.3": None, "1e": None, "e5": None, "12a": None, "0x1f": None, "1 000": None, "2026-11-21": None,
	} {
		value, k := Parse([]byte(text))
		if k != want {
			t.Errorf("Parse(%q) is of kind %d, want %d", text, k, want)
		}
		if f, err := strconv.ParseFloat(text, 64); k != None && (err != nil || math.Abs(value-f) > 1e-14*math.Abs(f)) {
			t.Errorf("Parse(%q) = %g, want %g", text, value, f)
		}
	}
}

func TestParseAgreesWithStrconv(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		text := fmt.Sprintf("%.*f", rnd.IntN(12), (rnd.Float64()-0.5)*math.Pow10(rnd.IntN(20)))
		want, _ := strconv.ParseFloat(text, 64)
		if got, k := Parse([]byte(text)); k == None || math.Abs(got-want) > 1e-14*math.Abs(want) {
			t.Fatalf("Parse(%q) = %g, want %g", text, got, want)
		}
	}
}

func TestEightDigits(t *testing.T) {
	word := func(s string) (w uint64) {
		for i := range 8 {
			w |= uint64(s[i]) << (8 * i)
		}
		return w
	}
	for _, s := range []string{"00000000", "12345678", "99999999", "10000001"} {
		want, _ := strconv.ParseUint(s, 10, 64)
		if got, ok := EightDigits(word(s)); !ok || got != want {
			t.Errorf("EightDigits(%s) = %d, %t", s, got, ok)
		}
	}
	for i := range 8 {
		for c := range 256 {
			s := []byte("12345678")
			s[i] = byte(c)
			if _, ok := EightDigits(word(string(s))); ok != (c >= '0' && c <= '9') {
				t.Errorf("EightDigits(%q) = %t", s, ok)
			}
		}
	}
}
