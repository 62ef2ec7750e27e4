package abi_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// Each record refers to the texts of its own prompt, for any text: a line feed in a text
// cannot start the line of another prompt.
func FuzzPromptRecords(f *testing.F) {
	f.Add("lights\x00all of them\x00Set up\x00two\nlines", "home\x00public/docs:x\x00abcdefghijklmnop", 3)
	f.Add("\n\x00\n\n\x00\x00\n", "\n\x00\x00", -1)
	f.Fuzz(func(t *testing.T, searched, others string, number int) {
		texts, rest := strings.Split(searched, "\x00"), strings.Split(others+"\x00\x00", "\x00")
		var entries []abi.PromptEntry
		for len(texts) > 2 {
			n := min(len(texts), 5)
			entries = append(entries, abi.PromptEntry{Name: texts[0], Summary: texts[1], Chapters: texts[2:n],
				Project: rest[len(texts)%2], Link: rest[1], Priority: number, Bytes: number, Hash: texts[0]})
			texts = texts[n:]
		}
		list := abi.PromptRecords(entries, func(e abi.PromptEntry) string { return rest[2] + e.Name })
		oneLine := func(s string) string { return strings.ReplaceAll(s, "\n", " ") }
		at := 8 + len(entries)*abi.PromptRecordSize
		for i, e := range entries {
			w, _ := words(list, i)
			var chapters []string
			for _, c := range e.Chapters {
				chapters = append(chapters, oneLine(c))
			}
			for n, want := range []string{oneLine(e.Name), oneLine(e.Summary), strings.Join(chapters, "\n"), e.Project, e.Link, rest[2] + e.Name} {
				if got := string(list[w[2*n]:w[2*n+1]]); got != want {
					t.Errorf("text %d of record %d is %q, want %q", n, i, got, want)
				}
			}
			if w[0] != at {
				t.Errorf("record %d begins at %d, the one before ends at %d", i, w[0], at)
			}
			lines := 2 + len(e.Chapters)
			if at = w[5] + 1; bytes.Count(list[w[0]:at], []byte{'\n'}) != lines {
				t.Errorf("record %d is %q, want %d lines", i, list[w[0]:at], lines)
			}
		}
	})
}
