package duty

import (
	"slices"
	"strings"
	"testing"
)

func TestStates(t *testing.T) {
	for line, want := range map[string]bool{
		"Tokens MUST be rotated":     true,
		"(REQUIRED) a second factor": true,
		"NEVER, ever":                true,
		"it must be":                 false,
		"MUSTARD is REQUIREDNESS":    false,
		"":                           false,
		"You_MUST_NOT use this":      true,
		"NEVERTHELESS it goes on":    false,
		"zwei Dinge MUST\u00e4NDERN": false,
	} {
		if got := States(line); got != want {
			t.Errorf("States(%q) = %v, want %v", line, got, want)
		}
	}
}

// covers P-081
func TestUnsaidIsWhatNoWordsHold(t *testing.T) {
	text := "# Rules\nTokens MUST be rotated every ninety days.\n- NEVER commit credentials to the repository\nSome prose.\n"
	for _, test := range []struct {
		made string
		want []string
	}{
		{"Tokens must be rotated every ninety days; never commit credentials to a repository.", nil},
		{"Tokens are managed.", []string{"Tokens MUST be rotated every ninety days.", "- NEVER commit credentials to the repository"}},
		{"rotated tokens, ninety days every", []string{"- NEVER commit credentials to the repository"}},
	} {
		if got := slices.Collect(Unsaid(text, test.made)); !slices.Equal(got, test.want) {
			t.Errorf("%q leaves out %q, want %q", test.made, got, test.want)
		}
	}
}

func TestShortenKeepsCharactersWhole(t *testing.T) {
	for n := range 12 {
		got := Shorten("aäö日本x", n)
		if len(got) > n || !strings.HasPrefix("aäö日本x", got) || strings.ToValidUTF8(got, "") != got {
			t.Errorf("Shorten to %d gives %q", n, got)
		}
	}
}
