package gettext

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

const header = "# Translators\nmsgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: shop 2\\n\"\n\"Language: de\\n\"\n\n"

func TestNames(t *testing.T) {
	for _, c := range []struct {
		rule, file, text string
		count, want      string // "" for a text that is refused
	}{
		{"messages", "", header + "#: src/a.c:1\nmsgid \"Open file\"\nmsgstr \"Datei öffnen\"\n\n#, fuzzy, c-format\n#| msgid \"One\"\nmsgid \"One %d\"\nmsgid_plural \"Many %d\"\nmsgstr[0] \"Ein %d\"\nmsgstr[1] \"Viele %d\"\nmsgctxt \"menu|File\"\nmsgid \"Open\"\nmsgstr \"\"\n\n#~ msgid \"Old\"\n#~ msgstr \"Alt\"\n",
			"3 messages, 1 untranslated, 1 fuzzy, 1 obsolete", `
header | header: Language de, Project-Id-Version shop 2
open-file | Open file: Datei öffnen
one-d | One %d (fuzzy): Ein %d
menu-file:open | Open (untranslated)
old | Old (obsolete): Alt`},
		{"texts of several lines", "", "msgid \"\"\n\"msgid \\\"no\\\"\\n\"\n\"msgstr\"\nmsgstr \"\"\n\"a\\n\"\n\"b\"\n\nmsgid \"c\"\nmsgstr \"\"\n\"\"\n", "2 messages, 1 untranslated", `
msgid-no-msgstr | msgid "no" msgstr: a b
c | c (untranslated)`},
		{"a template", "a.pot", "msgid \"a/b?\"\nmsgstr \"\"\n", "1 message, none translated", "\na-b | a/b? (untranslated)"},
		{"a plural without one form", "a.po", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\nmsgstr[1] \"\"\n", "1 message, none translated", "\na | a (untranslated): c"},
		{"no words", "a.po", "msgid \"%\"\nmsgstr \"-\"\n", "1 message", "\n | %: -"},
		{"CRLF", "", "msgid \"a\"\r\n\"b\"\r\nmsgstr \"c\"\r\n\r\nmsgid \"d\"\r\nmsgstr \"\"\r\n", "2 messages, 1 untranslated", "\nab | ab: c\nd | d (untranslated)"},
		{"CR", "", "msgid \"a\"\r\"b\"\rmsgstr \"c\"\r\rmsgid \"d\"\rmsgstr \"\"\r", "2 messages, 1 untranslated", "\nab | ab: c\nd | d (untranslated)"},
		{"another line", "", "msgid \"a\"\nmsgstr \"b\"\nmsgid \"c\"\nmsgstr \"d\"\nx\n", "", ""},
		{"one message without a name", "", "msgid \"a\"\nmsgstr \"b\"\n", "", ""},
		{"a translation alone", "a.po", "msgstr \"b\"\n", "", ""},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{File: c.file})
		got, count := "", ""
		if ok {
			got, count = "\n"+strings.Join(parttest.List(d), "\n"), d.Count
			parttest.Check(t, []byte(c.text), d, nil)
		}
		if got != c.want || count != c.count {
			t.Errorf("%s: got %s%s\nwant %s%s", c.rule, count, got, c.count, c.want)
		}
	}
}

// The comments above a message are part of it.
func TestCommentsBelongToWhatFollows(t *testing.T) {
	const text = "# of a\n\n#. too\nmsgid \"a\"\nmsgstr \"b\"\n\"c\"\n# of d\n#, fuzzy\nmsgctxt \"e\"\nmsgid \"d\"\nmsgstr \"f\"\n# end\n"
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	for i, want := range []string{"# of a\n\n#. too\nmsgid \"a\"\nmsgstr \"b\"\n\"c\"\n", "# of d\n#, fuzzy\nmsgctxt \"e\"\nmsgid \"d\"\nmsgstr \"f\"\n# end\n"} {
		if p := d.Parts[i]; text[p.Start:p.End] != want {
			t.Errorf("part %d is %q, want %q", i, text[p.Start:p.End], want)
		}
	}
}

