package lab

import (
	"bytes"
	"regexp"
	"strings"
)

// Loss is the information missing in a result that a reader may need. It is not an
// error, because drill-down still returns it.
type Loss struct {
	Duties []string `json:"duties,omitempty"` // lines with MUST, REQUIRED or NEVER
	Facts  int      `json:"facts,omitempty"`  // numbers of three or more digits, ids and URLs, without duplicates
}

var (
	duty = regexp.MustCompile(`\b(MUST|REQUIRED|NEVER)\b`)
	fact = regexp.MustCompile(`https?://[^\s"'<>)\]]+|\b[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*\b|\b[A-Z]{2,}-\d+\b|\b\d[\d.,:]*\d{2,}\b`)
)

// LossOf compares an original with the text shown for it. It returns the missing
// lines that state a duty and the number of missing facts.
func LossOf(original, shown []byte) Loss {
	var l Loss
	for line := range bytes.Lines(original) {
		line = bytes.TrimSpace(line)
		if duty.Match(line) && !bytes.Contains(shown, line) {
			l.Duties = append(l.Duties, string(line))
		}
	}
	seen := map[string]bool{}
	for _, f := range fact.FindAll(original, -1) {
		text := strings.TrimRight(string(f), ".,:")
		if !seen[text] && !bytes.Contains(shown, []byte(text)) {
			l.Facts++
		}
		seen[text] = true
	}
	return l
}
