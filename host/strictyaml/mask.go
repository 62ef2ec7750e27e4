package strictyaml

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/host/credential"
)

// maxMasked is how far to each side of an error, in characters, credentials are
// searched for. It is much more than is shown, because a credential may begin there.
const maxMasked = 8 << 10

// credentialKeys are the keys whose values may be credentials.
var credentialKeys = []string{"env", "headers", "url", "apiKey", "baseURL", "healthURL"}

// maskLine returns the line of a position with possible credentials masked, and the position
// in the returned line.
func maskLine(lines []string, at Position) ([]rune, Position) {
	line := []rune(strings.TrimSuffix(maskBlock(lines, at.Line-1), "\r"))
	col := min(at.Column-1, len(line))
	start, end := max(0, col-maxMasked), min(len(line), col+maxMasked)
	marked := []rune(markWords(string(line[start:end])))
	before, after := marked[:col-start], marked[col-start:]
	masked := append(slices.Clone(line[:start]), shortenMarked(before)...)
	at.Column += len(masked) - col
	if len(before) > 0 && before[len(before)-1] == marker {
		for len(after) > 0 && after[0] == marker { // the same credential
			after = after[1:]
		}
	}
	masked = append(masked, shortenMarked(after)...)
	return append(masked, line[end:]...), at
}

// marker replaces each character of a credential until the column of the error is known.
const marker = '\x00'

// shortenMarked replaces each sequence of markers by one mask, which does not show the length
// of the credential.
func shortenMarked(text []rune) (out []rune) {
	for i, r := range text {
		switch {
		case r != marker:
			out = append(out, r)
		case i == 0 || text[i-1] != marker:
			out = append(out, []rune(credential.Mask)...)
		}
	}
	return out
}

// maskBlock returns a line. If it belongs to one of credentialKeys, only the part
// before the value is kept. It uses the text alone, because it is needed most
// where the YAML is invalid.
func maskBlock(lines []string, i int) string {
	line := lines[i]
	if hasCredentialKey(line) {
		return maskAfterKey(line)
	}
	indent := indentOf(line)
	for j := i - 1; j >= 0 && indent > 0; j-- {
		above := lines[j]
		if strings.TrimSpace(above) == "" || indentOf(above) >= indent {
			continue
		}
		if hasCredentialKey(above) {
			return maskAfterKey(line)
		}
		indent = indentOf(above)
	}
	return line
}

// word matches text that may be an argument of a program, in any YAML style.
var word = regexp.MustCompile("[^\\s,\\[\\]{}\"']+")

// markWords replaces each character of a possible credential by the marker.
func markWords(line string) string {
	at := word.FindAllStringIndex(line, -1)
	args := make([]string, len(at))
	for i, w := range at {
		args[i] = line[w[0]:w[1]]
		if name, key := strings.CutSuffix(args[i], ":"); key && !strings.Contains(name, "=") {
			args[i] = "--" + name // as a flag, it names the next word
		}
	}
	for _, c := range slices.Backward(credential.Find(args...)) {
		if start, end := at[c.Arg][0]+c.Start, at[c.Arg][0]+c.End; end <= at[c.Arg][1] {
			line = line[:start] + strings.Repeat(string(marker), utf8.RuneCountInString(line[start:end])) + line[end:]
		}
	}
	return line
}

// hasCredentialKey reports whether one of credentialKeys is a key on the line, at
// the start of a block or inside braces.
func hasCredentialKey(line string) bool {
	for _, key := range credentialKeys {
		for rest := line; ; {
			at := strings.Index(rest, key)
			if at < 0 {
				break
			}
			after := strings.TrimLeft(rest[at+len(key):], `"' `)
			startsWord := at == 0 || strings.ContainsRune(` {,"'-`, rune(rest[at-1]))
			if startsWord && strings.HasPrefix(after, ":") {
				return true
			}
			rest = rest[at+len(key):]
		}
	}
	return false
}

func maskAfterKey(line string) string {
	if at := strings.IndexByte(line, ':'); at >= 0 {
		if strings.TrimSpace(line[at+1:]) == "" {
			return line
		}
		return line[:at+1] + " " + credential.Mask
	}
	return line[:indentOf(line)] + credential.Mask
}

// plainKey matches the beginning of a line with a key.
var plainKey = regexp.MustCompile(`^ *(- +)?["']?[A-Za-z_][A-Za-z0-9_.-]*["']? *:( |$)`)

// maskAllButKey returns a line without its value, or without any text if it has no key.
func maskAllButKey(line string) string {
	if plainKey.MatchString(line) {
		return maskAfterKey(line)
	}
	return line[:indentOf(line)] + credential.Mask
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
