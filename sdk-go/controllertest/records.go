package controllertest

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// recordsOf returns entries in the format of prompt_records: count and size of a record,
// the records, the lines for searches, and all other texts.
func recordsOf(list []promptEntry) []byte {
	var searched, others strings.Builder
	for _, e := range list {
		searched.WriteString(e.lines())
	}
	at := 8 + len(list)*raw.PromptRecordSize // of the next line
	end := at + searched.Len()
	var w recordWriter
	w.number(len(list))
	w.number(raw.PromptRecordSize)
	for _, e := range list {
		chapters := strings.Join(oneLineEach(e.Chapters), "\n")
		w.span(at, e.Name)
		w.span(at+len(e.Name)+1, e.Summary)
		w.span(at+len(e.Name)+1+len(e.Summary)+min(len(e.Chapters), 1), chapters)
		at += len(e.lines())
		for _, text := range []string{e.Project, e.Link, e.Ref} {
			w.span(end+others.Len(), text)
			others.WriteString(text)
		}
		w.number(e.Priority)
		w.number(e.Bytes)
		w.number(int(linkStatus[e.LinkStatus]))
		w.number(0)
		hash, _ := hex.DecodeString(e.Hash) // entries has encoded it
		w = append(w, hash...)
	}
	return append(append(w, searched.String()...), others.String()...)
}

var linkStatus = map[string]int32{"": raw.LinkNone, "alive": raw.LinkAlive, "dead": raw.LinkDead, "unknown": raw.LinkUnknown}

// lines returns the lines of a prompt for searches.
func (e promptEntry) lines() string {
	return strings.Join(oneLineEach(append([]string{e.Name, e.Summary}, e.Chapters...)), "\n") + "\n"
}

// oneLineEach returns each text as one line.
func oneLineEach(texts []string) []string {
	lines := make([]string, len(texts))
	for i, text := range texts {
		lines[i] = strings.ReplaceAll(text, "\n", " ")
	}
	return lines
}

type recordWriter []byte

func (w *recordWriter) number(n int) { *w = binary.LittleEndian.AppendUint32(*w, uint32(n)) }

func (w *recordWriter) span(start int, text string) {
	w.number(start)
	w.number(start + len(text))
}
