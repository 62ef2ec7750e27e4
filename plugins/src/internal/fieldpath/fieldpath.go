// Package fieldpath parses paths of fields, such as users[].email, and follows several of
// them at once through JSON.
//
// A path consists of keys separated by dots. [] is every element of an array, [3] one
// element, and * every key; a key that contains dots or brackets is written ["a.b"]. The []
// may be omitted: users.email is the same as users[].email. A leading $ is the root.
package fieldpath

import (
	"errors"
	"strconv"
	"strings"
)

// Limits of Compile.
const (
	MaxPaths = 64
	MaxBytes = 512 // of a path
)

type kind uint8

const (
	name kind = iota // one key
	wild             // every key
	each             // every element
	at               // one element
)

type step struct {
	kind kind
	key  string
	at   int
}

// Node is a position in a tree of paths.
type Node struct {
	end  bool // a path ends here
	next []edge
}

type edge struct {
	step
	to *Node
}

// Set is the set of positions that paths have reached. No path continues from an empty Set.
type Set []*Node

// Compile parses paths into one tree and returns its root.
func Compile(paths []string) (Set, error) {
	if len(paths) > MaxPaths {
		return nil, errors.New(strconv.Itoa(len(paths)) + " paths, at most " + strconv.Itoa(MaxPaths))
	}
	root := &Node{}
	for _, p := range paths {
		steps, err := parse(p)
		if err != nil {
			return nil, errors.New(quote(p) + " " + err.Error())
		}
		node := root
		for _, s := range steps {
			node = node.follow(s)
		}
		node.end = true
	}
	return Set{root}, nil
}

// quote returns the start of a path in quotes.
func quote(p string) string {
	if len(p) > 80 {
		p = p[:80]
	}
	return strconv.Quote(p)
}

// follow returns the node after a step, which it adds if necessary.
func (n *Node) follow(s step) *Node {
	for _, e := range n.next {
		if e.step == s {
			return e.to
		}
	}
	to := &Node{}
	n.next = append(n.next, edge{s, to})
	return to
}

// Whole reports whether a path ends here, so that the whole value is selected.
func (s Set) Whole() bool {
	for _, n := range s {
		if n.end {
			return true
		}
	}
	return false
}

// Key follows the paths to a member of an object.
func (s Set) Key(key string) (to Set) {
	for _, n := range s {
		for _, e := range n.next {
			if e.kind == wild || e.kind == name && e.key == key {
				to = append(to, e.to)
			}
		}
	}
	return to
}

// Element follows the paths to an element of an array. A path that continues with a key
// applies to each element.
func (s Set) Element(i int) (to Set) {
	for _, n := range s {
		keys := false
		for _, e := range n.next {
			switch {
			case e.kind == each, e.kind == at && e.at == i:
				to = append(to, e.to)
			case e.kind == name, e.kind == wild:
				keys = true
			}
		}
		if keys {
			to = append(to, n.keysOnly())
		}
	}
	return to
}

// keysOnly returns n without the steps into arrays.
func (n *Node) keysOnly() *Node {
	keys := &Node{}
	for _, e := range n.next {
		if e.kind == name || e.kind == wild {
			keys.next = append(keys.next, e)
		}
	}
	return keys
}

// Uniform reports whether Element returns the same Set for all elements.
func (s Set) Uniform() bool {
	for _, n := range s {
		for _, e := range n.next {
			if e.kind == at {
				return false
			}
		}
	}
	return true
}

func parse(path string) (steps []step, err error) {
	if len(path) > MaxBytes {
		return nil, errors.New("has " + strconv.Itoa(len(path)) + " bytes, at most " + strconv.Itoa(MaxBytes))
	}
	rest := path
	if after, ok := strings.CutPrefix(rest, "$"); ok && (after == "" || after[0] == '.' || after[0] == '[') {
		rest = strings.TrimPrefix(after, ".")
	} else if rest == "" {
		return nil, errors.New("is empty, $ is the whole")
	}
	for first := true; rest != ""; first = false {
		switch {
		case rest[0] == '[':
			var s step
			if s, rest, err = parseBracket(rest); err != nil {
				return nil, err
			}
			steps = append(steps, s)
			continue
		case rest[0] == '.' && !first:
			rest = rest[1:]
		case !first:
			return nil, errors.New("has no dot before " + quote(rest))
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, errors.New("has an empty key")
		}
		s := step{kind: name, key: rest[:end]}
		if s.key == "*" {
			s = step{kind: wild}
		}
		steps, rest = append(steps, s), rest[end:]
	}
	return steps, nil
}

// parseBracket parses [], [*], [3] or ["key"].
func parseBracket(path string) (s step, rest string, err error) {
	if strings.HasPrefix(path, `["`) {
		literal, err := strconv.QuotedPrefix(path[1:])
		if err == nil && strings.HasPrefix(path[1+len(literal):], "]") {
			key, err := strconv.Unquote(literal)
			return step{kind: name, key: key}, path[2+len(literal):], err
		}
		return step{}, "", errors.New(`has a [" without "]`)
	}
	inside, rest, ok := strings.Cut(path[1:], "]")
	if !ok {
		return step{}, "", errors.New("has a [ without ]")
	}
	if inside == "" || inside == "*" {
		return step{kind: each}, rest, nil
	}
	i, err := strconv.Atoi(inside)
	if err != nil || i < 0 {
		return step{}, "", errors.New("has " + quote("["+inside+"]") + `, want [], [3] or ["key"]`)
	}
	return step{kind: at, at: i}, rest, nil
}
