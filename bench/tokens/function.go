package main

import (
	"cmp"
	"regexp"
	"strings"
)

// dialect describes where the functions of formatted source code begin. The name of a type
// or function is the only group that matches. An end is a line of the same indentation that
// begins with a brace, or, if indented is set, the last line of deeper indentation.
type dialect struct {
	types, functions *regexp.Regexp
	indented         bool
}

const (
	rustModifiers       = `(?:pub(?:\([^)]*\))? +|default +|const +|async +|unsafe +|extern +"[^"]*" +)*`
	typescriptModifiers = `(?:export +|default +|declare +|abstract +|public +|private +|protected +|static +|async +|override +|readonly +|get +|set +)*`
	csharpModifiers     = `(?:public|private|protected|internal|static|async|override|virtual|sealed|abstract|unsafe|partial|readonly|extern|new)`
)

var dialects = map[string]dialect{
	"rust": {
		types:     regexp.MustCompile(`^ *` + rustModifiers + `(?:(?:struct|enum|union|trait|mod) +(\w+)|impl\b(?:<.*?>+)? *(?:.* for +)?(?:\w+::)*(\w+).*\{)`),
		functions: regexp.MustCompile(`^ *` + rustModifiers + `fn +(\w+)`),
	},
	"typescript": {
		types: regexp.MustCompile(`^ *` + typescriptModifiers + `(?:(?:class|interface|namespace|enum) +(\w+)|const (\w+)(?:: .*)? = \{$)`),
		functions: regexp.MustCompile(`^ *(?:` + typescriptModifiers + `function\b *\*? *(\w+)|` +
			`(?:export +)?(?:const|let) +(\w+)(?:: .*)? = (?:async +)?(?:\([^()]*\)|\w+)(?:: [^=]*)? => *\{$|` +
			` ` + typescriptModifiers + `\*?(#?\w+)\??(?:<.*>)?\(.*\{$)`),
	},
	"java": {
		types:     regexp.MustCompile(`^\s*(?:` + csharpModifiers + ` +|final +)*(?:class|interface|record|enum|@interface) +(\w+)`),
		functions: regexp.MustCompile(`^\s*(?:(?:` + csharpModifiers + `|final|synchronized|default|native) +)+(?:<.*> +)?(?:[\w.]+(?:<.*>)?(?:\[\])* +)?(\w+)\(`),
	},
	"kotlin": {
		types:     regexp.MustCompile(`^\s*(?:\w+ +)*(?:class|interface|object) +(\w+)`),
		functions: regexp.MustCompile(`^\s*(?:\w+ +)*fun +(?:<[^>]*> +)?(?:[\w<>?]+\.)?(\w+)\(`),
	},
	"swift": {
		types:     regexp.MustCompile(`^\s*(?:[\w@]+ +)*(?:class|struct|enum|protocol|extension|actor) +(\w+)`),
		functions: regexp.MustCompile(`^\s*(?:[\w@]+(?:\(\w+\))? +)*func +(\w+)`),
	},
	"php": {
		types:     regexp.MustCompile(`^\s*(?:\w+ +)*(?:class|interface|trait|enum) +(\w+)`),
		functions: regexp.MustCompile(`^\s*(?:\w+ +)*function +&?(\w+)`),
	},
	"csharp": {
		types:     regexp.MustCompile(`^\s*(?:` + csharpModifiers + ` +)*(?:class|struct|interface|record(?: +struct)?|enum) +(\w+)`),
		functions: regexp.MustCompile(`^\s*(?:` + csharpModifiers + ` +)+(?:[\w.]+(?:<.*>)?(?:\[,*\])*\?? +)?(\w+)(?:<[^()]*>)?\(`),
	},
	"python": {
		types:     regexp.MustCompile(`^\s*class +(\w+)`),
		functions: regexp.MustCompile(`^\s*(?:async +)?def +(\w+)`),
		indented:  true,
	},
}

// pick finds the functions and methods of formatted source code, from the line of their name
// to their last line. A path consists of the names of the enclosing types and of the function.
// Functions inside functions are no targets.
func (d dialect) pick(text string, yield func(target)) error {
	all := splitLines(text)
	type block struct {
		end  int
		name string
	}
	var open []block
	for i := 0; i < len(all); i++ {
		for len(open) > 0 && i >= open[len(open)-1].end {
			open = open[:len(open)-1]
		}
		if name := nameIn(d.functions, all[i].text); name != "" && !isStatement[name] {
			end := d.findEnd(all, i)
			var path []string
			for _, b := range open {
				path = append(path, b.name)
			}
			yield(target{all[i].start, all[end-1].start + len(all[end-1].text), append(path, name)})
			i = end - 1
		} else if name := nameIn(d.types, all[i].text); name != "" {
			open = append(open, block{d.findEnd(all, i), name})
		}
	}
	return nil
}

// isStatement holds the words that may precede a parenthesis and a brace like the name of a
// method.
var isStatement = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "with": true, "function": true, "return": true}

type sourceLine struct {
	start  int
	text   string
	indent int // -1: blank
}

// splitLines returns the lines of a text with their ends. Lines inside a Python string of
// three quotes count as blank.
func splitLines(text string) (all []sourceLine) {
	at, inString := 0, false
	for line := range strings.Lines(text) {
		l := sourceLine{at, line, -1}
		if trimmed := strings.TrimLeft(line, " \t"); !inString && strings.TrimSpace(trimmed) != "" {
			l.indent = len(line) - len(trimmed)
		}
		if strings.Count(line, `"""`)%2 == 1 {
			inString = !inString
		}
		all, at = append(all, l), at+len(line)
	}
	return all
}

func nameIn(r *regexp.Regexp, line string) string {
	m := r.FindStringSubmatch(strings.TrimRight(line, " \r\n"))
	if m == nil {
		return ""
	}
	return cmp.Or(m[1:]...)
}

// findEnd returns the number of the line after the declaration that begins on a line.
func (d dialect) findEnd(all []sourceLine, first int) int {
	indent := all[first].indent
	if end := strings.TrimSpace(all[first].text); !d.indented && (strings.HasSuffix(end, "}") || strings.HasSuffix(end, ";")) {
		return first + 1
	}
	last := first
	for i := first + 1; i < len(all); i++ {
		l := all[i]
		text := strings.TrimSpace(l.text)
		switch {
		case l.indent < 0, !d.indented && strings.HasPrefix(text, "#"): // a directive
			continue
		case d.indented && l.indent <= indent && !strings.HasPrefix(text, ")"):
			return last + 1
		case d.indented:
		case l.indent < indent:
			return last + 1
		case l.indent > indent || strings.HasPrefix(text, "{") || text == "where":
		case strings.HasPrefix(text, "}"):
			return i + 1
		case strings.HasPrefix(text, ")") && strings.HasSuffix(text, ";"): // no body
			return i + 1
		case !strings.HasPrefix(text, ")"): // an expression was the body
			return last + 1
		}
		last = i
	}
	return last + 1
}
