package printer

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/host/section/display"
)

// windowTitle returns the title of a window. A window of text in which a program reports a
// failure has the first such line: a reader of the output of a build looks for it.
func (pr *Printer) windowTitle(window []byte, limit int) string {
	if !pr.language.HasDeclarations() { // code names errors everywhere
		if line, more := findFailures(window); line != nil {
			suffix := ""
			if more > 0 {
				suffix = fmt.Sprintf(" (%d more)", more)
			}
			return display.Clean(line, max(limit-len(suffix), 0)) + suffix
		}
	}
	return display.Clean(trimToOutermost(window), limit)
}

// findFailures returns the first line that reports a failure, nil if there is none, and the
// number of further ones.
func findFailures(text []byte) (first []byte, more int) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		switch {
		case !reportsFailure(line):
		case first == nil:
			first = bytes.TrimSpace(line)
		default:
			more++
		}
	}
	return first, more
}

// reportsFailure reports whether a line looks like the report of a failure by a compiler, a test
// or another program, such as "a.c:1:2: error: x", "--- FAIL: TestX", "npm ERR! x", "1 failed",
// "make: *** [all] Error 2" and "KeyError: 'x'". A text about errors does not.
func reportsFailure(line []byte) bool {
	for at := 0; at < len(line); {
		if !isASCIILetter(line[at]) {
			at++
			continue
		}
		end := at + 1
		for end < len(line) && isASCIILetter(line[end]) {
			end++
		}
		if isFailure(line[:at], line[at:end], line[end:]) {
			return true
		}
		at = end
	}
	return false
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isFailure reports whether a word between other text reports a failure.
func isFailure(before, word, after []byte) bool {
	switch word[0] | 0x20 { // few lines have a word that begins like one of those below
	case 'e', 'f', 'p', 't':
	default:
		return endsInError(word) && isEnd(after)
	}
	switch string(word) {
	case "ERROR", "FAIL", "FAILED", "FATAL", "PANIC":
		return !countsNone(before, after)
	case "ERR":
		return bytes.HasPrefix(after, []byte("!"))
	case "Traceback":
		return bytes.HasPrefix(after, []byte(" (most recent"))
	case "Error":
		if len(after) > 1 && after[0] == ' ' && isDigit(after[1]) && bytes.Contains(before, []byte("*** ")) {
			return true
		}
	}
	switch strings.ToLower(string(word)) {
	case "error", "errors", "fatal", "panic", "exception":
		if bytes.HasSuffix(before, []byte("): ")) && len(after) > 0 { // a.ts(3,1): error TS2304: x
			return true
		}
		return isEnd(after) && len(after) > 0 && !countsNone(before, after) || bytes.HasPrefix(after, []byte("[E"))
	case "failed", "failure", "failures":
		return bytes.HasPrefix(after, []byte(":")) && !countsNone(before, after) || countsSome(before)
	}
	return endsInError(word) && isEnd(after)
}

// endsInError reports whether a word is the name of an exception, such as KeyError.
func endsInError(word []byte) bool {
	name, ok := bytes.CutSuffix(word, []byte("Error"))
	if !ok {
		name, ok = bytes.CutSuffix(word, []byte("Exception"))
	}
	return ok && len(name) > 0
}

// isEnd reports whether a word is followed by its message or by nothing.
func isEnd(after []byte) bool { return len(bytes.TrimSpace(after)) == 0 || after[0] == ':' }

// countsNone reports whether a word is counted as zero, as in "0 FAILED" and "errors: 0".
func countsNone(before, after []byte) bool {
	if bytes.HasSuffix(before, []byte("0 ")) && !countsSome(before) {
		return true
	}
	value, ok := bytes.CutPrefix(after, []byte(":"))
	value = bytes.TrimSpace(value)
	return ok && len(value) > 0 && value[0] == '0' && (len(value) == 1 || !isDigit(value[1]))
}

// countsSome reports whether a text ends in a number above zero and a blank.
func countsSome(before []byte) bool {
	n, ok := bytes.CutSuffix(before, []byte(" "))
	digits := n[len(bytes.TrimRight(n, "0123456789")):]
	return ok && len(bytes.TrimLeft(digits, "0")) > 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
