package find

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// expression is a path into JSON as jq, JSONPath, JSON Pointer or an id spells it. It is
// not split into keys before it is compared with those of an object, because a key may
// contain the separators: paths./rivers.get.
type expression struct {
	rest string // from the separator before the next step
	// fromRoot reports whether the form is only used for paths from the root.
	fromRoot bool
	// isPointer reports whether ~1 and ~0 in a key mean / and ~, and nothing else has a
	// meaning.
	isPointer bool
}

// reading is how a path was read, the most literal one first.
type reading uint8

const (
	readsIDs    reading = iota // keys and positions between slashes
	readsSteps                 // dots and brackets separate
	readsJoined                // a dot, slash or bracket belongs to a key without quotes
)

// parseExpressions returns the ways to read a path, in order of preference.
func parseExpressions(path string) []expression {
	if pointer, ok := strings.CutPrefix(path, "#"); ok && (pointer == "" || pointer[0] == '/') {
		list := []expression{{pointer, true, true}}
		if plain, err := url.PathUnescape(pointer); err == nil && plain != pointer {
			list = append(list, expression{plain, true, true})
		}
		return list
	}
	if rest, ok := strings.CutPrefix(path, "$"); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		return []expression{{rest: rest, fromRoot: true}}
	}
	switch {
	case path == "":
		return nil
	case path[0] == '.':
		return []expression{{rest: path, fromRoot: true}}
	case path[0] == '/' && strings.Contains(path, "~"):
		return []expression{{rest: path}, {rest: path, isPointer: true}}
	case path[0] == '/' || path[0] == '[':
		return []expression{{rest: path}}
	}
	return []expression{{rest: "/" + path}}
}

// isEnd reports whether no step is left. A path may end with a separator.
func (e *expression) isEnd() bool {
	return e.rest == "" || !e.isPointer && (e.rest == "/" || e.rest == ".")
}

// stepKind is the kind of the next step of an expression.
type stepKind uint8

const (
	stepName     stepKind = iota // a key, or the name of an element; where it ends depends on the keys
	stepQuoted                   // a key as it is
	stepPosition                 // [n]; negative from the end
	stepAll                      // [*] or []
	stepInvalid
)

// step is the next step of an expression.
type step struct {
	kind  stepKind
	name  string // stepName: the rest of the expression
	n     int
	after string // what follows, but for stepName
	slash bool   // the separator before it is a slash
	// onlyArray reports whether a position is no key: [0] in jq and JSONPath.
	onlyArray bool
}

// next returns the next step. The expression must not be at its end.
func (e *expression) next() step {
	if e.isPointer {
		name, after, found := strings.Cut(e.rest[1:], "/")
		if found {
			after = "/" + after
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		if n, err := strconv.Atoi(name); err == nil && n >= 0 && strconv.Itoa(n) == name {
			return step{kind: stepPosition, name: name, n: n, after: after}
		}
		return step{kind: stepQuoted, name: name, after: after}
	}
	rest := e.rest
	dotted := rest[0] == '.'
	if dotted && len(rest) > 1 && (rest[1] == '[' || rest[1] == '"') {
		rest = rest[1:]
	}
	switch rest[0] {
	case '[':
		s := bracketStep(rest)
		s.onlyArray = e.fromRoot
		return s
	case '"':
		if name, after, ok := cutString(rest); ok {
			return step{kind: stepQuoted, name: name, after: after}
		}
		return step{kind: stepInvalid}
	}
	return step{kind: stepName, name: rest[1:], slash: rest[0] == '/'}
}

// bracketStep returns the step that begins with a bracket.
func bracketStep(rest string) step {
	if len(rest) > 1 && (rest[1] == '"' || rest[1] == '\'') {
		name, after, ok := cutString(rest[1:])
		if after, closed := strings.CutPrefix(after, "]"); ok && closed {
			return step{kind: stepQuoted, name: name, after: after}
		}
		return step{kind: stepInvalid}
	}
	inner, after, ok := strings.Cut(rest[1:], "]")
	n, err := strconv.Atoi(inner)
	switch {
	case !ok:
		return step{kind: stepInvalid}
	case inner == "" || inner == "*":
		return step{kind: stepAll, after: after}
	case err == nil && strconv.Itoa(n) == inner:
		return step{kind: stepPosition, name: inner, n: n, after: after}
	}
	return step{kind: stepQuoted, name: inner, after: after}
}

// cutString cuts a text after the string in quotes at its beginning, in which backslashes
// escape as in JSON.
func cutString(text string) (value, after string, ok bool) {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return unquoteName(text[1:i], quote), text[i+1:], true
		}
	}
	return "", "", false
}

// unquoteName resolves the escapes of a name. A name with invalid escapes is returned
// unchanged.
func unquoteName(name string, quote byte) string {
	if !strings.Contains(name, `\`) {
		return name
	}
	literal := name
	if quote == '\'' {
		literal = strings.ReplaceAll(strings.ReplaceAll(name, `\'`, `'`), `"`, `\"`)
	}
	literal = `"` + literal + `"`
	if err := jsonspan.Valid([]byte(literal)); err != nil {
		return name
	}
	plain, err := jsonspan.Unquote([]byte(literal))
	if err != nil {
		return name
	}
	return string(plain)
}

// matchKey returns the rest of the expression after a key or the name of an element, if that
// is the next step.
func (s *step) matchKey(key []byte) (after string, how reading, ok bool) {
	switch s.kind {
	case stepQuoted:
		return s.after, readsSteps, s.name == string(key)
	case stepPosition: // a key that is a number
		return s.after, readsSteps, s.name == string(key) && !s.onlyArray
	case stepName:
	default:
		return "", 0, false
	}
	if after, how, ok = s.matchPlain(string(key)); ok {
		return after, how, true
	}
	if s.slash && (len(key) >= shortenedKey || strings.Contains(s.name, "%")) {
		if id := abi.Segment(string(key)); id != string(key) {
			return s.matchPlain(id)
		}
	}
	return "", 0, false
}

// matchPlain is matchKey for a key without quotes.
func (s *step) matchPlain(key string) (after string, how reading, ok bool) {
	const separators = "./["
	after, ok = strings.CutPrefix(s.name, key)
	switch {
	case !ok:
		return "", 0, false
	case key == "": // only a slash may follow, because two dots are an operator of JSONPath
		return after, readsIDs, s.slash && after != "" && after[0] == '/'
	case after != "" && strings.IndexByte(separators, after[0]) < 0:
		return "", 0, false
	case s.slash && !strings.Contains(key, "/"):
		how = readsIDs
	case strings.ContainsAny(key, separators):
		how = readsJoined
	default:
		how = readsSteps
	}
	if after != "" && after[0] != '/' {
		how = max(how, readsSteps)
	}
	return after, how, true
}

// position returns the position in an array that the step names, and the rest of the
// expression.
func (s *step) position() (n int, after string, how reading, ok bool) {
	switch s.kind {
	case stepPosition:
		return s.n, s.after, readsSteps, true
	case stepName:
		end := 0
		for end < len(s.name) && '0' <= s.name[end] && s.name[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(s.name[:end])
		if err != nil || strconv.Itoa(n) != s.name[:end] {
			return 0, "", 0, false
		}
		after, how, ok = s.matchPlain(s.name[:end])
		return n, after, how, ok
	}
	return 0, "", 0, false
}

// isAll returns what follows a step that means all values.
func (s *step) isAll() (after string, ok bool) {
	if s.kind == stepName {
		after, _, ok = s.matchPlain("*")
		return after, ok
	}
	return s.after, s.kind == stepAll
}
