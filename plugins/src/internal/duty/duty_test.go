package duty

import (
	"slices"
	"strings"
	"testing"
)

func TestIsDuty(t *testing.T) {
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
		if got := IsDuty(line); got != want {
			t.Errorf("IsDuty(%q) = %v, want %v", line, got, want)
		}
	}
}

func TestMissing(t *testing.T) {
	text := "# Rules\nTokens MUST be rotated every ninety days.\n- NEVER commit credentials to the repository\nSome prose.\n"
	for _, test := range []struct {
		made string
		want []string
	}{
		{"Tokens must be rotated every ninety days; never commit credentials to a repository.", nil},
		{"Tokens are managed.", []string{"Tokens MUST be rotated every ninety days.", "- NEVER commit credentials to the repository"}},
		{"rotated tokens, ninety days every", []string{"Tokens MUST be rotated every ninety days.", "- NEVER commit credentials to the repository"}},
	} {
		if got := slices.Collect(Missing(text, test.made)); !slices.Equal(got, test.want) {
			t.Errorf("%q leaves out %q, want %q", test.made, got, test.want)
		}
	}
}

// A sentence contains a duty only if it states it, not if it has the same words.
func TestContainsDuty(t *testing.T) {
	for rule, test := range map[string]struct {
		duty, made string
		held       bool
	}{
		"word for word":                {"Logs MUST NOT hold secrets of any kind.", "It is about logs. Logs MUST NOT hold secrets of any kind.", true},
		"in other words":               {"Logs MUST NOT hold secrets of any kind.", "- secrets must never be held by logs of any kind", true},
		"never for must not":           {"Logs MUST NOT hold secrets of any kind.", "- logs must never hold secrets of any kind", true},
		"required for must":            {"Tokens MUST be rotated every ninety days", "It is required that tokens be rotated every ninety days", true},
		"the opposite":                 {"Logs MUST NOT hold secrets of any kind.", "Logs must hold secrets of any kind.", false},
		"an added negation":            {"Tokens MUST be rotated every ninety days", "Tokens must not be rotated every ninety days", false},
		"NEVER is dropped":             {"NEVER commit credentials to the repository", "commit credentials to the repository", false},
		"a fact instead of a duty":     {"Tokens MUST be rotated every ninety days", "Tokens are rotated every ninety days.", false},
		"words of several sentences":   {"Backups MUST be encrypted before upload", "Backups are kept. Files must be small. They are encrypted before anything. Upload is slow.", false},
		"two duties, one of them kept": {"Keys MUST be long enough. Keys MUST be rotated monthly.", "Keys must be long enough.", false},
		"two duties in two sentences":  {"Keys MUST be long enough. Keys MUST be rotated monthly.", "Keys must be rotated monthly. They, the keys, must be long enough.", true},
	} {
		if got := len(slices.Collect(Missing(test.duty, test.made))) == 0; got != test.held {
			t.Errorf("%s: %q is held by %q: %v, want %v", rule, test.duty, test.made, got, test.held)
		}
	}
}

// A statement is a sentence, not a piece of one and not a paragraph.
func TestStatements(t *testing.T) {
	long := strings.Repeat("Nobody has to read all of this again. ", 20)
	for rule, test := range map[string]struct {
		text string
		want []string
	}{
		"a line":                      {"One.\nTwo MUST be.\nThree.\n", []string{"Two MUST be."}},
		"wrapped after the word":      {"Prose.\nThe client MUST NOT\n   accept unsigned\nmessages.\nMore prose.\n", []string{"The client MUST NOT accept unsigned messages."}},
		"wrapped before the word":     {"Prose.\nWhoever wants to\nenter MUST knock.\n", []string{"Whoever wants to enter MUST knock."}},
		"a paragraph ends it":         {"lower\n\nit MUST be\n\nlower\n", []string{"it MUST be"}},
		"an item ends it":             {"- A MUST be\n- b\n", []string{"- A MUST be"}},
		"a key ends it":               {"note: MUST be\nother: x\n", []string{"note: MUST be"}},
		"two in one sentence are one": {"A MUST be and\nb MUST be.\n", []string{"A MUST be and b MUST be."}},
		"the sentence of a long line": {long + "Doors MUST be shut. " + long, []string{"Doors MUST be shut."}},
		"no line end":                 {"it MUST", []string{"it MUST"}},
		"none":                        {"it must\n", nil},
	} {
		if got := slices.Collect(eachStatement(test.text)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", rule, got, test.want)
		}
	}
	if got := slices.Collect(Missing("A MUST b.\nA MUST b.\n", "")); len(got) != 1 {
		t.Errorf("a duty that is stated twice is given %d times", len(got))
	}
}

func FuzzMissing(f *testing.F) {
	f.Add("A MUST\nb. C NEVER d\n", "a must b")
	f.Fuzz(func(t *testing.T, text, made string) {
		for s := range Missing(text, made) {
			if !IsDuty(s) || strings.ContainsRune(s, '\n') {
				t.Fatalf("%q states nothing, or more than a line", s)
			}
		}
		for s := range Missing(text, text) {
			if len(s) <= maxWhole && !strings.Contains(strings.Join(strings.Fields(text), " "), s) {
				t.Fatalf("%q is not in the text", s)
			}
		}
	})
}

func TestShortenKeepsCharactersWhole(t *testing.T) {
	for n := range 12 {
		got := Shorten("aäö日本x", n)
		if len(got) > n || !strings.HasPrefix("aäö日本x", got) || strings.ToValidUTF8(got, "") != got {
			t.Errorf("Shorten to %d gives %q", n, got)
		}
	}
}
