package secret

import (
	"strings"
	"testing"
)

// The command that mends an unset variable changes one name
func TestWithSecrets(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty file", "", "TOKEN: \"new\"\n"},
		{"appended", "# mine\nA: x", "# mine\nA: x\nTOKEN: \"new\"\n"},
		{"replaced", "A: x\nTOKEN: old # note\n\nB: y\n", "A: x\nTOKEN: \"new\"\n\nB: y\n"},
		{"key in quotes", "\"TOKEN\": old\nB: y\n", "TOKEN: \"new\"\nB: y\n"},
		{"several lines", "TOKEN: |\n  old\n  older\nB: y\n", "TOKEN: \"new\"\nB: y\n"},
		{"several lines, one blank", "TOKEN: |\n  old\n\n  older\n\nB: y\n", "TOKEN: \"new\"\n\nB: y\n"},
		{"a line of another value", "A: |\n  TOKEN: x\nTOKEN: old\n", "A: |\n  TOKEN: x\nTOKEN: \"new\"\n"},
		{"prefix of another", "TOKEN_2: x\n", "TOKEN_2: x\nTOKEN: \"new\"\n"},
	} {
		got, err := Set([]byte(c.text), Entry{"TOKEN", New("new")})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	for _, value := range []string{"a: b # c", "\"'\\${X}", "line\nline\n", "ünï\tcode", "- 1"} {
		got, err := Set([]byte("A: x\n"), Entry{"TOKEN", New(value)})
		s, perr := parse(got)
		if err != nil || perr != nil || s.values["TOKEN"].Reveal() != value || s.values["A"].Reveal() != "x" {
			t.Errorf("%q reads back as %q: %v, %v", value, s.values["TOKEN"].Reveal(), err, perr)
		}
	}
	for _, c := range []struct{ name, text, key, value string }{
		{"flow mapping", "{A: " + canary + "}\n", "TOKEN", "x"},
		{"value inside a block", "A: |\n  " + canary + "\n\nTOKEN: x\n  y: z\n", "TOKEN", "x"},
		{"empty flow mapping", "{}\n", "TOKEN", canary},
		{"after the end of the document", "A: x\n...\n", "TOKEN", canary},
		{"invalid file", "- " + canary, "TOKEN", "x"},
		{"no name", "", "A-B", canary},
		{"reserved", "", ClientDirVariable, canary},
		{"NUL", "", "TOKEN", canary + "\x00"},
		{"not UTF-8", "", "TOKEN", canary + "\xff"},
	} {
		if _, err := Set([]byte(c.text), Entry{c.key, New(c.value)}); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v, want an error without the value", c.name, err)
		}
	}
}

func TestWithSecretsSetsSeveralInOrder(t *testing.T) {
	set := []Entry{{"C", New("3")}, {"A", New("1")}, {"B", New("2")}}
	got, err := Set([]byte("# mine\nA: old\n"), set...)
	if want := "# mine\nA: \"1\"\nC: \"3\"\nB: \"2\"\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestWithoutSecrets(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"one of three", "# mine\nA: x\nTOKEN: \"y\"\nC: z\n", "# mine\nA: x\nC: z\n"},
		{"a value of several lines", "TOKEN: |\n  one\n\n  two\nB: y\n", "B: y\n"},
		{"a quoted key", "\"TOKEN\": x\nB: y\n", "B: y\n"},
		{"a line of another value", "ENVFILE: |\n  TOKEN: abc\n  B: y\nTOKEN: x\n", "ENVFILE: |\n  TOKEN: abc\n  B: y\n"},
		{"not there", "A: x\n", "A: x\n"},
		{"the last one", "TOKEN: x\n", ""},
	} {
		if got, err := Remove([]byte(c.text), "TOKEN"); err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	for _, text := range []string{"{A: x, TOKEN: y}\n", "  A: x\n  TOKEN: y\n", "A: &a x\nTOKEN: *a\n  y\n"} {
		if got, err := Remove([]byte(text), "TOKEN"); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
