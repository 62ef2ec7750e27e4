// Command errors is a stage of mcpctl that was written with Extism's PDK: it keeps the
// lines of a log that contain one of several words, and makes each a section, so that
// the lines around it can be read.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/extism/go-pdk"
)

// sectionAdd is a function of mcpctl: it adds a section, given as JSON at an offset of
// Extism's memory, and returns its index or a negative code.
//
//go:wasmimport extism:host/user mcpctl_section_add
func sectionAdd(section uint64) int32

// span is a section: the bytes of the original from start to end.
type span struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Title string `json:"title"`
	ID    string `json:"id"`
}

//go:wasmexport errors
func run() int32 {
	words := []string{"ERROR", "WARN"}
	if set, ok := pdk.GetConfig("words"); ok {
		if err := json.Unmarshal([]byte(set), &words); err != nil {
			pdk.SetError(fmt.Errorf("words: %w", err))
			return 1
		}
	}
	kept, lines := keep(pdk.Input(), words)
	for _, s := range kept {
		if err := add(s); err != nil {
			pdk.SetError(err)
			return 1
		}
	}
	pdk.Log(pdk.LogInfo, fmt.Sprintf("%d of %d lines", len(kept), lines))
	pdk.OutputString(show(kept, lines))
	return 0
}

// keep returns the lines that contain one of the words, and the number of all lines.
func keep(text []byte, words []string) (kept []span, lines int) {
	at := 0
	for line := range bytes.Lines(text) {
		lines++
		for _, w := range words {
			if bytes.Contains(line, []byte(w)) {
				kept = append(kept, span{at, at + len(line), strings.TrimSpace(string(line)), fmt.Sprint("line-", lines)})
				break
			}
		}
		at += len(line)
	}
	return kept, lines
}

func show(kept []span, lines int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d lines:\n", len(kept), lines)
	for _, s := range kept {
		b.WriteString(s.Title + "\n")
	}
	return b.String()
}

func add(s span) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	mem := pdk.AllocateBytes(text)
	defer mem.Free()
	if code := sectionAdd(mem.Offset()); code < 0 {
		return fmt.Errorf("section %s: code %d", s.ID, code)
	}
	return nil
}

func main() {}
