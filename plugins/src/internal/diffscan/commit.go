package diffscan

import (
	"bytes"

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
