package textdiff

import "testing"

func TestLines(t *testing.T) {
	for _, tt := range []struct{ name, old, now, want string }{
		{"equal texts", "a\nb\n", "a\nb\n", ""},
		{"changed line", "a\nb\nc\n", "a\nx\nc\n", "--- want\n+++ got\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"newline missing at the end", "a\n", "a", "--- want\n+++ got\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n"},
		{"empty old text", "", "a\n", "--- want\n+++ got\n@@ -0,0 +1,1 @@\n+a\n"},
	} {
		if got := Lines("want", "got", tt.old, tt.now); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}
