package compress

import "bytes"

// compactRow returns a row of a table without padding: repeated blanks, and more than three
// dashes in a cell of the delimiter row. Code keeps its blanks.
func compactRow(line []byte) []byte {
	text := bytes.TrimLeft(line, " \t")
	out := append(make([]byte, 0, len(line)), line[:len(line)-len(text)]...)
	isRule := len(bytes.Trim(text, "|:- \t")) == 0
	run, code := 0, false // number of equal bytes up to here
	for i, c := range text {
		run++
		if i == 0 || text[i-1] != c {
			run = 1
		}
		if c == '`' {
			code = !code
		}
		if !code && c == ' ' && run > 1 || isRule && c == '-' && run > 3 {
			continue
		}
		out = append(out, c)
	}
	return bytes.TrimRight(out, " \t\r")
}
