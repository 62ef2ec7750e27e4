// Package credential recognises text that looks like a credential: by the name of a
// flag, variable, header or key, or by its own form. The rules do not depend on any
// particular program.
package credential

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Mask replaces a credential in printed text.
const Mask = "***"

// Match is a part of one argument that looks like a credential. Name is the name of
// its flag, variable, header or key, or "" if only its form was recognised.
type Match struct {
	Arg, Start, End int
	Name            string
}

// credentialWords are the last words of names whose values are credentials: --token
// matches, --token-limit and --key-file do not.
var credentialWords = []string{
	"token", "tok", "key", "keys", "secret", "pass", "pwd", "pw", "auth", "authorization", "bearer", "cookie", "cookies", "session",
	"pat", "jwt", "sig", "signature",
}

// propertyWords are the last words of names whose values describe a credential but are
// not credentials themselves.
var propertyWords = []string{
	"limit", "budget", "count", "size", "length", "max", "min", "ttl", "expiry", "timeout", "lifetime", "file", "path", "dir",
	"directory", "url", "uri", "endpoint", "host", "mode", "type", "name", "provider", "store", "format", "algorithm", "method",
	"header", "enabled", "required",
}

// unambiguous matches words that also name a credential at the end of a longer word, and
// before other words: PGPASSWORD, API_KEY_PROD.
var unambiguous = regexp.MustCompile(`(?:token|secrets?|passw(?:or)?d|passphrase|(?:api|access|private|secret)-?keys?|credentials?|session-?id)-|-creds?-`)

// IsName reports whether the values of a flag, a variable, a header or a key of that
// name are credentials.
func IsName(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(splitCamel(name)), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return slices.Contains(credentialWords, last) ||
		!slices.Contains(propertyWords, last) && unambiguous.MatchString("-"+strings.Join(words, "-")+"-")
}

// splitCamel returns api-Key for apiKey.
func splitCamel(s string) string {
	return camel.ReplaceAllString(s, "$1-$2")
}

var (
	camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

	// issued matches credentials with the prefix of an issuer, and JSON web tokens.
	issued = regexp.MustCompile(`\b(?:sk-|sk_live_|rk_live_|gh[opusr]_|github_pat_|glpat-|xox[abeprs]-|xapp-|whsec_|hf_|npm_|mcpd_|pypi-|dop_v1_|AIza|AKIA|ASIA|SG\.|eyJ[A-Za-z0-9_-]+\.)[A-Za-z0-9._-]{12,}`)

	named    = regexp.MustCompile(`^(?:--?)?([A-Za-z][A-Za-z0-9_.-]*)(?:=|: *)(.+)$`)
	flagName = regexp.MustCompile(`^--?([A-Za-z][A-Za-z0-9_.-]*)$`)
	userInfo = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^/@:?#\s]*:([^/@\s]+)@`)
	queryKey = regexp.MustCompile(`[?&]([^=&#\s]+)=([^&#\s]+)`)
	bearer   = regexp.MustCompile(`(?i)\bbearer +([A-Za-z0-9._~+/=-]{8,})`)
	userOnly = regexp.MustCompile(`https?://([^/@:?#\s]{8,}):?@`)

	// pair matches a setting of a connection string, and assignment a variable of a shell command.
	pair       = regexp.MustCompile(`;\s*([A-Za-z][A-Za-z0-9 _.-]*?)\s*=\s*([^;]+)`)
	assignment = regexp.MustCompile(`[\s;]-{0,2}([A-Za-z][A-Za-z0-9_.-]*)=([^\s;]+)`)

	privateKey = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)
)

// Find returns the credentials in the arguments of a program or in an address:
//
//   - the value of a flag, of NAME=value or of "Header: value" whose name is that of a
//     credential, also in a connection string
//   - the password of an address, a key as its user, and the values of such keys in its query
//   - bearer tokens, private keys, and text with the prefix of an issuer
//
// Values that contain a ${VAR} are references and not returned. The matches of one
// argument do not overlap.
func Find(args ...string) []Match {
	var list []Match
	for i, arg := range args {
		found := findInArgument(arg)
		if i > 0 && len(arg) > 0 && arg[0] != '-' && !strings.Contains(arg, "${") {
			if m := flagName.FindStringSubmatch(args[i-1]); m != nil && IsName(m[1]) {
				found = []Match{{End: len(arg), Name: m[1]}}
			}
		}
		for _, c := range found {
			c.Arg = i
			list = append(list, c)
		}
	}
	return list
}

// FindNamed returns the credentials in the value of a variable or a header: the whole
// value if the name is that of a credential, else the result of Find.
func FindNamed(name, value string) []Match {
	if IsName(name) && value != "" && !strings.Contains(value, "${") {
		return []Match{{End: len(value), Name: name}}
	}
	return Find(value)
}

// findInArgument returns the credentials in one argument, without looking at others.
func findInArgument(arg string) []Match {
	var list []Match
	add := func(name string, start, end int) {
		covered := slices.ContainsFunc(list, func(c Match) bool { return start < c.End && c.Start < end })
		if !covered && !strings.Contains(arg[start:end], "${") {
			list = append(list, Match{Start: start, End: end, Name: name})
		}
	}
	if privateKey.MatchString(arg) {
		add("", 0, len(arg))
	}
	if m := named.FindStringSubmatchIndex(arg); m != nil && IsName(arg[m[2]:m[3]]) && !strings.HasPrefix(arg[m[4]:], "//") {
		add(arg[m[2]:m[3]], m[4], m[5])
	}
	for _, m := range userInfo.FindAllStringSubmatchIndex(arg, -1) {
		add("password", m[2], m[3])
	}
	for _, m := range userOnly.FindAllStringSubmatchIndex(arg, -1) {
		if strings.ContainsAny(arg[m[2]:m[3]], "0123456789") { // without a digit it is a user name such as "git"
			add("key", m[2], m[3])
		}
	}
	for _, m := range bearer.FindAllStringSubmatchIndex(arg, -1) {
		add("token", m[2], m[3])
	}
	for _, keyed := range []*regexp.Regexp{queryKey, pair, assignment} {
		for _, m := range keyed.FindAllStringSubmatchIndex(arg, -1) {
			if IsName(arg[m[2]:m[3]]) {
				add(arg[m[2]:m[3]], m[4], m[5])
			}
		}
	}
	for _, m := range issued.FindAllStringIndex(arg, -1) {
		add("", m[0], m[1])
	}
	slices.SortFunc(list, func(a, b Match) int { return a.Start - b.Start })
	return list
}
