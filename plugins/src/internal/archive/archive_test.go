package archive

import "testing"

func TestFormatReversesParse(t *testing.T) {
	for rule, text := range map[string]string{
		"empty":            "",
		"comment alone":    "a\nb\n",
		"files":            "a\n-- x --\n1\n-- y z --\n-- x --\n2\n",
		"no newline":       "-- x --\n1",
		"lines like heads": "-- x -- \n --y --\n-- --\n-- x --\n",
	} {
		if got := Format(Parse(text)); got != text {
			t.Errorf("%s: got %q, want %q", rule, got, text)
		}
	}
}
