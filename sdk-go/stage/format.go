package stage

import (
	"errors"
	"strconv"
	"strings"
)

// Fail returns an error for a stage to return. Write it in lower case, with the
// relevant figures.
//
//	return stage.Fail("maxLines %d not in 1..%d", n, most)
//
// It supports the verbs %v, %d, %s (which are equivalent), %q and %%, without flags.
// For others, and to wrap an error, use fmt.Errorf.
func Fail(form string, args ...any) error {
	var b strings.Builder
	for {
		text, rest, found := strings.Cut(form, "%")
		b.WriteString(text)
		if !found || rest == "" {
			return errors.New(b.String())
		}
		verb := rest[0]
		form = rest[1:]
		switch {
		case verb == '%':
			b.WriteByte('%')
			continue
		case len(args) == 0:
			b.WriteString("(no value)")
			continue
		case verb == 'q':
			b.WriteString(quote(format(args[0])))
		default:
			b.WriteString(format(args[0]))
		}
		args = args[1:]
	}
}

// format returns a value as text. Package fmt would make every module 0.8 MB larger
// and slower to load.
func format(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case error:
		return v.Error()
	case interface{ String() string }:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32)
	case nil:
		return "nil"
	}
	return formatInt(v)
}

func formatInt(v any) string {
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v)
	case int8:
		return strconv.Itoa(int(v))
	case int16:
		return strconv.Itoa(int(v))
	case int32:
		return strconv.Itoa(int(v))
	case int64:
		return strconv.FormatInt(v, 10)
	case uint:
		return strconv.FormatUint(uint64(v), 10)
	case uint8:
		return strconv.Itoa(int(v))
	case uint16:
		return strconv.Itoa(int(v))
	case uint32:
		return strconv.FormatUint(uint64(v), 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	}
	return "(no text)"
}

func quote(s string) string { return strconv.Quote(s) }

// quoteIfNeeded quotes text that is not one word.
func quoteIfNeeded(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\r\n=\"") {
		return quote(s)
	}
	return s
}
