package object

import (
	"regexp"
	"strings"
	"testing"
)

var namePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9._+-]{0,62})$`)

var nameSamples = []string{
	"a", "0", "files", "summarize+index", "a.b_c-d", strings.Repeat("a", 63), // good
	"", "A", "CON", "../../x", "a/b", `a\b`, "a\x00", ".", "..", ".hidden", "-a", "+a", "_a", "a b", "a\n",
	"a\u2024b", "\u0430", "ａ", strings.Repeat("a", 64), strings.Repeat("a", 10<<10), "a\xff",
}

// TestName checks that exactly the names that match the pattern are valid.
func TestName(t *testing.T) {
	for _, s := range nameSamples {
		n, err := ParseName(s)
		if want := namePattern.MatchString(s); (err == nil) != want || want && string(n) != s {
			t.Errorf("ParseName(%.70q) = %q, %v; pattern matches: %v", s, n, err, want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("error for a name of %d bytes has %d bytes", len(s), len(err.Error()))
		}
	}
}

func FuzzName(f *testing.F) {
	for _, s := range nameSamples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := ParseName(s); (err == nil) != namePattern.MatchString(s) {
			t.Errorf("ParseName(%q): %v, which differs from the pattern", s, err)
		}
	})
}

func TestParseKind(t *testing.T) {
	for word, want := range map[string]Kind{"server": KindServer, "srv": KindServer, "Servers": KindServer, "pm": KindProxyModel,
		"proxymodels": KindProxyModel, "PromptRequest": KindPromptRequest, "prj": KindProject, "pt": KindPrompt,
		"usr": KindUser, "Users": KindUser, "grp": KindGroup, "sa": KindServiceAccount, "serviceaccounts": KindServiceAccount, "rb": KindRbacBinding, "rbacbinding": KindRbacBinding} {
		if got, ok := ParseKind(word); !ok || got != want {
			t.Errorf("ParseKind(%q) = %q, %v; want %q", word, got, ok, want)
		}
	}
	if got, ok := ParseKind("stage"); ok {
		t.Errorf("ParseKind(stage) = %q", got)
	}
}
