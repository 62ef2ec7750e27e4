package csv

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// Shared is the start of a line above a table that states what all records have in common. Stage
// compress writes such lines.
const Shared = "in every record: "

// skipShared returns the offset after such a line at b[at], or at.
func skipShared(b []byte, at int) int {
	if bytes.HasPrefix(b[at:], []byte(Shared)) {
		return lines.End(b, at)
	}
	return at
}

// toonIndent is the number of blanks before a record of TOON.
const toonIndent = 2

func (d *dialect) isTOON() bool { return d.names[1] > 0 }

// toonDialect returns the dialect of a table in TOON: a header such as [12]{name,size}: and then
// a record on each line.
func toonDialect(b []byte, at int) (d dialect, ok bool) {
	end := lines.End(b, at)
	head := bytes.TrimRight(b[at:end], "\r\n")
	n := 1
	for n < len(head) && head[n]-'0' <= 9 {
		n++
	}
	if n < 2 || head[0] != '[' || !bytes.HasPrefix(head[n:], []byte("]{")) || !bytes.HasSuffix(head, []byte("}:")) || !bytes.HasPrefix(b[end:], []byte("  ")) {
		return d, false
	}
	names := [2]int{at + n + len("]{"), at + len(head) - len("}:")}
	r, line := newFieldReader(b[:names[1]], ','), int32(0)
	d = dialect{delimiter: ',', header: true, names: names, size: min(max(len(head), 16), 1<<10)}
	d.columns, _ = r.record(names[0], nil, &line)
	return d, d.columns > 1
}
