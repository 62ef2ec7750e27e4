package diff

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// hashOf returns the hash in the first line of a commit: "commit <hash>" of git log,
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

// maxHeader is the number of bytes after the first line of a commit in which its
// subject is searched.
const maxHeader = 4096

// findSubject returns the first line of the message of a commit whose first line ends
// at "at".
func (s *scanner) findSubject(at int) span {
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

// readStat reads the last line of git log --stat of a commit: 2 files changed,
// 3 insertions(+), 1 deletion(-).
func (s *scanner) readStat(c *commit) (files int, plus, minus int32) {
	text := bytes.TrimRight(s.b[c.start:c.end], "\r\n")
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	if !bytes.Contains(line, []byte(" changed")) {
		return 0, 0, 0
	}
	for field := range bytes.SplitSeq(line, []byte(",")) {
		field = bytes.TrimLeft(field, " ")
		digits := field[:max(0, bytes.IndexByte(field, ' '))]
		n, err := strconv.ParseInt(string(digits), 10, 32)
		switch {
		case err != nil:
			return 0, 0, 0
		case bytes.Contains(field, []byte(" file")):
			files = int(n)
		case bytes.Contains(field, []byte(" insertion")):
			plus = int32(n)
		case bytes.Contains(field, []byte(" deletion")):
			minus = int32(n)
		}
	}
	return files, plus, minus
}

// isHistory reports whether a text without files is the output of git log, with or
// without a summary of the files: it begins with a commit, and nearly all commits
// have a subject.
func (s *scanner) isHistory() bool {
	if len(s.files) > 0 || len(s.commits) < 2 || s.outside > 0 {
		return false
	}
	untitled := 0
	for i := range s.commits {
		if c := &s.commits[i]; c.subject.start == 0 || s.b[c.start] != 'c' {
			untitled++
		}
	}
	return untitled*10 <= len(s.commits)
}

// isProven reports whether there is little text besides the diff: at most a fifth of
// the lines, messages not counted, or a few lines. A diff in a fence proves nothing.
func (s *scanner) isProven() bool {
	real := len(s.hunks) > 0
	for i := range s.files {
		f := &s.files[i]
		real = real || f.binary || f.mode || f.status != 'M'
	}
	return real && !s.fenced && (s.outside*5 <= s.inside+s.outside || s.outside <= 20 && s.outside < s.inside)
}
