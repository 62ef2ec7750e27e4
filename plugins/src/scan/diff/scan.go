// Package diff finds the commits, files and hunks of unified diffs as byte
// spans: of git, including renames, modes and binary files, of diff -u, and the
// combined diffs of merges.
package diff

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Hints are the extensions and media types that claim a diff.
const Hints = "diff patch text/x-diff text/x-patch"

// Scan is the part.Scan of diffs: files with hunks, or with the headers of git, and little
// text outside files and commits. The output of git log without files is a diff too.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	at := lines.Start(b)
	if !c.Forced && !isLikely(b[at:]) {
		return nil, false
	}
	s := &scanner{b: b, at: at, start: at}
	s.scan()
	if !s.isHistory() && (len(s.files) == 0 || !c.Forced && !s.isProven()) {
		return nil, false
	}
	return s.document(), true
}

// maxPreamble is the offset before which the first file of a diff has to begin.
const maxPreamble = 1 << 16

// isLikely reports whether the start of b has a line that begins a file, or is that of a
// commit.
func isLikely(b []byte) bool {
	b = b[:min(len(b), maxPreamble)]
	if _, ok := hashOf(bytes.TrimRight(b[:lines.End(b, 0)], "\r\n"), 0); ok {
		return true
	}
	for at := 0; at < len(b); at = lines.End(b, at) {
		if c := b[at]; (c == 'd' || c == '-' || c == 'I') && Begins(b[at:]) {
			return true
		}
	}
	return false
}

// Begins reports whether a line begins like the first line of a file or a commit. A text
// without such a line is no diff.
func Begins(line []byte) bool {
	for _, sign := range []string{"diff -", "--- ", "Index: ", "commit ", "From "} {
		if line[0] == sign[0] && bytes.HasPrefix(line, []byte(sign)) {
			return true
		}
	}
	return false
}

// span is a stretch of the text.
type span struct{ start, end int32 }

// commit is the output of git log -p or format-patch for a commit, up to the next one.
type commit struct {
	span
	hash, subject span
	first         int // its first file
}

// file is the part of a diff that changes one file.
type file struct {
	span
	was, is     span // its paths before and after the change
	plus, minus int32
	head        int32
	status      byte // as git has it: A, C, D, M, R
	mode        bool // its mode changes
	binary      bool
	git         bool  // its paths begin with a/ and b/
	first       int32 // its first hunk
}

// hunk is one change with the lines around it.
type hunk struct {
	span
	line        int32
	plus, minus int32
}

type scanner struct {
	b         []byte
	start, at int
	line      int32 // number of the line at "at", from 0
	commits   []commit
	files     []file
	hunks     []hunk
	open      bool // the last file continues
	outside   int  // lines outside files, messages and commits
	inside    int  // lines of files
	fenced    bool // the line before the first file is a fence
}

func (s *scanner) scan() {
	for s.at < len(s.b) {
		end := lines.End(s.b, s.at)
		line := bytes.TrimRight(s.b[s.at:end], "\r\n")
		switch {
		case s.readStart(line, end):
		case s.open && s.readHeader(line, end):
		default:
			s.open = false
			if len(line) > 0 && (len(s.commits) == 0 || !s.isInMessage()) {
				s.outside++
				if len(s.files) == 0 {
					s.fenced = bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
				}
			}
			s.next(end)
		}
	}
	s.endCommit()
}

// next advances to the next line, which begins at end.
func (s *scanner) next(end int) {
	s.at = end
	s.line++
}

// isInMessage reports whether the last commit has no file yet.
func (s *scanner) isInMessage() bool {
	return s.commits[len(s.commits)-1].first == len(s.files)
}

func (s *scanner) endCommit() {
	if n := len(s.commits); n > 0 {
		s.commits[n-1].end = int32(s.at)
	}
}

// readStart reads a line that begins a commit, a file or a hunk.
func (s *scanner) readStart(line []byte, end int) bool {
	if len(line) < 4 {
		return false
	}
	switch line[0] {
	case 'c', 'F':
		if hash, ok := hashOf(line, s.at); ok {
			s.endCommit()
			s.open = false
			s.commits = append(s.commits, commit{span: span{int32(s.at), 0}, hash: hash, subject: s.findSubject(end), first: len(s.files)})
			s.next(end)
			return true
		}
	case 'd':
		if bytes.HasPrefix(line, []byte("diff -")) {
			s.addFile(end)
			s.readDiffLine(line)
			return true
		}
	case 'I':
		if bytes.HasPrefix(line, []byte("Index: ")) {
			s.addFile(end)
			f := &s.files[len(s.files)-1]
			f.is = trimPath(s.b, f.start+int32(len("Index: ")), f.start+int32(len(line)))
			return true
		}
	case '-':
		return s.readPaths(line, end)
	case '@':
		if s.open {
			return s.readHunk(line, end)
		}
	}
	return false
}

