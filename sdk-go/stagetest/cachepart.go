package stagetest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parseCache parses the cache of an archive.
func parseCache(text string) (way CacheWay, held map[string]string, err error) {
	held = map[string]string{}
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); line {
		case "":
		case string(CacheFull), string(CacheOff):
			way = CacheWay(line)
		default:
			key, value, err := parsePair(line)
			if err != nil {
				return way, held, err
			}
			held[key] = value
		}
	}
	if way == CacheOff && len(held) > 0 {
		return way, held, fmt.Errorf("a cache that is off holds nothing")
	}
	return way, held, nil
}

// parseKept parses the expected stored values of an archive.
func parseKept(text string) (map[string]string, error) {
	way, kept, err := parseCache(text)
	if err == nil && way != CacheWorks {
		err = fmt.Errorf("%q is not KEY: VALUE", way)
	}
	return kept, err
}

// parsePair parses KEY: VALUE, each as plain text or as a string of JSON, or a value as
// "hex " and its bytes.
func parsePair(line string) (key, value string, err error) {
	wrong := func() error { return fmt.Errorf("%q is not KEY: VALUE, full or off", line) }
	rest := line
	if strings.HasPrefix(line, `"`) {
		d := json.NewDecoder(strings.NewReader(line))
		if d.Decode(&key) != nil {
			return "", "", wrong()
		}
		rest = line[d.InputOffset():]
	}
	plain, value, ok := strings.Cut(rest, ": ")
	if !ok || rest != line && plain != "" {
		return "", "", wrong()
	}
	if rest == line {
		key = plain
	}
	switch digits, binary := strings.CutPrefix(value, "hex "); {
	case strings.HasPrefix(value, `"`):
		err = json.Unmarshal([]byte(value), &value)
	case binary:
		var b []byte
		b, err = hex.DecodeString(digits)
		value = string(b)
	}
	if err != nil {
		return "", "", wrong()
	}
	return key, value, nil
}

// cacheText returns the values of a cache in the format of archives.
func cacheText(held map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(held)) {
		value := held[key]
		switch {
		case !utf8.ValidString(value):
			value = "hex " + hex.EncodeToString([]byte(value))
		case !isPlain(value) || strings.HasPrefix(value, "hex "):
			value = quote(value)
		}
		if !isPlain(key) || strings.Contains(key, ": ") || strings.HasPrefix(key, "-- ") {
			key = quote(key)
		}
		b.WriteString(key + ": " + value + "\n")
	}
	return b.String()
}

// isPlain reports whether a text needs no quotes in a line.
func isPlain(s string) bool {
	return s != "" && s[0] != '"' && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, unicode.IsControl) && utf8.ValidString(s)
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
