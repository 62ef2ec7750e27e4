package proxymodel

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// appendCanonical appends a value as canonical JSON (RFC 8785): sorted keys, no blanks,
// one form for each number and string. Equal values have equal bytes.
//
// It returns abi.ErrConfig for a number that a float64 cannot represent: an integer that
// would change, or a number out of range. Such a number needs quotes.
func appendCanonical(dst []byte, v strictyaml.Value) (_ []byte, err error) {
	switch v.Type {
	case strictyaml.Null:
		return append(dst, "null"...), nil
	case strictyaml.Bool:
		return append(dst, v.Text...), nil
	case strictyaml.Number:
		return appendNumber(dst, v)
	case strictyaml.String:
		return appendString(dst, v.Text), nil
	case strictyaml.List:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendCanonical(dst, item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	return appendObject(dst, v)
}

func appendObject(dst []byte, v strictyaml.Value) (_ []byte, err error) {
	dst = append(dst, '{')
	for _, f := range sortFields(v.Fields) {
		if dst, err = appendField(dst, f); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// sortFields returns fields sorted by the UTF-16 code units of their names.
func sortFields(fields []strictyaml.Field) []strictyaml.Field {
	out := slices.Clone(fields)
	slices.SortFunc(out, func(a, b strictyaml.Field) int {
		return slices.Compare(utf16.Encode([]rune(a.Name)), utf16.Encode([]rune(b.Name)))
	})
	return out
}

// appendField appends one field of an object that is open in dst.
func appendField(dst []byte, f strictyaml.Field) ([]byte, error) {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return appendCanonical(append(appendString(dst, f.Name), ':'), f.Value)
}

func appendNumber(dst []byte, v strictyaml.Value) ([]byte, error) {
	f, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, fmt.Errorf("%w: number %.40s is out of range, put it in quotes", abi.ErrConfig, v.Text)
	}
	if v.IsInteger() {
		want, _ := new(big.Int).SetString(v.Text, 10)
		if got, _ := big.NewFloat(f).Int(nil); want == nil || got.Cmp(want) != 0 {
			return nil, fmt.Errorf("%w: integer %.40s has too many digits to stay exact, put it in quotes", abi.ErrConfig, v.Text)
		}
	}
	return appendFloat(dst, f), nil
}

// appendFloat appends f like ECMAScript: the shortest digits that parse to the same
// value, with an exponent below 1e-6 and from 1e21 on.
func appendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // and -0
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go pads the exponent to two digits: 1e-07 is 1e-7.
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendString appends a string with the escapes that JSON requires and no others. Bytes
// that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r >= ' ':
			dst = utf8.AppendRune(dst, r)
		case r == '\b':
			dst = append(dst, '\\', 'b')
		case r == '\f':
			dst = append(dst, '\\', 'f')
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
		}
	}
	return append(dst, '"')
}
