package upstream

import (
	"cmp"
	"slices"
	"strings"
)

// errorWords lists, in lower case, the words that mark a line as an error.
var errorWords = []string{"error", "not found", "cannot", "failed", "fatal"}

// FindErrorLine returns the last line of standard error that reports an error, otherwise
// the last line that is not blank. The last line alone is not enough: Node.js ends a crash
// with a stack and its version, npm with the path of its log. A long line is cut.
func FindErrorLine(lines []string) string {
	last := ""
	for _, line := range slices.Backward(lines) {
		line = strings.TrimSpace(line)
		if isErrorLine(line) {
			return shorten(line)
		}
		last = cmp.Or(last, line)
	}
	return shorten(last)
}

func isErrorLine(line string) bool {
	line = strings.ToLower(line)
	if strings.HasPrefix(line, "at ") { // a stack frame, such as "at new NodeError (node:internal/errors:405:5)"
		return false
	}
	line = strings.TrimPrefix(strings.TrimPrefix(line, "npm error"), "npm err!") // the prefix of all lines of npm
	return slices.ContainsFunc(errorWords, func(word string) bool { return strings.Contains(line, word) })
}
