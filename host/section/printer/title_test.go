package printer

import "testing"

// A title in a line has only the words that the id does not have.
func TestWithoutID(t *testing.T) {
	for _, c := range []struct{ id, title, want string }{
		{"views-templates", "Views / Templates", ""},
		{"caveats-2", "Caveats", ""},
		{"step-2", "Step 2", ""},
		{"größe", "Größe", ""},
		{"caveats", "4. Caveats", "4. Caveats"},
		{"caveats-2", "Caveats 3", "Caveats 3"},
		{"context=title", "title: template 68", "template 68"},
		{"@0.*", "0.*: 24 objects", "24 objects"},
		{"@type=tab", "tab", ""},
		{"a%2Fb", "a/b: object", "object"},
		{"Serve", "func Serve(l net.Listener) error", "func Serve(l net.Listener) error"},
		{"L12", "12", "12"},
		{"-", "*", "*"},
		{"2015", "***", "***"},
	} {
		if got := trimID(c.title, c.id); got != c.want {
			t.Errorf("withoutID(%q, %q) = %q, want %q", c.title, c.id, got, c.want)
		}
	}
}

func TestClipLabel(t *testing.T) {
	for _, c := range []struct{ rule, label, want string }{
		{"short", "a.b.c", "a.b.c"},
		{"words", "one two three four five six", "one two three..."},
		{"end of a dotted name", "com.example.parser.Lexer", "...parser.Lexer"},
		{"without its arguments", "com.example.Lexer.next(com.example.Token)", "...Lexer.next"},
		{"without the text after it", "com.example.Lexer.next: reads a token", "...Lexer.next"},
		{"a dotted name that fits", "9.8.0 (2020-10-15, a release)", "9.8.0"},
		{"a name that was cut before", "...example.parser.Lexer.next", "...parser.Lexer.next"},
		{"a last part that is too long", "a.b.averyveryverylonglastpart", "a.b.averyveryvery..."},
	} {
		if got := clipLabel(c.label, 20); got != c.want {
			t.Errorf("%s: clipLabel(%q) = %q, want %q", c.rule, c.label, got, c.want)
		}
	}
}

func TestIsVersion(t *testing.T) {
	for title, want := range map[string]bool{"9.4.3": true, "v1.2.0-rc1 (2020-04-21)": true, "2020-10-15": true, "": false, "Step 1": false, "Changes in 2.0": false, "4.0.0-beta": false} {
		if got := isVersion(title); got != want {
			t.Errorf("isVersion(%q) = %t", title, got)
		}
	}
}
