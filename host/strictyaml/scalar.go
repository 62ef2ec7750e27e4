package strictyaml

import (
	"math/big"
	"regexp"
	"strings"
)

// The number forms of the YAML 1.2 core schema. A decimal with a leading zero
// stays a string, because YAML 1.1 reads it as octal and YAML 1.2 does not.
var (
	decimalInt = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	prefixInt  = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
	decimalNum = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][-+]?[0-9]+)?$`)
)

// maxNumber is the length of the longest number. Longer text is a string.
const maxNumber = 64

// resolveScalar returns the type and text of an unquoted scalar by the YAML 1.2 core
// schema. Numbers become JSON literals and keep all digits. .inf and .nan stay
// strings, because JSON cannot represent them.
func resolveScalar(text string) (ValueType, string) {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null, ""
	case "true", "True", "TRUE":
		return Bool, "true"
	case "false", "False", "FALSE":
		return Bool, "false"
	}
	if n, ok := numberLiteral(text); ok {
		return Number, n
	}
	return String, text
}

func numberLiteral(text string) (string, bool) {
	if len(text) > maxNumber {
		return "", false
	}
	switch {
	case decimalInt.MatchString(text):
		return strings.TrimPrefix(text, "+"), true
	case prefixInt.MatchString(text):
		n, ok := new(big.Int).SetString(text, 0)
		if !ok {
			return "", false
		}
		return n.String(), true
	case decimalNum.MatchString(text) && strings.ContainsAny(text, "0123456789"):
		return jsonFloat(text)
	}
	return "", false
}

// jsonFloat adds the digits that YAML allows to omit: "+.5" is "0.5", "1." is "1".
func jsonFloat(text string) (string, bool) {
	s, neg := strings.TrimPrefix(text, "+"), false
	if strings.HasPrefix(s, "-") {
		s, neg = s[1:], true
	}
	exp := ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s, exp = s[:i], s[i:]
	}
	whole, frac, _ := strings.Cut(s, ".")
	if whole == "" && frac == "" {
		return "", false
	}
	if whole == "" {
		whole = "0"
	}
	if frac != "" {
		frac = "." + frac
	}
	if neg {
		whole = "-" + whole
	}
	return whole + frac + exp, true
}
