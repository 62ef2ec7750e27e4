package object

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Credential is a stretch of one argument that looks like a credential. Name is
// what it is called where it stands, "" if it is known by its form alone.
type Credential struct {
	Arg, Start, End int
	Name            string
}

// credentialWords are the last words of names whose values are credentials. --token is
// one, --token-limit and --key-file are not.
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

// IsCredentialName reports whether values of that name are credentials: of a flag, a
// variable, a header, a key of a query or of a connection string.
func IsCredentialName(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(splitCamel(name)), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return slices.Contains(credentialWords, last) ||
		!slices.Contains(propertyWords, last) && unambiguous.MatchString("-"+strings.Join(words, "-")+"-")
}

// splitCamel writes apiKey as api-Key.
func splitCamel(s string) string {
	return camel.ReplaceAllString(s, "$1-$2")
}

var (
	camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

	// issued matches credentials whose issuer marks them by a prefix, and JSON web tokens.
	issued = regexp.MustCompile(`\b(?:sk-|sk_live_|rk_live_|gh[opusr]_|github_pat_|glpat-|xox[abeprs]-|xapp-|whsec_|hf_|npm_|pypi-|dop_v1_|AIza|AKIA|ASIA|SG\.|eyJ[A-Za-z0-9_-]+\.)[A-Za-z0-9._-]{12,}`)

	named    = regexp.MustCompile(`^(?:--?)?([A-Za-z][A-Za-z0-9_.-]*)(?:=|: *)(.+)$`)
	flagName = regexp.MustCompile(`^--?([A-Za-z][A-Za-z0-9_.-]*)$`)
	userInfo = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^/@:?#\s]*:([^/@\s]+)@`)
	queryKey = regexp.MustCompile(`[?&]([^=&#\s]+)=([^&#\s]+)`)
	bearer   = regexp.MustCompile(`(?i)\bbearer +([A-Za-z0-9._~+/=-]{8,})`)
	userOnly = regexp.MustCompile(`https?://([^/@:?#\s]{8,}):?@`)

	// pair matches a setting of a connection string, and assignment one of a shell's line.
	pair       = regexp.MustCompile(`;\s*([A-Za-z][A-Za-z0-9 _.-]*?)\s*=\s*([^;]+)`)
	assignment = regexp.MustCompile(`[\s;]-{0,2}([A-Za-z][A-Za-z0-9_.-]*)=([^\s;]+)`)

	privateKey = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)
)

// Credentials finds what looks like a credential in the arguments of a program or in an
// address, by rules that know no program: the value of a flag, of NAME=value or of
// "Header: value" with a credential's name, also in a connection string; a password, a
// key as the user, or such a key of the query in an address; a bearer token; a private
// key; a text with an issuer's prefix. Values that hold a ${VAR} are references already.
// The stretches of one argument do not overlap.
func Credentials(args ...string) []Credential {
	var list []Credential
	for i, arg := range args {
		found := inArgument(arg)
		if i > 0 && len(arg) > 0 && arg[0] != '-' && !strings.Contains(arg, "${") {
			if m := flagName.FindStringSubmatch(args[i-1]); m != nil && IsCredentialName(m[1]) {
				found = []Credential{{End: len(arg), Name: m[1]}}
			}
		}
		for _, c := range found {
			c.Arg = i
			list = append(list, c)
		}
	}
	return list
}

// NamedCredentials finds what looks like a credential in the value of a variable or a
// header: the whole value if the name is that of a credential, else the result of Credentials.
func NamedCredentials(name, value string) []Credential {
	if IsCredentialName(name) && value != "" && !strings.Contains(value, "${") {
		return []Credential{{End: len(value), Name: name}}
	}
	return Credentials(value)
}

// inArgument finds credentials that one argument shows alone.
func inArgument(arg string) []Credential {
	var list []Credential
	add := func(name string, start, end int) {
		covered := slices.ContainsFunc(list, func(c Credential) bool { return start < c.End && c.Start < end })
		if !covered && !strings.Contains(arg[start:end], "${") {
			list = append(list, Credential{Start: start, End: end, Name: name})
		}
	}
	if privateKey.MatchString(arg) {
		add("", 0, len(arg))
	}
	if m := named.FindStringSubmatchIndex(arg); m != nil && IsCredentialName(arg[m[2]:m[3]]) && !strings.HasPrefix(arg[m[4]:], "//") {
		add(arg[m[2]:m[3]], m[4], m[5])
	}
	for _, m := range userInfo.FindAllStringSubmatchIndex(arg, -1) {
		add("password", m[2], m[3])
	}
	for _, m := range userOnly.FindAllStringSubmatchIndex(arg, -1) {
		if strings.ContainsAny(arg[m[2]:m[3]], "0123456789") { // the name of a person or "git" is no key
			add("key", m[2], m[3])
		}
	}
	for _, m := range bearer.FindAllStringSubmatchIndex(arg, -1) {
		add("token", m[2], m[3])
	}
	for _, keyed := range []*regexp.Regexp{queryKey, pair, assignment} {
		for _, m := range keyed.FindAllStringSubmatchIndex(arg, -1) {
			if IsCredentialName(arg[m[2]:m[3]]) {
				add(arg[m[2]:m[3]], m[4], m[5])
			}
		}
	}
	for _, m := range issued.FindAllStringIndex(arg, -1) {
		add("", m[0], m[1])
	}
	slices.SortFunc(list, func(a, b Credential) int { return a.Start - b.Start })
	return list
}

// maskedArgs returns arguments as they may be shown: what looks like a credential is
// masked, and so are defaults of references, except of the client's directory. The
// rest stays, because it says what runs.
func maskedArgs(command []Template) []string {
	args := make([]string, len(command))
	for i, t := range command {
		args[i] = t.maskDefaults()
	}
	found := Credentials(args...)
	for _, c := range slices.Backward(found) {
		args[c.Arg] = args[c.Arg][:c.Start] + mask + args[c.Arg][c.End:]
	}
	return args
}

func writtenArgs(command []Template) []string {
	args := make([]string, len(command))
	for i, t := range command {
		args[i] = t.source()
	}
	return args
}
