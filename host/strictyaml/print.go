package strictyaml

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxFlowLine is the maximum length of a list that is printed on one line.
const maxFlowLine = 72

// safePlain matches strings that are printed without quotes in any position. It is
// narrow on purpose, because unnecessary quotes do no harm.
var safePlain = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./+-]*$`)

// plainQuantity matches times and sizes, which need no quotes either.
var plainQuantity = regexp.MustCompile(`^([0-9]+(h|m|s|ms))+$|^[0-9]+[KMG]iB$`)

// reservedPlain matches words that some YAML readers do not read as strings.
var reservedPlain = regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off)$`)

// FromJSON returns a JSON text as block style YAML. Keys keep their order, and numbers
// their form.
//
// It returns the errors of ParseJSON.
func FromJSON(jsonText []byte) ([]byte, error) {
	v, err := ParseJSON(jsonText)
	if err != nil {
		return nil, err
	}
	if v.Type == Map && len(v.Fields) > 0 {
		return AppendYAML(nil, v), nil
	}
	return append(appendFlow(nil, v), '\n'), nil
}

// AppendYAML appends a mapping as one YAML document.
func AppendYAML(dst []byte, v Value) []byte { return appendBlockMap(dst, v, 0) }

func appendBlockMap(dst []byte, v Value, indent int) []byte {
	for i, f := range v.Fields {
		if i > 0 {
			dst = appendIndent(dst, indent)
		}
		dst = appendScalarText(dst, f.Name)
		dst = append(dst, ':')
		dst = appendAfter(dst, f.Value, indent+2)
	}
	return dst
}

// appendAfter appends a value after its key, with the line break.
func appendAfter(dst []byte, v Value, indent int) []byte {
	switch {
	case v.Type == Map && len(v.Fields) > 0:
		dst = appendIndent(append(dst, '\n'), indent)
		return appendBlockMap(dst, v, indent)
	case v.Type == List && !isFlow(v):
		dst = append(dst, '\n')
		return appendBlockList(dst, v, indent)
	case v.Type == String && isLiteral(v.Text):
		return appendLiteral(append(dst, ' '), v.Text, indent)
	}
	return append(appendFlow(append(dst, ' '), v), '\n')
}

func appendBlockList(dst []byte, v Value, indent int) []byte {
	for _, item := range v.Items {
		dst = appendIndent(dst, indent)
		dst = append(dst, '-')
		if item.Type == Map && len(item.Fields) > 0 {
			dst = appendBlockMap(append(dst, ' '), item, indent+2)
			continue
		}
		dst = appendAfter(dst, item, indent+2)
	}
	return dst
}

// isFlow reports whether a list is printed on one line.
func isFlow(v Value) bool {
	for _, item := range v.Items {
		if item.Type == List && len(item.Items) > 0 || item.Type == Map && len(item.Fields) > 0 {
			return false
		}
	}
	return len(appendFlow(nil, v)) <= maxFlowLine
}

// appendFlow appends a scalar, a list of scalars or an empty mapping.
func appendFlow(dst []byte, v Value) []byte {
	switch v.Type {
	case Null:
		return append(dst, "null"...)
	case String:
		return appendScalarText(dst, v.Text)
	case List:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendFlow(dst, item)
		}
		return append(dst, ']')
	case Map:
		return append(dst, "{}"...)
	}
	return append(dst, v.Text...)
}

func appendIndent(dst []byte, n int) []byte { return append(dst, strings.Repeat(" ", n)...) }

func appendScalarText(dst []byte, s string) []byte {
	if safePlain.MatchString(s) && !reservedPlain.MatchString(s) || plainQuantity.MatchString(s) {
		return append(dst, s...)
	}
	return appendQuoted(dst, s)
}

// appendQuoted appends s in double quotes on one line. It escapes all characters that
// are special in YAML 1.1, in YAML 1.2 or to a terminal.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case !isPrintable(r):
			dst = appendEscape(dst, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, r rune) []byte {
	switch {
	case r < 0x100:
		return fmt.Appendf(dst, `\x%02x`, r)
	case r < 0x10000:
		return fmt.Appendf(dst, `\u%04x`, r)
	}
	return fmt.Appendf(dst, `\U%08x`, r)
}

func isPrintable(r rune) bool { return r != '\t' && printable(r) == r }

// isLiteral reports whether s is printed as a block scalar: it has several lines and
// reads back unchanged.
func isLiteral(s string) bool {
	if !strings.Contains(s, "\n") || strings.HasSuffix(s, "\n\n") || s == "\n" {
		return false
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		if line != strings.TrimRight(line, " \t") {
			return false
		}
		for _, r := range line {
			if !isPrintable(r) && r != '\t' {
				return false
			}
		}
	}
	return strings.IndexAny(s, " \t\n") != 0 && !strings.Contains(s, "\n\t")
}

func appendLiteral(dst []byte, s string, indent int) []byte {
	body, closed := strings.CutSuffix(s, "\n")
	dst = append(dst, '|')
	if !closed {
		dst = append(dst, '-')
	}
	dst = append(dst, '\n')
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			dst = append(appendIndent(dst, indent), line...)
		}
		dst = append(dst, '\n')
	}
	return dst
}
