package syntax

import (
	"encoding/binary"
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

const (
	maxPattern = 1000 // bytes
	maxSteps   = 200  // instructions, repeats expanded
	maxStates  = 128
	asciiSize  = 128
)

// pattern is a regular expression as a table of states. A match takes the same time
// for each byte, whatever the expression is, because stages are not trusted. All
// characters beyond ASCII are treated as one letter.
type pattern struct {
	next   [][asciiSize + 1]uint8 // by state and character; the last one is any beyond ASCII
	accept []bool
}

// dead is the state from which no match is possible. The first state is 1.
const dead = 0

// compilePattern returns the pattern of an expression, or nil for an empty one.
func compilePattern(expr string) (*pattern, error) {
	if expr == "" {
		return nil, nil
	}
	if len(expr) > maxPattern {
		return nil, fmt.Errorf("pattern of %d bytes, limit %d", len(expr), maxPattern)
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if n := countSteps(tree); n > maxSteps {
		return nil, fmt.Errorf("pattern of %d steps with its repeats, limit %d", n, maxSteps)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	return buildTable(prog)
}

// countSteps estimates the instructions of a compiled expression. The recursion is
// bounded, because syntax.Parse limits the depth.
func countSteps(re *syntax.Regexp) int {
	n := 1
	for _, sub := range re.Sub {
		n += countSteps(sub)
	}
	if re.Op == syntax.OpLiteral {
		n += len(re.Rune)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min, 1)
	}
	return n
}

// buildTable returns the pattern of a program: each state is a set of instructions.
func buildTable(prog *syntax.Prog) (*pattern, error) {
	for _, inst := range prog.Inst {
		if inst.Op == syntax.InstEmptyWidth {
			return nil, fmt.Errorf("pattern with an assertion such as ^, $ or \\b")
		}
	}
	p := &pattern{}
	sets := [][]uint32{nil, closure(prog, []uint32{uint32(prog.Start)})}
	numbers := map[string]uint8{"": dead, keyOf(sets[1]): 1}
	for state := 0; state < len(sets); state++ {
		p.next = append(p.next, [asciiSize + 1]uint8{})
		p.accept = append(p.accept, slices.ContainsFunc(sets[state], func(pc uint32) bool { return prog.Inst[pc].Op == syntax.InstMatch }))
		for c := range asciiSize + 1 {
			char := rune(c)
			if c == asciiSize {
				char = 'é'
			}
			var reached []uint32
			for _, pc := range sets[state] {
				if inst := &prog.Inst[pc]; inst.Op != syntax.InstMatch && inst.MatchRune(char) {
					reached = append(reached, inst.Out)
				}
			}
			if len(reached) == 0 {
				continue
			}
			set := closure(prog, reached)
			key := keyOf(set)
			number, ok := numbers[key]
			if !ok {
				if len(sets) >= maxStates {
					return nil, fmt.Errorf("pattern of more than %d states", maxStates)
				}
				number = uint8(len(sets))
				numbers[key] = number
				sets = append(sets, set)
			}
			p.next[state][c] = number
		}
	}
	return p, nil
}

// keyOf returns a set of instructions as a key of a map.
func keyOf(set []uint32) string {
	key := make([]byte, 0, 4*len(set))
	for _, pc := range set {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	return string(key)
}

// closure returns the instructions that match a character or end the match, reached
// from some instructions without a character, in order.
func closure(prog *syntax.Prog, from []uint32) (set []uint32) {
	seen := make([]bool, len(prog.Inst))
	for len(from) > 0 {
		pc := from[len(from)-1]
		from = from[:len(from)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch inst := &prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			from = append(from, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			from = append(from, inst.Out)
		case syntax.InstFail:
		default:
			set = append(set, pc)
		}
	}
	slices.Sort(set)
	return set
}

// step returns the state after a byte. Bytes within a character do not change it.
func (p *pattern) step(state uint8, c byte) uint8 {
	switch {
	case c < asciiSize:
		return p.next[state][c]
	case utf8.RuneStart(c):
		return p.next[state][asciiSize]
	}
	return state
}

// matches reports whether the pattern matches the whole text.
func (p *pattern) matches(text []byte) bool {
	state := uint8(1)
	for _, c := range text {
		if state = p.step(state, c); state == dead {
			return false
		}
	}
	return p.accept[state]
}

// begins reports whether text begins with the pattern; nil matches nothing.
func (p *pattern) begins(text []byte) bool { return p != nil && p.matchesStart(text) }

// matchesStart reports whether the pattern matches the beginning of text.
func (p *pattern) matchesStart(text []byte) bool {
	state := uint8(1)
	for _, c := range text {
		if p.accept[state] {
			return true
		}
		if state = p.step(state, c); state == dead {
			return false
		}
	}
	return p.accept[state]
}
