package iostreams

import (
	"bytes"
	"testing"
)

func TestWantColor(t *testing.T) {
	for _, tc := range []struct {
		name     string
		env      map[string]string
		terminal bool
		want     bool
	}{
		{"terminal", nil, true, true},
		{"pipe", nil, false, false},
		{"NO_COLOR overrides a terminal", map[string]string{"NO_COLOR": "1"}, true, false},
		{"NO_COLOR overrides CLICOLOR_FORCE", map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, false, false},
		{"CLICOLOR_FORCE overrides a pipe", map[string]string{"CLICOLOR_FORCE": "1"}, false, true},
		{"CLICOLOR=0", map[string]string{"CLICOLOR": "0"}, true, false},
		{"dumb terminal", map[string]string{"TERM": "dumb"}, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := func(k string) string { return tc.env[k] }
			if got := wantColor(env, tc.terminal); got != tc.want {
				t.Errorf("wantColor = %v, want %v", got, tc.want)
			}
		})
	}
}

// A flag overrides the environment.
func TestSetColour(t *testing.T) {
	for _, tc := range []struct {
		when          string
		before, after bool
		invalid       bool
	}{
		{"auto", true, true, false},
		{"auto", false, false, false},
		{"always", false, true, false},
		{"never", true, false, false},
		{"sometimes", true, true, true},
	} {
		s, _, _, _ := Test()
		s.OutColor = tc.before
		if err := s.SetColour(tc.when); (err != nil) != tc.invalid || s.OutColor != tc.after {
			t.Errorf("SetColour(%q) over %v: %v, %v", tc.when, tc.before, s.OutColor, err)
		}
	}
}

func TestCleanEscapesUntrustedText(t *testing.T) {
	for _, tc := range []struct{ name, in, clean, line string }{
		{"plain", "Größe 5 µm", "Größe 5 µm", "Größe 5 µm"},
		{"ANSI colour", "\x1b[31mred", `\x1b[31mred`, `\x1b[31mred`},
		{"OSC 52", "\x1b]52;c;aGk=\a", `\x1b]52;c;aGk=\x07`, `\x1b]52;c;aGk=\x07`},
		{"bidi override", "a\u202eb", `a\u202eb`, `a\u202eb`},
		{"line break in a text", "a\nb", "a\nb", `a\nb`},
		{"C1 control", "\u009b31m", `\x9b31m`, `\x9b31m`},
		{"invalid UTF-8", "a\xff", `a\xff`, `a\xff`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Clean(tc.in); got != tc.clean {
				t.Errorf("Clean = %q, want %q", got, tc.clean)
			}
			if got := Line(tc.in); got != tc.line {
				t.Errorf("Line = %q, want %q", got, tc.line)
			}
		})
	}
}

func TestTableAlignsColumns(t *testing.T) {
	tb := NewTable("NAME", "SOURCE", "STAGES")
	tb.Row("default", "built-in", "passthrough,paginate")
	tb.Row("größer", "", "x\ny")
	var b bytes.Buffer
	if err := tb.Fprint(&b); err != nil {
		t.Fatal(err)
	}
	want := "NAME     SOURCE    STAGES\ndefault  built-in  passthrough,paginate\ngrößer   -         x\\ny\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestTableFits(t *testing.T) {
	tb := NewTable("NAME", "STAGES", "LLM").Fit(20)
	tb.Row("default", "passthrough,paginate", "no")
	tb.Row("x", "größer", "optional and more")
	var b bytes.Buffer
	if err := tb.Fprint(&b); err != nil {
		t.Fatal(err)
	}
	want := "NAME     STAG…  LLM\ndefault  pass…  no\nx        größ…  opt…\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
