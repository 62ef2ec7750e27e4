package find

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// plainSeparators are the separators between names without quotes.
var plainSeparators = strings.NewReplacer("[*]", "", "][", "/", "].", "/", "[", "/", "]", "", ".", "/", "::", "/", "#", "/")

// WithSlashes converts other spellings of a path: a.b[3].c, the JSON path
// $['a'].b[*], the JSON pointer #/a/b, and A::b and A#b in code.
func WithSlashes(path string) string {
	if pointer, ok := strings.CutPrefix(path, "#/"); ok {
		return strings.NewReplacer("~1", "%2F", "~0", "~").Replace(pointer)
	}
	if rest, ok := strings.CutPrefix(path, "$"); ok && strings.IndexAny(rest, ".[") == 0 {
		path = rest
	}
	var out strings.Builder
	for {
		before, name, after, ok := cutQuoted(path)
		out.WriteString(plainSeparators.Replace(before))
		if !ok {
			return strings.Trim(out.String(), "/")
		}
		out.WriteString("/" + abi.Segment(name))
		if path = after; path != "" && path[0] != '.' && path[0] != '[' {
			out.WriteByte('/')
		}
	}
}

// allWithSlashes is WithSlashes for a path in JSON, in which * means all values.
func allWithSlashes(path string) string {
	return strings.ReplaceAll(WithSlashes(strings.NewReplacer("[*]", "/*", "[]", "/*").Replace(path)), "//*", "/*")
}

// codeSpellings returns other spellings of a name in code: A.b for A::b, A#b and A/b, and
// the name alone for func b(), b(x) and func (a *A) b().
func codeSpellings(path string) (spellings []string) {
	name := path
	if keyword, rest, ok := strings.Cut(name, " "); ok && slices.Contains(declarationWords, keyword) {
		name = strings.TrimSpace(rest)
	}
	if receiver, method, ok := strings.Cut(name, ") "); ok && strings.HasPrefix(receiver, "(") {
		name = receiver[strings.LastIndexAny(receiver, "( *")+1:] + "." + method
	}
	if i := strings.IndexByte(name, '('); i > 0 && strings.HasSuffix(name, ")") {
		name = name[:i]
	}
	if name != path && name != "" {
		spellings = append(spellings, name)
		if slashed := WithSlashes(name); slashed != name {
			spellings = append(spellings, slashed)
		}
	}
	if dotted := dots.Replace(strings.Trim(name, "/")); dotted != name && !strings.Contains(dotted, "..") {
		spellings = append(spellings, dotted)
	}
	return spellings
}

var (
	dots             = strings.NewReplacer("::", ".", "#", ".", "/", ".")
	declarationWords = []string{"func", "function", "fn", "def", "class", "struct", "interface", "trait", "impl", "enum", "type", "module", "const", "var"}
)

// cutQuoted cuts a path around its first name in brackets and quotes.
func cutQuoted(path string) (before, name, after string, ok bool) {
	for i := range path {
		if i+1 == len(path) || path[i] != '[' || path[i+1] != '\'' && path[i+1] != '"' {
			continue
		}
		if name, after, ok = strings.Cut(path[i+2:], path[i+1:i+2]+"]"); ok && name != "" {
			return path[:i], name, after, true
		}
	}
	return path, "", "", false
}

// CutOperator cuts a path before and after an operator outside of names in quotes: before
// the first '?' or the last '!'.
func CutOperator(section string, operator byte) (path, rest string, ok bool) {
	at := -1
	for i := 0; i < len(section); i++ {
		if section[i] == operator {
			if at = i; operator == '?' {
				break
			}
		}
		if isQuote := i > 0 && (section[i] == '"' && strings.IndexByte(".[", section[i-1]) >= 0 || section[i] == '\'' && section[i-1] == '['); isQuote {
			if _, after, closed := cutString(section[i:]); closed && (after == "" || strings.IndexByte("].[?!", after[0]) >= 0) {
				i = len(section) - len(after) - 1
			}
		}
	}
	if at < 0 {
		return section, "", false
	}
	return section[:at], section[at+1:], true
}
