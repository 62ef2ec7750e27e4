package upstream

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// minSecret is the length in bytes from which a value counts as a secret. Shorter values
// are levels, flags and numbers.
const minSecret = 8

// scrubber removes the secrets of servers from their output and from errors, so that a
// server that prints its token does not get it into a log.
type scrubber struct {
	secrets *strings.Replacer
	longest int // bytes of the longest secret
}

// NewCleaner returns a function that removes the secrets of servers from a line.
func NewCleaner(servers ...Config) func(string) string { return newScrubber(servers...).clean }

func newScrubber(servers ...Config) scrubber {
	var known []string
	for _, cfg := range servers {
		known = append(known, secretsIn(cfg)...)
	}
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) }) // a secret that contains another comes first
	pairs, longest := make([]string, 0, 2*len(known)), 0
	for _, value := range known {
		pairs, longest = append(pairs, value, hidden), max(longest, len(value))
	}
	return scrubber{strings.NewReplacer(pairs...), longest}
}

// secretsIn returns the secrets of a server in all spellings.
func secretsIn(cfg Config) (known []string) {
	add := func(value string) {
		if len(value) >= minSecret && !IsPath(value) {
			known = append(known, value)
		}
	}
	for _, s := range cfg.Secrets {
		for line := range strings.Lines(s.Reveal()) { // a log is scrubbed line by line
			if value := strings.TrimRight(line, "\r\n"); len(value) >= minSecret {
				known = append(known, spellings(value)...)
			}
		}
	}
	for _, s := range cfg.Env {
		add(s.Reveal())
		for line := range strings.Lines(s.Reveal()) { // a log is scrubbed line by line
			add(strings.TrimRight(line, "\r\n"))
		}
	}
	for _, s := range cfg.Headers {
		value := s.Reveal()
		add(value)
		if _, credentials, ok := strings.Cut(value, " "); ok { // after "Bearer"
			add(credentials)
		}
	}
	for _, value := range urlSecrets(cfg.URL) {
		add(value)
	}
	return known
}

// IsPath reports whether a value is a path or a list of paths on this machine: it is
// absolute, and its first element exists. The second check is needed because credentials
// in base64 may begin with a slash.
func IsPath(value string) bool {
	if !filepath.IsAbs(value) {
		return false
	}
	root := len(filepath.VolumeName(value)) + 1
	end := len(value)
	if i := strings.IndexAny(value[root:], `/\`); i >= 0 {
		end = root + i
	}
	_, err := os.Lstat(value[:end])
	return err == nil
}

// spellings returns the value and its escaped forms in a URL and in JSON.
func spellings(value string) []string {
	quoted := jsonspan.AppendQuote(nil, []byte(value))
	return []string{value, url.PathEscape(value), url.QueryEscape(value), string(quoted[1 : len(quoted)-1])}
}

// cleanError is an error whose text holds no secret.
type cleanError struct {
	text string
	err  error
}

func (e *cleanError) Error() string { return e.text }
func (e *cleanError) Unwrap() error { return e.err }

// cleanError returns an error that wraps err and whose text holds no secret.
func (s scrubber) cleanError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if clean := s.clean(text); clean != text {
		return &cleanError{clean, err}
	}
	return err
}

// urlSecrets returns the parts of a URL that may hold tokens: its password and the values
// of its query, each decoded and escaped.
func urlSecrets(text string) []string {
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	var all []string
	if password, ok := u.User.Password(); ok {
		all = append(all, password, url.QueryEscape(password))
	}
	for _, values := range u.Query() {
		for _, v := range values {
			all = append(all, v, url.QueryEscape(v))
		}
	}
	return all
}

// clean replaces the secrets in text.
func (s scrubber) clean(text string) string { return s.secrets.Replace(text) }

// maxRunes is the maximum length of a shortened text in characters.
const maxRunes = 200

// shortened returns the beginning of a text of a server on one line, without secrets and
// control characters.
func (s scrubber) shortened(text string) string { return shorten(s.clean(text)) }

// shorten is shortened for a text without secrets.
func shorten(text string) string {
	text = strings.TrimSpace(text)
	n := 0
	for at := range text {
		if n == maxRunes {
			return printable(text[:at]) + "..."
		}
		n++
	}
	return printable(text)
}

// quoted returns ": " and the quoted beginning of a body, or "" if the body is blank.
func (s scrubber) quoted(body []byte) string {
	text := strings.TrimSpace(s.clean(string(body)))
	if text == "" {
		return ""
	}
	return fmt.Sprintf(": %.*q", maxRunes, text)
}
