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

// minSecret is from what length on a value is taken out of a server's own words:
// shorter ones are levels, flags and numbers.
const minSecret = 8

// scrubber removes the secrets of a Config from what is shown of a server: what it
// prints, and errors. A server that prints its token must not get it into a log.
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
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) }) // a secret that contains another goes first
	pairs, longest := make([]string, 0, 2*len(known)), 0
	for _, value := range known {
		pairs, longest = append(pairs, value, hidden), max(longest, len(value))
	}
	return scrubber{strings.NewReplacer(pairs...), longest}
}

// secretsIn returns the secrets of a server, each as it may be spelled.
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
		if _, credentials, ok := strings.Cut(value, " "); ok { // behind "Bearer"
			add(credentials)
		}
	}
	for _, value := range urlSecrets(cfg.URL) {
		add(value)
	}
	return known
}

// IsPath reports whether a value is a path, or a list of them, on this machine: it is
// absolute, and its first element exists. Credentials in base64 may begin with a slash.
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

// spellings are the forms in which a value appears in a URL and in JSON.
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

// error returns err with a text that holds no secret; errors.Is and errors.As find
// what they find in err.
func (s scrubber) error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if clean := s.clean(text); clean != text {
		return &cleanError{clean, err}
	}
	return err
}

// urlSecrets are the places of a URL where people put tokens: its password and
// the values of its query, each also as it is spelled there.
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

func (s scrubber) clean(said string) string { return s.secrets.Replace(said) }

// maxSaid is how much of what a server said is shown in one line, in characters.
const maxSaid = 200

// shortened shows the beginning of what a server said, in one line and without
// what would steer a terminal.
func (s scrubber) shortened(said string) string { return shorten(s.clean(said)) }

// shorten is shortened for a text that holds no secret.
func shorten(said string) string {
	said = strings.TrimSpace(said)
	n := 0
	for at := range said {
		if n == maxSaid {
			return printable(said[:at]) + "..."
		}
		n++
	}
	return printable(said)
}

// quoted shows the beginning of a body.
func (s scrubber) quoted(body []byte) string {
	said := strings.TrimSpace(s.clean(string(body)))
	if said == "" {
		return ""
	}
	return fmt.Sprintf(": %.*q", maxSaid, said)
}
