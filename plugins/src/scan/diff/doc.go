package diff

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	maxTitle = 80
	hashSize = 12 // digits of a hash that name a commit
)

// what a part is; the rest of its entry in writer.of is its number.
const (
	ofCommit = iota
	ofMessage
	ofFile
	ofHead
	ofHunk
	ofText
	ofFolder
	kinds
)

// writer makes the parts of a diff.
type writer struct {
	*scanner
	doc     *part.Doc
	of      []int32
	folders []folder
}

// doc makes a document of what was found.
func (s *scanner) doc() *part.Doc {
	w := &writer{scanner: s, doc: &part.Doc{Count: caption.Count(len(s.files), "file")}}
	if len(s.files) == 0 { // git log
		w.doc.Count = caption.Count(len(s.commits), "commit")
	}
	n := 2*len(s.commits) + 2*len(s.files) + len(s.hunks) + 1
	w.doc.Parts, w.of = make([]part.Part, 0, n), make([]int32, 0, n)
	plus, minus := int32(0), int32(0)
	for i := range s.files {
		plus, minus = plus+s.files[i].plus, minus+s.files[i].minus
	}
	line := caption.Count(len(s.hunks), "hunk") + ", " + changes(plus, minus)
	if len(s.commits) > 0 {
		line = caption.Count(len(s.commits), "commit") + ", " + line
	}
	if len(s.files) > 0 {
		w.doc.Lines = []string{line}
	}
	first := len(s.files)
	if len(s.commits) > 0 {
		first = s.commits[0].first
	}
	end := len(s.b)
	if len(s.commits) > 0 {
		end = int(s.commits[0].start)
	}
	if w.scope(span{int32(s.start), int32(end)}, 0, first, -1, ofText) {
		w.doc.By = "folder"
	}
	for i := range s.commits {
		w.commit(i)
	}
	w.doc.Name = w.name
	return w.doc
}

func (w *writer) add(x span, parent int32, kind, of int) int32 {
	w.doc.Parts = append(w.doc.Parts, part.Part{Start: x.start, End: x.end, Parent: parent})
	w.of = append(w.of, int32(of*kinds+kind))
	return int32(len(w.of) - 1)
}

func (w *writer) commit(i int) {
	c := &w.commits[i]
	last := len(w.files)
	if i+1 < len(w.commits) {
		last = w.commits[i+1].first
	}
	at := w.add(c.span, -1, ofCommit, i)
	if last > c.first {
		w.scope(c.span, c.first, last, at, ofMessage)
	}
}

// scope adds files and the text before, between and behind them; the kind is that
// of the text before. Many files without text between them are grouped by folder,
// which it reports.
func (w *writer) scope(in span, first, last int, parent int32, kind int) (grouped bool) {
	at := in.start
	text := func(end int32, kind int) {
		if len(bytes.TrimSpace(w.b[at:end])) > 0 {
			w.add(span{at, end}, parent, kind, 0)
		}
	}
	if last-first > maxLines && w.adjacent(first, last) {
		text(w.files[first].start, kind)
		files := make([]int32, last-first)
		for k := range files {
			files[k] = int32(first + k)
		}
		grouped = w.grouped(files, parent, maxLevels)
		at, kind, first = w.files[last-1].end, ofText, last
	}
	for i := first; i < last; i++ {
		f := &w.files[i]
		text(f.start, kind)
		at, kind = f.end, ofText
		w.file(i, parent)
	}
	text(in.end, kind)
	return grouped
}

// adjacent reports whether no text stands between files.
func (w *writer) adjacent(first, last int) bool {
	for i := first + 1; i < last; i++ {
		if len(bytes.TrimSpace(w.b[w.files[i-1].end:w.files[i].start])) > 0 {
			return false
		}
	}
	return true
}

func (w *writer) file(i int, parent int32) {
	f := &w.files[i]
	last := int32(len(w.hunks))
	if i+1 < len(w.files) {
		last = w.files[i+1].first
	}
	at := w.add(f.span, parent, ofFile, i)
	if last-f.first == 0 {
		return
	}
	w.add(span{f.start, f.head}, at, ofHead, i)
	for h := f.first; h < last; h++ {
		w.add(w.hunks[h].span, at, ofHunk, int(h))
	}
}

