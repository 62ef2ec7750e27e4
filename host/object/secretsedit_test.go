package object

import (
	"strings"
	"testing"
)

// covers issue 14, row 1.6: the command that mends an unset variable changes one name
func TestWithSecret(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty file", "", "TOKEN: \"new\"\n"},
		{"appended", "# mine\nA: x", "# mine\nA: x\nTOKEN: \"new\"\n"},
		{"replaced", "A: x\nTOKEN: old # note\n\nB: y\n", "A: x\nTOKEN: \"new\"\n\nB: y\n"},
		{"key in quotes", "\"TOKEN\": old\nB: y\n", "TOKEN: \"new\"\nB: y\n"},
		{"several lines", "TOKEN: |\n  old\n  older\nB: y\n", "TOKEN: \"new\"\nB: y\n"},
		{"prefix of another", "TOKEN_2: x\n", "TOKEN_2: x\nTOKEN: \"new\"\n"},
	} {
		got, err := WithSecret([]byte(c.text), "TOKEN", NewSecret("new"))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	for _, value := range []string{"a: b # c", "\"'\\${X}", "line\nline\n", "ünï\tcode", "- 1"} {
		got, err := WithSecret([]byte("A: x\n"), "TOKEN", NewSecret(value))
		s, perr := parseSecrets(got)
		if err != nil || perr != nil || s.values["TOKEN"].Reveal() != value || s.values["A"].Reveal() != "x" {
			t.Errorf("%q reads back as %q: %v, %v", value, s.values["TOKEN"].Reveal(), err, perr)
		}
	}
	for _, c := range []struct{ name, text, key, value string }{
		{"flow mapping", "{A: " + canary + "}\n", "TOKEN", "x"},
		{"value inside a block", "A: |\n  " + canary + "\n\nTOKEN: x\n  y: z\n", "TOKEN", "x"},
		{"invalid file", "- " + canary, "TOKEN", "x"},
		{"no name", "", "A-B", canary},
		{"reserved", "", ClientDirVariable, canary},
		{"NUL", "", "TOKEN", canary + "\x00"},
		{"not UTF-8", "", "TOKEN", canary + "\xff"},
	} {
		if _, err := WithSecret([]byte(c.text), c.key, NewSecret(c.value)); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v, want an error without the value", c.name, err)
		}
	}
}
