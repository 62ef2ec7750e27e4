// Command errors is a stage of mcpctl that was written with Extism's PDK: of a log
// it keeps the lines that hold one of some words, and makes each a section, so that
// what stands around it can be read.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/extism/go-pdk"
)

// sectionAdd is offered by mcpctl: a section in JSON, at an offset of Extism's
// memory, gives its index or a code below 0.
//
//go:wasmimport extism:host/user mcpctl_section_add
func sectionAdd(section uint64) int32

// span is a section: bytes of the original, from start up to end.
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

// keep finds the lines that hold one of the words, and counts all.
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
