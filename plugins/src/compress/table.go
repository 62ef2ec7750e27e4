package compress

import "bytes"

// row is a row of a table without what only lines its cells up: blanks beside
// blanks, and all but three of the dashes below a head. Code keeps its blanks.
func row(line []byte) []byte {
	text := bytes.TrimLeft(line, " \t")
	out := append(make([]byte, 0, len(line)), line[:len(line)-len(text)]...)
	isRule := len(bytes.Trim(text, "|:- \t")) == 0
	run, code := 0, false // how often the last byte stands in a row
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
