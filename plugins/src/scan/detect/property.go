package detect

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// minProperties is the least number of properties that are enough without a file name.
const minProperties = 3

// isPropertyList reports whether every line is a comment or a property, name=value. Code too assigns values, so a
// value begins with no quote or bracket, and there are no blanks around the sign unless most names have dots.
func isPropertyList(b []byte) bool {
	all, dotted, spaced := 0, 0, 0
	continued := false
	for at := lines.Start(b); at < len(b); {
		end := lines.End(b, at)
		line := bytes.TrimSpace(b[at:end])
		at = end
		wasContinued := continued
		continued = len(line) > 0 && line[len(line)-1] == '\\'
		if wasContinued || len(line) == 0 || line[0] == '!' && all == 0 || line[0] == '#' && !bytes.HasPrefix(line, []byte("#!")) {
			continued = continued && len(line) > 0 && (wasContinued || line[0] != '#')
			continue
		}
		n := 0
		for n < len(line) && (isWord(line[n]) || line[n] == '.' || line[n] == '-' || line[n] == '_') {
			n++
		}
		value, ok := bytes.CutPrefix(bytes.TrimLeft(line[n:], " \t"), []byte("="))
		if n == 0 || !ok || len(value) > 0 && bytes.IndexByte([]byte("=\"'`([{$<&"), value[0]) >= 0 || len(value) > 0 && value[len(value)-1] == ';' {
			return false
		}
		all++
		if bytes.IndexByte(line[:n], '.') > 0 {
			dotted++
		}
		if line[n] != '=' || len(value) > 0 && isSpace(value[0]) {
			spaced++
		}
	}
	return all >= minProperties && (dotted*2 > all || spaced == 0)
}