func (w *writer) name(i int, n *part.Name) {
	p, of := w.doc.Parts[i], int(w.of[i])
	body := w.b[p.Start:p.End]
	switch of, kind := of/kinds, of%kinds; kind {
	case ofCommit:
		w.nameCommit(of, n)
	case ofMessage, ofText, ofHead:
		if kind == ofMessage {
			if subject := w.commits[w.of[p.Parent]/kinds].subject; subject.start > p.Start && subject.start < p.End {
				body = w.b[subject.start:p.End]
			}
		}
		n.ID = append(n.ID, [...]string{ofMessage: "message", ofText: "text", ofHead: "head"}[kind]...)
		if n.Title = caption.Append(n.Title, body, maxTitle); len(n.Title) == 0 {
			n.Title = append(n.Title, n.ID...) // control characters alone
		}
	case ofFile:
		w.nameFile(of, n)
	case ofFolder:
		w.nameFolder(&w.folders[of], n)
	case ofHunk:
		h := &w.hunks[of]
		n.ID = strconv.AppendInt(append(n.ID, 'L'), int64(h.line), 10)
		line, _, _ := strings.Cut(string(body[:min(len(body), 4*maxTitle)]), "\n")
		n.Title = tail(n.Title, line, " "+changes(h.plus, h.minus))
	}
}

// tail appends a text that is clipped, so that what comes behind it fits.
func tail(dst []byte, text, behind string) []byte {
	return append(caption.Append(dst, []byte(text), maxTitle-len(behind)), behind...)
}

func (w *writer) nameCommit(i int, n *part.Name) {
	c := &w.commits[i]
	last := len(w.files)
	if i+1 < len(w.commits) {
		last = w.commits[i+1].first
	}
	plus, minus := int32(0), int32(0)
	for _, f := range w.files[c.first:last] {
		plus, minus = plus+f.plus, minus+f.minus
	}
	n.ID = append(n.ID, w.b[c.hash.start:c.hash.start+hashSize]...)
	subject := string(w.b[c.subject.start:c.subject.end])
	if strings.HasPrefix(subject, "[PATCH") { // [PATCH 01/12]
		_, subject, _ = strings.Cut(subject, "] ")
	}
	files := last - c.first
	if len(w.files) == 0 {
		if files, plus, minus = w.stat(c); files == 0 {
			n.Title = caption.Append(n.Title, []byte(subject), maxTitle)
			return
		}
	}
	n.Title = tail(n.Title, subject, ", "+caption.Count(files, "file")+" "+changes(plus, minus))
}

// maxBrief is up to how many files in one list are all shown a line each, below
// which the id says the path. Where more are folded only titles are left of them.
const maxBrief = 20

// maxSegment is the size of an id from which on the host cuts it. A / takes three
// bytes of it.
const maxSegment = 60

// brief reports whether what a file is called need not say its path again.
func (w *writer) brief(path string) bool {
	return len(w.files) <= maxBrief && len(w.commits) <= 1 && path != "" && len(path)+2*strings.Count(path, "/") <= maxSegment
}

// nameFile calls a file by its path, and says what became of it: M path +3 -1, or
// M +3 -1 where its id stands next to that.
func (w *writer) nameFile(i int, n *part.Name) {
	f := &w.files[i]
	was, is := w.path(f, f.was), w.path(f, f.is)
	if n.ID = append(n.ID, is...); len(n.ID) == 0 {
		n.ID = append(n.ID, "file"...)
	}
	behind := ""
	if f.binary {
		behind += " binary"
	}
	if f.mode {
		behind += " mode"
	}
	if f.plus+f.minus > 0 {
		behind += " " + changes(f.plus, f.minus)
	}
	moved, brief := f.status == 'R' || f.status == 'C', w.brief(is)
	said := string(f.status)
	switch {
	case moved && brief:
		said += " from " + was
	case moved:
		said += " " + was + " to " + is
	case !brief:
		said += " " + is
	}
	n.Title = tail(n.Title, said, behind)
}

// path is a path without quotes and, in diffs of git, without a/ and b/.
func (w *writer) path(f *file, x span) string {
	p := string(w.b[x.start:x.end])
	if strings.HasPrefix(p, `"`) {
		if s, err := strconv.Unquote(p); err == nil && utf8.ValidString(s) {
			p = s
		}
	}
	if len(p) > 2 && p[1] == '/' && strings.IndexByte("abciow", p[0]) >= 0 && (f.git || p[0] == 'a' || p[0] == 'b') {
		return p[2:]
	}
	return p
}

func changes(plus, minus int32) string {
	return "+" + strconv.Itoa(int(plus)) + " -" + strconv.Itoa(int(minus))
}
