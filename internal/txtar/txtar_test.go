package txtar

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		rule, text, comment string
		files               []File
	}{
		{"empty text", "", "", nil},
		{"only a comment", "only\n", "only\n", nil},
		{"no comment", "-- a --\n1\n", "", []File{{"a", "1\n"}}},
		{"an empty file", "-- a --\n-- b --\n2\n", "", []File{{"a", ""}, {"b", "2\n"}}},
		{"no newline at the end", "x\n-- a --\n1", "x\n", []File{{"a", "1"}}},
		{"a name with several words", "-- call files/a --\n{}\n", "", []File{{"call files/a", "{}\n"}}},
		{"a repeated name", "-- a --\n1\n-- a --\n2\n", "", []File{{"a", "1\n"}, {"a", "2\n"}}},
		{"lines similar to markers", "-- a --\n--b--\n -- c --\n-- d --e\n-- --\n", "", []File{{"a", "--b--\n -- c --\n-- d --e\n-- --\n"}}},
		{"CRLF line ends", "-- a --\r\n1\r\n", "", []File{{"a", "1\r\n"}}},
	} {
		a := Parse(tt.text)
		if a.Comment != tt.comment || !slices.Equal(a.Files, tt.files) {
			t.Errorf("%s: %q %q, want %q %q", tt.rule, a.Comment, a.Files, tt.comment, tt.files)
		}
	}
}

func TestFindReturnsFirstFile(t *testing.T) {
	a := Parse("-- a --\n1\n-- a --\n2\n")
	if a.Find("a") != 0 || a.Text("a") != "1\n" || a.Has("b") || a.Find("b") != -1 || a.Text("b") != "" {
		t.Errorf("a is %d %q, b is there: %t", a.Find("a"), a.Text("a"), a.Has("b"))
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "x\n-- a --\n1\n-- b --\n", "-- a --\n--  --\n", "-- a -- --\nx", "-- a --\r\nb\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := Parse(text)
		unix := strings.ReplaceAll(text, "\r", "")
		if got := Parse(unix).String(); strings.HasSuffix(unix, "\n") && got != unix {
			t.Errorf("%q is written as %q", unix, got)
		}
		for _, file := range a.Files {
			if strings.HasSuffix(file.Text, "\n") && !IsFileText(file.Text) {
				t.Errorf("Fits(%q) = false for a parsed file", file.Text)
			}
		}
	})
}
