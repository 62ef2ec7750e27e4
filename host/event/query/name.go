package query

import (
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// names is a key with one or more names, of which one must match.
type names struct {
	key string
	any []pattern
	of  func(*event.Event, func(string) bool) bool // reports whether it found one of the event's names
}

func (n names) matches(s *subject) bool {
	for _, p := range n.any {
		if n.of(s.event, p.matches) {
			return true
		}
	}
	return false
}

func (n names) String() string { return n.key + ":" + join(n.any) }

func join[T interface{ String() string }](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.String()
	}
	return strings.Join(texts, ",")
}

// pattern is a name in which * stands for any text, unless it was quoted. It ignores
// case.
type pattern struct {
	text  string
	isRaw bool     // contains no wildcards, although it may contain *
	parts []string // lower case, between the wildcards
}

func newPattern(p part) (pattern, error) {
	text, err := p.unquote()
	switch {
	case err != nil:
		return pattern{}, err
	case text == "":
		return pattern{}, p.failure("empty value %s", "")
	}
	n := pattern{text: text, isRaw: p.isQuoted() && strings.Contains(text, "*")}
	if lower := strings.ToLower(text); n.isRaw {
		n.parts = []string{lower}
	} else {
		n.parts = strings.Split(lower, "*")
	}
	return n, nil
}

// matches reports whether the pattern matches a whole name. It searches each part once,
// after the previous one, so that its time is linear.
func (n pattern) matches(name string) bool {
	name = strings.ToLower(name)
	last := len(n.parts) - 1
	if last == 0 {
		return name == n.parts[0]
	}
	rest, ok := strings.CutPrefix(name, n.parts[0])
	if !ok {
		return false
	}
	for _, p := range n.parts[1:last] {
		if _, rest, ok = strings.Cut(rest, p); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, n.parts[last])
}

func (n pattern) String() string {
	if n.isRaw || strings.ContainsAny(n.text, `",`) || strings.ContainsFunc(n.text, unicode.IsSpace) {
		return quote(n.text)
	}
	return n.text
}

// parseNames returns the parser of a key whose values are names. check may be nil.
func parseNames(of func(*event.Event, func(string) bool) bool, check func(pattern, part) error) func(string, part) (predicate, error) {
	return func(key string, values part) (predicate, error) {
		n := names{key: key, of: of}
		for more := true; more; {
			var v part
			v, values, more = values.cutValue()
			p, err := newPattern(v)
			if err == nil && check != nil {
				err = check(p, v)
			}
			if err != nil {
				return nil, err
			}
			n.any = append(n.any, p)
		}
		return n, nil
	}
}

// checkType refuses a pattern that matches no event type.
func checkType(n pattern, p part) error {
	var list []string
	for _, t := range event.Types {
		if n.matches(string(t)) {
			return nil
		}
		list = append(list, string(t))
	}
	return p.failure("unknown type %s", "%s", suggest.DidYouMean(n.text, list))
}
