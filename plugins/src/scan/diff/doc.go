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

// Kinds of parts. An entry of builder.of is kinds times the number of the part plus its kind.
const (
	ofCommit = iota
	ofMessage
	ofFile
	ofHead
	ofHunk
	ofText
	ofDirectory
	kinds
)

// builder makes the parts of a diff.
type builder struct {
	*scanner
	doc         *part.Doc
	of          []int32 // by part
	directories []directory
}

// document returns the commits, files and hunks as a part.Doc.
func (s *scanner) document() *part.Doc {
	w := &builder{scanner: s, doc: &part.Doc{Count: caption.Count(len(s.files), "file")}}
	if len(s.files) == 0 { // git log
		w.doc.Count = caption.Count(len(s.commits), "commit")
	}
	n := 2*len(s.commits) + 2*len(s.files) + len(s.hunks) + 1
	w.doc.Parts, w.of = make([]part.Part, 0, n), make([]int32, 0, n)
	plus, minus := int32(0), int32(0)
	for i := range s.files {
		plus, minus = plus+s.files[i].plus, minus+s.files[i].minus
	}
	line := caption.Count(len(s.hunks), "hunk") + ", " + formatChanges(plus, minus)
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
	if w.addFiles(span{int32(s.start), int32(end)}, 0, first, -1, ofText) {
		w.doc.By = "folder"
	}
	for i := range s.commits {
		w.addCommit(i)
	}
	w.doc.Name = w.name
	return w.doc
}

func (w *builder) add(x span, parent int32, kind, of int) int32 {
	w.doc.Parts = append(w.doc.Parts, part.Part{Start: x.start, End: x.end, Parent: parent})
	w.of = append(w.of, int32(of*kinds+kind))
	return int32(len(w.of) - 1)
}

func (w *builder) addCommit(i int) {
	c := &w.commits[i]
	last := len(w.files)
	if i+1 < len(w.commits) {
		last = w.commits[i+1].first
	}
	at := w.add(c.span, -1, ofCommit, i)
	if last > c.first {
		w.addFiles(c.span, c.first, last, at, ofMessage)
	}
}

// addFiles adds files and the text before, between and after them. kind is the kind of the
// text before. Many files without text between them are grouped by directory; grouped
// reports whether they were.
func (w *builder) addFiles(in span, first, last int, parent int32, kind int) (grouped bool) {
	at := in.start
	addText := func(end int32, kind int) {
		if len(bytes.TrimSpace(w.b[at:end])) > 0 {
			w.add(span{at, end}, parent, kind, 0)
		}
	}
	if last-first > maxLines && w.areAdjacent(first, last) {
		addText(w.files[first].start, kind)
		files := make([]int32, last-first)
		for k := range files {
			files[k] = int32(first + k)
		}
		grouped = w.addGroups(files, parent, maxLevels)
		at, kind, first = w.files[last-1].end, ofText, last
	}
	for i := first; i < last; i++ {
		f := &w.files[i]
		addText(f.start, kind)
		at, kind = f.end, ofText
		w.addFile(i, parent)
	}
	addText(in.end, kind)
	return grouped
}

// areAdjacent reports whether there is no text between files.
func (w *builder) areAdjacent(first, last int) bool {
	for i := first + 1; i < last; i++ {
		if len(bytes.TrimSpace(w.b[w.files[i-1].end:w.files[i].start])) > 0 {
			return false
		}
	}
	return true
}

func (w *builder) addFile(i int, parent int32) {
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

func (w *builder) name(i int, n *part.Name) {
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
			n.Title = append(n.Title, n.ID...) // only control characters
		}
	case ofFile:
		w.nameFile(of, n)
	case ofDirectory:
		w.nameDirectory(&w.directories[of], n)
	case ofHunk:
		h := &w.hunks[of]
		n.ID = strconv.AppendInt(append(n.ID, 'L'), int64(h.line), 10)
		line, _, _ := strings.Cut(string(body[:min(len(body), 4*maxTitle)]), "\n")
		n.Title = appendTitle(n.Title, line, " "+formatChanges(h.plus, h.minus))
	}
}

// appendTitle appends a text and a suffix. The text is clipped so that the suffix fits.
func appendTitle(dst []byte, text, suffix string) []byte {
	return append(caption.Append(dst, []byte(text), maxTitle-len(suffix)), suffix...)
}

func (w *builder) nameCommit(i int, n *part.Name) {
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
		if files, plus, minus = w.readStat(c); files == 0 {
			n.Title = caption.Append(n.Title, []byte(subject), maxTitle)
			return
		}
	}
	n.Title = appendTitle(n.Title, subject, ", "+caption.Count(files, "file")+" "+formatChanges(plus, minus))
}

// maxBrief is the number of files up to which each has its own line in the index, where its id shows
// the path. Of more files the index shows only titles.
const maxBrief = 20

// maxSegment is the size up to which the host shows an id whole. A / takes three bytes of it.
const maxSegment = 60

// isBrief reports whether the title of a file need not repeat its path.
func (w *builder) isBrief(path string) bool {
	return len(w.files) <= maxBrief && len(w.commits) <= 1 && path != "" && len(path)+2*strings.Count(path, "/") <= maxSegment
}

// nameFile names a file by its path. The title describes its change: M path +3 -1, or M +3 -1 if the
// id is next to the title.
func (w *builder) nameFile(i int, n *part.Name) {
	f := &w.files[i]
	was, is := w.path(f, f.was), w.path(f, f.is)
	if n.ID = append(n.ID, is...); len(n.ID) == 0 {
		n.ID = append(n.ID, "file"...)
	}
	suffix := ""
	if f.binary {
		suffix += " binary"
	}
	if f.mode {
		suffix += " mode"
	}
	if f.plus+f.minus > 0 {
		suffix += " " + formatChanges(f.plus, f.minus)
	}
	moved, brief := f.status == 'R' || f.status == 'C', w.isBrief(is)
	title := string(f.status)
	switch {
	case moved && brief:
		title += " from " + was
	case moved:
		title += " " + was + " to " + is
	case !brief:
		title += " " + is
	}
	n.Title = appendTitle(n.Title, title, suffix)
}

// path returns a path without quotes and, in diffs of git, without a/ and b/.
func (w *builder) path(f *file, x span) string {
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

func formatChanges(plus, minus int32) string {
	return "+" + strconv.Itoa(int(plus)) + " -" + strconv.Itoa(int(minus))
}
