package export

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/mcpctl/mcpctl/host/credential"
)

var (
	// key matches a key of JSON, YAML or settings, up to its value.
	key = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_.-]*)\\*["']?[ \t]*[:=][ \t]*`)

	// keyValue matches the value after a key: a quoted text, also one inside another quoted
	// text, or one word.
	keyValue = regexp.MustCompile(`^(?:\\+"([^"]*)|"((?:[^"\\]|\\.)*)|'([^']*)|([^\s"'\\,;{}\[\]&|>][^\s"'\\,;{}\[\]&]*))`)

	// flagged matches a flag and its value.
	flagged = regexp.MustCompile(`(?:^|[\s"'])--?([A-Za-z][A-Za-z0-9_.-]*)[ =]+["']?([^\s"'-][^\s"']*)`)

	// privateKey matches a key in PEM, with real or escaped line ends.
	privateKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----(.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)

	// mayMatch matches every line in which one of the rules can find a credential, faster than
	// they do.
	mayMatch = regexp.MustCompile(`[:=_.-]|AIza|A[KS]IA|(?i:bearer )`)

	// plain matches values that are no credentials.
	plain = regexp.MustCompile(`^(?:true|false|null|none|~|[0-9]{1,5}|\$\{?[A-Za-z_][A-Za-z0-9_]*\}?|\*+)$`)
)

// maskText replaces the credentials in a text by asterisks. The text keeps its length in
// bytes, so that the positions of sections stay valid.
func maskText(s string) string {
	out := []byte(s)
	hide := func(start, end int) { copy(out[start:end], strings.Repeat("*", end-start)) }
	for _, m := range privateKey.FindAllStringSubmatchIndex(s, -1) {
		for i := m[2]; i < m[3]; i++ {
			if s[i] > ' ' {
				out[i] = '*'
			}
		}
	}
	for start := 0; start < len(s); {
		end := start + strings.IndexByte(s[start:], '\n')
		if end < start {
			end = len(s)
		}
		maskLine(s[start:end], func(from, to int) { hide(start+from, start+to) })
		start = end + 1
	}
	return string(out)
}

// maskLine calls hide with the position of each credential of a line.
func maskLine(line string, hide func(start, end int)) {
	if !mayMatch.MatchString(line) {
		return
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t->*#"))
	for _, m := range credential.Find(line[indent:]) {
		hide(indent+m.Start, indent+m.End)
	}
	for _, m := range flagged.FindAllStringSubmatchIndex(line, -1) {
		if credential.IsName(line[m[2]:m[3]]) {
			hide(m[4], m[5])
		}
	}
	for _, k := range key.FindAllStringSubmatchIndex(line, -1) {
		if !credential.IsName(line[k[2]:k[3]]) {
			continue
		}
		v := keyValue.FindStringSubmatchIndex(line[k[1]:])
		for i := 2; i < len(v); i += 2 {
			if v[i] < 0 {
				continue
			}
			start, end := k[1]+v[i], k[1]+v[i+1]
			end = start + len(strings.TrimRight(line[start:end], `\`))
			if !plain.MatchString(line[start:end]) {
				hide(start, end)
			}
		}
	}
}

// maskJSON masks the strings in a JSON object and replaces fields of it. Names of fields are
// not looked at: they are those of events, which have no fields for credentials.
func maskJSON(text []byte, fields map[string]string) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	maskValue(v)
	for name, value := range fields {
		if _, ok := v[name]; ok {
			v[name] = value
		}
	}
	return json.Marshal(v)
}

func maskValue(v any) any {
	switch v := v.(type) {
	case string:
		return maskText(v)
	case []any:
		for i := range v {
			v[i] = maskValue(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = maskValue(v[k])
		}
	}
	return v
}
