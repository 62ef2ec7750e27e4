package diff

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// hashOf is the hash in the first line of a commit: "commit <hash>" of git log,
// "From <hash> Mon Sep 17 ..." of git format-patch.
func hashOf(line []byte, at int) (span, bool) {
	for _, start := range []string{"commit ", "From "} {
		if !bytes.HasPrefix(line, []byte(start)) {
			continue
		}
		n := 0
		for _, c := range line[len(start):] {
			if c-'0' > 9 && c-'a' > 5 {
				break
			}
			n++
		}
		rest := line[len(start)+n:]
		if (n == 40 || n == 64) && (len(rest) == 0 || rest[0] == ' ') {
			return span{int32(at + len(start)), int32(at + len(start) + n)}, true
		}
	}
	return span{}, false
}

// maxHeader is how far behind the first line of a commit its subject is looked
// for.
const maxHeader = 4096

// subject is the first line of the message of a commit whose first line ends
// at "at".
func (s *scanner) subject(at int) span {
	for limit := min(len(s.b), at+maxHeader); at < limit; {
		end := lines.End(s.b, at)
		line := bytes.TrimRight(s.b[at:end], "\r\n")
		for _, start := range []string{"Subject: ", "    "} {
			if bytes.HasPrefix(line, []byte(start)) && len(bytes.TrimSpace(line)) > 0 {
				return span{int32(at + len(start)), int32(at + len(line))}
			}
		}
		if _, next := hashOf(line, at); next || bytes.HasPrefix(line, []byte("diff -")) {
			break
		}
		at = end
	}
	return span{}
}

// stat is what the last line of git log --stat says of a commit: 2 files changed,
// 3 insertions(+), 1 deletion(-).
func (s *scanner) stat(c *commit) (files int, plus, minus int32) {
	text := bytes.TrimRight(s.b[c.start:c.end], "\r\n")
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	if !bytes.Contains(line, []byte(" changed")) {
		return 0, 0, 0
	}
	for said := range bytes.SplitSeq(line, []byte(",")) {
		said = bytes.TrimLeft(said, " ")
		digits := said[:max(0, bytes.IndexByte(said, ' '))]
		n, err := strconv.ParseInt(string(digits), 10, 32)
		switch {
		case err != nil:
			return 0, 0, 0
		case bytes.Contains(said, []byte(" file")):
			files = int(n)
		case bytes.Contains(said, []byte(" insertion")):
			plus = int32(n)
		case bytes.Contains(said, []byte(" deletion")):
			minus = int32(n)
		}
	}
	return files, plus, minus
}

// isHistory reports whether a text without files is what git log says of commits,
// with or without a summary of their files: it begins with one, and nearly all
// have a subject.
func (s *scanner) isHistory() bool {
	if len(s.files) > 0 || len(s.commits) < 2 || s.outside > 0 {
		return false
	}
	silent := 0
	for i := range s.commits {
		if c := &s.commits[i]; c.subject.start == 0 || s.b[c.start] != 'c' {
			silent++
		}
	}
	return silent*10 <= len(s.commits)
}

// proven reports whether there is little besides the diff: at most a fifth of
// all lines but those of messages, or a few before the first file. A text that
// shows a diff in a fence is another thing.
func (s *scanner) proven() bool {
	real := len(s.hunks) > 0
	for i := range s.files {
		f := &s.files[i]
		real = real || f.binary || f.mode || f.status != 'M'
	}
	return real && !s.fenced && (s.outside*5 <= s.inside+s.outside || s.outside <= 20 && s.outside < s.inside)
}
