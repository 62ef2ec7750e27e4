package token

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcpctl/mcpctl/abi"
)

func TestNewTokensHaveTheirFormAndDiffer(t *testing.T) {
	form := regexp.MustCompile(`^mcpd_[0-9A-Za-z]{49}$`)
	seen := make(map[string]bool)
	for range 200 {
		tok, err := New()
		if err != nil {
			t.Fatal(err)
		}
		text := tok.Reveal()
		if !form.MatchString(text) || seen[text] {
			t.Fatalf("token %q has another form, or is a repetition", text)
		}
		seen[text] = true
	}
}

func TestTokensOfTheSmallestAndTheLargestSecret(t *testing.T) {
	for _, fill := range []byte{0x00, 0xff} {
		tok, err := read(bytes.NewReader(bytes.Repeat([]byte{fill}, secretBytes)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(tok.Reveal()); err != nil || len(tok.Reveal()) != length {
			t.Errorf("secret of bytes %#x: %q, %v", fill, tok.Reveal(), err)
		}
	}
}

// The form is part of the API: tokens of one version are read by the next.
func TestFormIsStable(t *testing.T) {
	secret := make([]byte, secretBytes)
	for i := range secret {
		secret[i] = byte(i)
	}
	tok, err := read(bytes.NewReader(secret))
	if err != nil {
		t.Fatal(err)
	}
	const want = "mcpd_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1IFTlJ"
	if tok.Reveal() != want {
		t.Errorf("the token of fixed bytes is %q, want %q", tok.Reveal(), want)
	}
	if tok.Hash() != sha256.Sum256([]byte(want)) {
		t.Error("the hash is not the SHA-256 of the text")
	}
}

func TestNewReportsAFailingSource(t *testing.T) {
	if _, err := read(iotest.ErrReader(errors.New("no entropy"))); err == nil || !strings.Contains(err.Error(), "no entropy") {
		t.Errorf("err = %v", err)
	}
}

func TestParseReturnsTheTokenThatNewCreated(t *testing.T) {
	for range 500 {
		tok, err := New()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(tok.Reveal())
		if err != nil || got.Reveal() != tok.Reveal() || got.Hash() != tok.Hash() {
			t.Fatalf("Parse(%q) = %q, %v", tok.Reveal(), got.Reveal(), err)
		}
	}
}

// Every change of one character, every lost or added one and every exchange of two
// adjacent ones is refused.
func TestParseRefusesEveryTypingError(t *testing.T) {
	for range 5 {
		tok, err := New()
		if err != nil {
			t.Fatal(err)
		}
		text := tok.Reveal()
		refuse := func(s string) {
			if s != text {
				if _, err := Parse(s); !errors.Is(err, abi.ErrConfig) {
					t.Errorf("Parse(%q) of the token %q: %v", s, text, err)
				}
			}
		}
		for i := range len(text) {
			for c := range 256 {
				refuse(text[:i] + string([]byte{byte(c)}) + text[i+1:])
			}
			refuse(text[:i] + text[i+1:])
			refuse(text[:i] + string(digits[rand.IntN(len(digits))]) + text[i:])
			if i > 0 {
				refuse(text[:i-1] + text[i:i+1] + text[i-1:i] + text[i+1:])
			}
		}
	}
}

func TestParseRefusals(t *testing.T) {
	tok, err := New()
	if err != nil {
		t.Fatal(err)
	}
	text := tok.Reveal()
	sum := func(s string) string { return s + checksum(s) }
	const mistyped, noPrefix = "the token is incomplete or mistyped", "the token does not begin with mcpd_"
	for name, c := range map[string]struct{ text, want string }{
		"empty":                        {"", noPrefix},
		"token of another program":     {"ghp_" + text[5:], noPrefix},
		"prefix in capitals":           {"MCPD_" + text[5:], noPrefix},
		"with the word Bearer":         {"Bearer " + text, noPrefix},
		"prefix only":                  {Prefix, mistyped},
		"cut":                          {text[:30], mistyped},
		"line break at the end":        {text + "\n", mistyped},
		"twice":                        {text + text, mistyped},
		"shorter, with its checksum":   {sum(text[:length-sumChars-1]), mistyped},
		"longer, with its checksum":    {sum(text[:length-sumChars] + "0"), mistyped},
		"no base62, with its checksum": {sum(text[:length-sumChars-1] + "-"), mistyped},
		"2^256, with its checksum":     {sum(Prefix + encode(new(big.Int).Lsh(big.NewInt(1), 256), secretChars)), mistyped},
		"a megabyte":                   {Prefix + strings.Repeat("a", 1<<20), mistyped},
	} {
		_, err := Parse(c.text)
		if !errors.Is(err, abi.ErrConfig) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestNothingPrintsTheSecret(t *testing.T) {
	tok, err := New()
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Name   string
		Token  Token
		hidden Token
	}
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T"} {
		fmt.Fprintf(&out, verb+" "+verb+" "+verb+"\n", tok, &tok, row{"a", tok, tok})
	}
	b, err := json.Marshal(map[string]any{"t": tok, "m": map[Token]int{tok: 1}, "r": row{"a", tok, tok}})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "token", tok, "row", row{"a", tok, tok})
	fmt.Fprint(&out, tok.String())

	secret := tok.Reveal()[len(Prefix):]
	for i := range len(secret) - 8 {
		if part := secret[i : i+8]; strings.Contains(out.String(), part) || strings.Contains(out.String(), fmt.Sprintf("%x", part)) {
			t.Fatalf("%q of the token is printed:\n%s", part, out.String())
		}
	}
	if got := fmt.Sprint(tok); got != "mcpd_…" {
		t.Errorf("a token prints as %q", got)
	}
}

func TestZeroTokenIsNoToken(t *testing.T) {
	var zero Token
	if _, err := Parse(zero.Reveal()); err == nil || zero.String() != "mcpd_…" {
		t.Errorf("the zero token is %q, %v", zero.Reveal(), err)
	}
}

// FuzzParse checks that Parse accepts only the form that New creates.
func FuzzParse(f *testing.F) {
	f.Add("mcpd_")
	f.Add("")
	for range 3 {
		tok, err := New()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(tok.Reveal())
		f.Add(tok.Reveal()[1:])
	}
	f.Fuzz(func(t *testing.T, s string) {
		tok, err := Parse(s)
		if err != nil {
			if len(s) > len(Prefix)+8 && strings.Contains(err.Error(), s[len(Prefix):]) {
				t.Errorf("the error contains the text: %v", err)
			}
			return
		}
		n := new(big.Int)
		for _, c := range s[len(Prefix) : length-sumChars] {
			n.Add(n.Mul(n, big.NewInt(62)), big.NewInt(int64(strings.IndexRune(digits, c))))
		}
		if again, err := read(bytes.NewReader(n.FillBytes(make([]byte, secretBytes)))); err != nil || again.Reveal() != s || tok.Reveal() != s {
			t.Errorf("%q is accepted, but its secret has the form %q", s, again.Reveal())
		}
	})
}
