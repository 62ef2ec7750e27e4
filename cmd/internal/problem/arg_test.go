package problem

import "testing"

// A hint can be pasted into a shell for any directory name.
func TestArgIsOneWordForAShell(t *testing.T) {
	for word, want := range map[string]string{
		"lead":             "lead",
		"./my-stage/a.b_c": "./my-stage/a.b_c",
		`C:\stages\lead`:   `C:\stages\lead`,
		"straße":           "straße",
		"my stages/lead":   "'my stages/lead'",
		"it's":             `'it'\''s'`,
		"$HOME":            "'$HOME'",
		"":                 "''",
	} {
		if got := Arg(word); got != want {
			t.Errorf("Arg(%q) is %s, want %s", word, got, want)
		}
	}
}
