package abi_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/mcpctl/mcpctl/abi"
)

// estimate implements the documented formula directly, with floats.
func estimate(b []byte) int {
	var total float64
	for len(b) > 0 {
		n := 1
		for n < len(b) && class(b[n]) == class(b[0]) {
			n++
		}
		switch class(b[0]) {
		case "letter":
			total += 0.65 + 1.25*float64((n-1)/6)
		case "digit":
			total += 1.75 * float64((n+2)/3)
		case "other":
			total += 0.75 + 0.13*float64(n)
		case "newline":
			total += float64(n)
		case "high":
			total += 0.12 * float64(n)
		}
		b = b[n:]
	}
	return int(math.Floor(math.Round(total*100)/100 + 0.5))
}

func class(c byte) string {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return "letter"
	case c >= '0' && c <= '9':
		return "digit"
	case c == '\n':
		return "newline"
	case c == ' ', c == '\t', c == '\r':
		return "blank"
	case c >= 0x80:
		return "high"
	}
	return "other"
}

func TestEstimateTokensCases(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want int
	}{
		"nothing":                    {"", 0},
		"a short word":               {"word", 1},
		"seven letters start again":  {"letters", 2},
		"a number by threes":         {"1234567", 5},
		"blanks cost nothing":        {" \t\r ", 0},
		"each newline is one":        {"\n\n\n", 3},
		"a run of punctuation":       {`"},{"`, 1},
		"characters outside ASCII":   {"日本語日本語", 2},
		"half a token is rounded up": {"ab cd.ef gh.ij kl", 6}, // 6 x 0.65 + 2 x 0.88 = 5.66
	} {
		if got := abi.EstimateTokens([]byte(c.in)); got != c.want {
			t.Errorf("%s: %q is estimated %d tokens, want %d", name, c.in, got, c.want)
		}
	}
}

// The scan in four parts must return the same sum as a scan of the whole.
func FuzzEstimateTokensIsTheFormula(f *testing.F) {
	f.Add([]byte("a1 \n."), 700)
	f.Add([]byte("aaaaaaaaaaaaa"), 300)
	f.Add([]byte("12 ab\n\n日本 {}"), 100)
	f.Fuzz(func(t *testing.T, b []byte, times int) {
		var long []byte
		for range min(max(times, 1), 2000) {
			if long = append(long, b...); len(long) > 1<<16 {
				break
			}
		}
		if got, want := abi.EstimateTokens(long), estimate(long); got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}

func TestEstimateTokensOfRandomRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := "abcXYZ0123 \n\t.,{}é"
	for range 200 {
		var b []byte
		for len(b) < 1000+r.IntN(3000) {
			c := alphabet[r.IntN(len(alphabet))]
			for range 1 + r.IntN(20)*r.IntN(20) {
				b = append(b, c)
			}
		}
		if got, want := abi.EstimateTokens(b), estimate(b); got != want {
			t.Fatalf("%d bytes: got %d, want %d", len(b), got, want)
		}
	}
}

// countTokens returns the exact count. It counts pieces of 64 KB, because long lines take
// quadratic time.
func countTokens(t *testing.T, codec tokenizer.Codec, b []byte) (total int) {
	t.Helper()
	for len(b) > 0 {
		n := min(len(b), 64_000)
		for n < len(b) && !utf8.RuneStart(b[n]) {
			n--
		}
		count, err := codec.Count(string(b[:n]))
		if err != nil {
			t.Fatal(err)
		}
		total, b = total+count, b[n:]
	}
	return total
}

func TestEstimateTokensIsCloseOnRealFiles(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../testdata/content/*-*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files of test data, %v", len(files), err)
	}
	var sum, quarter float64
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := 200_000; len(b) > n {
			for !utf8.RuneStart(b[n]) {
				n--
			}
			b = b[:n]
		}
		want := float64(countTokens(t, codec, b))
		off := math.Abs(float64(abi.EstimateTokens(b))/want - 1)
		sum, quarter = sum+off, quarter+math.Abs(float64(len(b))/4/want-1)
		if off > 0.6 {
			t.Errorf("%s: estimate is off by %.0f %%", filepath.Base(file), off*100)
		}
		t.Logf("%-28s %7.0f tokens, off by %4.1f %%", filepath.Base(file), want, off*100)
	}
	mean, naive := sum/float64(len(files)), quarter/float64(len(files))
	t.Logf("mean error %.1f %%, of bytes/4 %.1f %%", mean*100, naive*100)
	if mean > 0.08 {
		t.Errorf("mean error %.1f %%, want at most 8 %%", mean*100)
	}
}

func BenchmarkEstimateTokens(b *testing.B) {
	for _, file := range []string{"ja-flows-atltvhead.json", "p-18f-infra.md"} {
		text, err := os.ReadFile("../testdata/content/" + file)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(file, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				abi.EstimateTokens(text)
			}
		})
	}
}
