package heading

import "testing"

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		rule, heading, name string
		want                bool
	}{
		{"as written", "Bug Fixes", "Bug Fixes", true},
		{"slug", "Bug Fixes", "bug-fixes", true},
		{"anchor without punctuation", "`read_file(path)`", "read_filepath", true},
		{"marks of emphasis", "**Bold** and _it_", "Bold and it", true},
		{"link", "[1.2.0](https://a.example/1.2.0) notes", "1.2.0 notes", true},
		{"cut heading", "Why do the scanners read eight bytes at a time, in loops...", "Why do the scanners read eight bytes at a time, in loops without calls?", true},
		{"short heading that was cut", "Why ...", "Why not", false},
		{"version before a date", "1.2.3 - 2024-01-01", "1.2.3", true},
		{"version in brackets", "[1.2.3] - 2024-01-01", "1.2.3", true},
		{"version with v", "v2.0.0 (2017)", "2.0.0", true},
		{"version of another heading", "1.2.30", "1.2.3", false},
		{"prerelease", "1.2.3-rc.1", "1.2.3", false},
		{"name that is longer than the version", "1.2.3 - 2024", "1.2.3 notes", false},
		{"number", "2 Language Rules", "2", false},
		{"part of a heading", "Bug Fixes", "Bug", false},
		{"signs only", "***", "---", false},
	} {
		if got := Matches(c.heading, c.name); got != c.want {
			t.Errorf("%s: Matches(%q, %q) = %t", c.rule, c.heading, c.name, got)
		}
	}
}