func (s *scanner) addFile(end int) {
	if len(s.files) == cap(s.files) {
		s.files = grow.Slice(s.files, s.at, len(s.b), len(s.b))
	}
	s.files = append(s.files, file{span: span{int32(s.at), int32(end)}, status: 'M', first: int32(len(s.hunks))})
	s.open = true
	s.inside++
	s.next(end)
}

// readPaths reads the lines --- and +++, which begin a file unless one has just
// begun.
func (s *scanner) readPaths(line []byte, end int) bool {
	if !bytes.HasPrefix(line, []byte("--- ")) || !bytes.HasPrefix(s.b[end:], []byte("+++ ")) {
		return false
	}
	second := lines.End(s.b, end)
	if !bytes.HasPrefix(s.b[second:], []byte("@@")) {
		return false
	}
	at := s.at
	if !s.open || int(s.files[len(s.files)-1].first) < len(s.hunks) {
		s.addFile(end)
	} else {
		s.next(end)
	}
	f := &s.files[len(s.files)-1]
	f.was, f.is = trimPath(s.b, int32(at+4), int32(at+len(line))), trimPath(s.b, int32(end+4), int32(second))
	switch {
	case s.isNull(f.was):
		f.status, f.was = 'A', span{}
	case s.isNull(f.is):
		f.status, f.is = 'D', f.was
	}
	s.next(second)
	f.end = int32(second)
	s.inside += 2
	return true
}

func (s *scanner) isNull(x span) bool { return string(s.b[x.start:x.end]) == "/dev/null" }

// trimPath returns a path without the time and the line end after it.
func trimPath(b []byte, start, end int32) span {
	text := b[start:end]
	if i := bytes.IndexByte(text, '\t'); i >= 0 {
		text = text[:i]
	}
	text = bytes.TrimRight(text, " \r\n")
	return span{start, start + int32(len(text))}
}

// readDiffLine reads the paths in the line that begins with "diff".
func (s *scanner) readDiffLine(line []byte) {
	f := &s.files[len(s.files)-1]
	for _, combined := range []string{"diff --cc ", "diff --combined "} {
		if bytes.HasPrefix(line, []byte(combined)) {
			f.is = trimPath(s.b, f.start+int32(len(combined)), f.start+int32(len(line)))
			return
		}
	}
	start := 0
	if f.git = bytes.HasPrefix(line, []byte("diff --git ")); f.git {
		start = len("diff --git ")
		if n := (len(line) - start - 1) / 2; n > 0 && line[start+n] == ' ' { // the same path twice
			f.was = span{f.start + int32(start), f.start + int32(start+n)}
			f.is = span{f.start + int32(start+n+1), f.start + int32(len(line))}
			return
		}
	}
	if i := bytes.LastIndexByte(line, ' '); i > start {
		f.is = span{f.start + int32(i) + 1, f.start + int32(len(line))}
	}
}

// readHeader reads a line between the first line of a file and its hunks, or a line of a
// binary patch.
func (s *scanner) readHeader(line []byte, end int) bool {
	f := &s.files[len(s.files)-1]
	if int(f.first) < len(s.hunks) {
		return false
	}
	word := func(start string) (span, bool) {
		if !bytes.HasPrefix(line, []byte(start)) {
			return span{}, false
		}
		return span{int32(s.at + len(start)), int32(s.at + len(line))}, true
	}
	known := f.binary && !bytes.HasPrefix(line, []byte("-- "))
	for _, header := range headers {
		at, ok := word(header.start)
		if !ok {
			continue
		}
		known = true
		switch header.means {
		case 'f':
			f.was, f.git = at, false
		case 't':
			f.is, f.git = at, false
		case 'm':
			f.mode = true
		case 'b':
			f.binary = true
		case 0:
		default:
			f.status = header.means
		}
	}
	if !known {
		return false
	}
	s.inside++
	s.next(end)
	if len(line) > 0 {
		f.end = int32(end)
	}
	return true
}

// headers are the lines between the first line of a file and its hunks. They mean a status, or the
// path before (f) or after (t) the change, a mode (m) or a binary file (b).
var headers = []struct {
	start string
	means byte
}{
	{"new file mode ", 'A'}, {"deleted file mode ", 'D'}, {"similarity index ", 0}, {"dissimilarity index ", 0}, {"index ", 0},
	{"old mode ", 'm'}, {"new mode ", 'm'}, {"mode ", 'm'}, {"rename from ", 'f'}, {"rename from ", 'R'}, {"rename to ", 't'},
	{"copy from ", 'f'}, {"copy from ", 'C'}, {"copy to ", 't'}, {"Binary files ", 'b'}, {"GIT binary patch", 'b'}, {"Files ", 'b'}, {"====", 0},
	{"--- ", 0}, {"+++ ", 0},
}
