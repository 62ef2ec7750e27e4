package upstream

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func journalOf(secrets map[string]Secret, writes ...string) []string {
	j := &Journal{}
	w := &journalWriter{to: j, scrub: newScrubber(Config{Env: secrets})}
	for _, text := range writes {
		_, _ = w.Write([]byte(text)) // never fails
	}
	w.end()
	var lines []string
	for _, l := range j.Since(0) {
		lines = append(lines, l.Text)
	}
	return lines
}

func TestJournalLines(t *testing.T) {
	secrets := map[string]Secret{"TOKEN": NewSecret("s3cr3t-0123456789"), "PEM": NewSecret("-----BEGIN\nabcdefghijkl\n-----END")}
	for _, tt := range []struct {
		name   string
		writes []string
		want   []string
	}{
		{"a line in two writes", []string{"one", " two\nthree"}, []string{"one two", "three"}},
		{"carriage return and empty line", []string{"a\r\n\nb\n"}, []string{"a", "", "b"}},
		{"a secret over two writes", []string{"key s3cr3t-", "0123456789 end\n"}, []string{"key " + hidden + " end"}},
		{"one line of a secret of several", []string{"abcdefghijkl\n"}, []string{hidden}},
		{"control characters", []string{"a\x1b[2Jb\n"}, []string{`a\x1b[2Jb`}},
	} {
		if got := journalOf(secrets, tt.writes...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Wherever a line that is too long is cut, no part of a secret is left of it.
func TestJournalCutsNoSecret(t *testing.T) {
	secret := "s3cr3t-0123456789"
	for before := lineBytes - 2*len(secret); before <= lineBytes; before++ {
		got := journalOf(map[string]Secret{"T": NewSecret(secret)}, strings.Repeat("x", before)+secret+"\nnext\n")
		if len(got) != 2 || got[1] != "next" || strings.Contains(got[0], secret[:3]) || len(got[0]) > lineBytes+3 {
			t.Fatalf("after %d characters: %d lines, end %q", before, len(got), got[0][len(got[0])-40:])
		}
	}
}

func TestJournalIsBounded(t *testing.T) {
	j := &Journal{}
	for i := range 10_000 {
		j.add(fmt.Sprintf("%0100d", i))
	}
	all := j.Since(0)
	if n := len(all); n == 0 || n*100 > journalBytes {
		t.Errorf("%d lines kept", n)
	}
	if got := j.Since(all[len(all)-3].ID); len(got) != 2 || got[0] != all[len(all)-2] {
		t.Errorf("since the last but two: %d lines", len(got))
	}
	if got := j.Since(all[len(all)-1].ID); len(got) != 0 {
		t.Errorf("since the last: %d lines", len(got))
	}
}

// A server that writes blank lines only does not fill the memory.
func TestJournalBoundsBlankLines(t *testing.T) {
	if n := len(journalOf(nil, strings.Repeat("\n", journalBytes))); n == 0 || n > journalBytes/64 {
		t.Errorf("%d blank lines kept", n)
	}
}

// A reader that follows a log continues with the journal of the next run.
func TestJournalIDsGrowOverRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var before, after Journal
		for range 1000 {
			before.add("line")
		}
		lines := before.Since(0)
		time.Sleep(time.Second) // of the fake clock
		after.add("first")
		if got := after.Since(lines[999].ID); len(got) != 1 {
			t.Errorf("%d lines after ID %d, want the first of the new run", len(got), lines[999].ID)
		}
		if lines[999].ID <= lines[998].ID {
			t.Errorf("ID %d after %d", lines[999].ID, lines[998].ID)
		}
	})
}
