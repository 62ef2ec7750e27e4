package abi

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// PromptEntry describes one prompt to controllers.
type PromptEntry struct {
	Name       string   `json:"name"`
	Project    string   `json:"project"`
	Priority   int      `json:"priority"`
	Summary    string   `json:"summary"`
	Chapters   []string `json:"chapters"`
	Bytes      int      `json:"bytes"` // of the content; 0 for a link that was not read yet
	Hash       string   `json:"hash"`  // SHA-256 of the content, hex
	Link       string   `json:"link"`
	LinkStatus string   `json:"linkStatus"` // empty for a prompt that is not a link
}

// PromptRecords encodes entries as the result of prompt_records. refs returns the ref for
// reading sections of a prompt, or "" if there is none yet.
//
// Format: u32 count, u32 PromptRecordSize, the records, then the texts: first name,
// summary and chapters of all entries, one line each, which guests search; then
// projects, links and refs.
func PromptRecords(entries []PromptEntry, refs func(PromptEntry) string) []byte {
	p := recordPrinter{head: make([]byte, recordsAt+len(entries)*PromptRecordSize)}
	binary.LittleEndian.PutUint32(p.head, uint32(len(entries)))
	binary.LittleEndian.PutUint32(p.head[4:], PromptRecordSize)
	for i := range entries {
		p.addEntry(p.record(i), &entries[i])
	}
	var project promptSpan
	for i := range entries {
		e, r := &entries[i], p.record(i)
		if i == 0 || e.Project != entries[i-1].Project {
			project = p.text(e.Project)
		}
		r.put(fieldProject, project)
		r.put(fieldLink, p.text(e.Link))
		r.put(fieldRef, p.text(refs(*e)))
	}
	return append(p.head, p.texts...)
}

// recordsAt is the offset of the first record.
const recordsAt = 8

// The fields of a record, as indexes of u32 values. A span takes two of them.
const (
	fieldName       = 0
	fieldSummary    = 2
	fieldChapters   = 4
	fieldProject    = 6
	fieldLink       = 8
	fieldRef        = 10
	fieldPriority   = 12
	fieldBytes      = 13
	fieldLinkStatus = 14
	hashAt          = 64
)

type promptSpan struct{ start, end int }

// promptRecord is the bytes of one record.
type promptRecord []byte

func (r promptRecord) number(field, v int) { binary.LittleEndian.PutUint32(r[4*field:], uint32(v)) }

func (r promptRecord) put(field int, s promptSpan) {
	r.number(field, s.start)
	r.number(field+1, s.end)
}

// recordPrinter holds the output. texts follow head.
type recordPrinter struct{ head, texts []byte }

func (p *recordPrinter) record(i int) promptRecord {
	at := recordsAt + i*PromptRecordSize
	return promptRecord(p.head[at : at+PromptRecordSize])
}

// text appends s to the texts and returns its span.
func (p *recordPrinter) text(s string) promptSpan {
	start := len(p.head) + len(p.texts)
	p.texts = append(p.texts, s...)
	return promptSpan{start, start + len(s)}
}

// line appends s as one line: line feeds in s become blanks.
func (p *recordPrinter) line(s string) promptSpan {
	if strings.IndexByte(s, '\n') >= 0 {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	at := p.text(s)
	p.texts = append(p.texts, '\n')
	return at
}

var linkStatus = map[string]int{"": LinkNone, "alive": LinkAlive, "dead": LinkDead, "unknown": LinkUnknown}

// addEntry appends the lines of an entry and sets their fields in its record.
func (p *recordPrinter) addEntry(r promptRecord, e *PromptEntry) {
	r.number(fieldPriority, e.Priority)
	r.number(fieldBytes, e.Bytes)
	r.number(fieldLinkStatus, linkStatus[e.LinkStatus])
	if len(e.Hash) == 2*HashSize { // a link that was not read has no hash
		_, _ = hex.Decode(r[hashAt:], []byte(e.Hash))
	}
	r.put(fieldName, p.line(e.Name))
	summary := p.line(e.Summary)
	r.put(fieldSummary, summary)
	chapters := promptSpan{summary.end, summary.end}
	for i, c := range e.Chapters {
		at := p.line(c)
		if i == 0 {
			chapters.start = at.start
		}
		chapters.end = at.end
	}
	r.put(fieldChapters, chapters)
}
