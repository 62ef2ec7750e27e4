package log

// tops has the top bit of each byte.
const tops = 0x8080808080808080

func isLetter(c byte) bool { return c|0x20-'a' < 26 }

// skipLetters returns the offset after the letters from p on, and whether all of them are
// capitals.
func skipLetters(line []byte, p int) (end int, upper bool) {
	upper = true
	for ; p < len(line) && isLetter(line[p]); p++ {
		upper = upper && line[p] < 'a'
	}
	return p, upper
}

// skipDigits returns the offset after the digits at b[p].
func skipDigits(b []byte, p int) int {
	for p < len(b) && b[p]-'0' <= 9 {
		p++
	}
	return p
}

func skipBlanks(line []byte, p int) int {
	for p < len(line) && line[p] == ' ' {
		p++
	}
	return p
}

// contentSize returns the length of a line without its line end.
func contentSize(line []byte) int {
	n := len(line)
	for n > 0 && (line[n-1] == '\n' || line[n-1] == '\r') {
		n--
	}
	return n
}