// Many messages are grouped by source files, and many files by directories.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		rule     string
		file     func(i int) string
		by, want string
	}{
		{"files", func(i int) string { return fmt.Sprintf("#: ./a%d.c:%d b.c:1\n", i%2, i) }, "source file",
			"header a0.c: 15 messages, 5 untranslated, 5 fuzzy; a1.c: 15 messages, 5 untranslated, 5 fuzzy"},
		{"directories", func(i int) string { return fmt.Sprintf("#: x/%c/%d.c:%d\n", 'a'+i%2, i, i) }, "source file",
			"header x/a/: 15 messages, 5 untranslated, 5 fuzzy; x/b/: 15 messages, 5 untranslated, 5 fuzzy"},
		{"contexts", func(i int) string { return fmt.Sprintf("msgctxt \"c%d\"\n", i%2) }, "context",
			"header c0: 15 messages, 5 untranslated, 5 fuzzy; c1: 15 messages, 5 untranslated, 5 fuzzy"},
		{"one file", func(int) string { return "#: a.c:1\n" }, "", ""},
	} {
		var text strings.Builder
		text.WriteString(header)
		for i := range 30 {
			text.WriteString([]string{"", "#, fuzzy\n", ""}[i%3] + c.file(i))
			fmt.Fprintf(&text, "msgid \"m%d\"\nmsgstr \"%s\"\n\n", i, []string{"", "b", "c"}[i%3])
		}
		d, ok := Scan([]byte(text.String()), part.Clues{})
		if !ok {
			t.Errorf("%s: refused", c.rule)
			continue
		}
		parttest.Check(t, []byte(text.String()), d, nil)
		var groups []string
		for i, p := range d.Parts {
			if p.Kind == part.Group && p.Parent < 0 {
				var n part.Name
				d.Name(i, &n)
				groups = append(groups, string(n.Title))
			}
		}
		if got := strings.Join(groups, "; "); got != strings.TrimPrefix(c.want, "header ") || d.By != c.by {
			t.Errorf("%s: by %q: %s, want %s", c.rule, d.By, got, c.want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{
		header + "#, fuzzy\n#: a.c:1\nmsgctxt \"a\"\nmsgid \"b\"\nmsgid_plural \"c\"\nmsgstr[0] \"d\"\n\"e\"\n", "#~ msgid \"a\"\n#~ \"b\"\n#~| msgid \"c\"\n", "msgid \"\\\"\nmsgstr \"é\\\n\"",
		"domain \"a\"\nmsgid \"b\"\rmsgstr[", "msgctxt \"a\"\nmsgctxt \"b\"\nmsgid \"\"\nmsgstr \"\"\n" + strings.Repeat("#: a/b:1\nmsgid \"x\"\nmsgstr \"\"\n#: a/c/d:2\nmsgid \"y\"\nmsgstr \"\"\n", 15),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			return
		}
		Opens(b)
		for _, clues := range []part.Clues{{}, {File: "a.po"}, parttest.Forced} {
			if d, ok := Scan(b, clues); ok {
				parttest.Check(t, b, d, nil)
			}
		}
	})
}

// Hostile texts take linear time: the scanner reads 512 KB.
func TestHostile(t *testing.T) {
	for _, piece := range []string{"msgid \"a\"\n", "msgid \"a\"\nmsgstr \"\"\n", "\"a\"\n", "msgstr[1] \"a\"\n\"b\"\n", "#: a\n", "#: a/b\nmsgid \"a\"\n", "msgctxt \"a\"\n", "#~ \"a\"\n"} {
		text := []byte("msgid \"a\"\nmsgstr \"b\"\n" + strings.Repeat(piece, 1<<19/len(piece)))
		if d, ok := Scan(text, parttest.Forced); ok {
			parttest.NameFirst(d)
		}
	}
}
