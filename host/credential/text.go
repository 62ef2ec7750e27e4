package credential

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

var (
	// key matches a key of JSON, YAML or settings, up to its value.
	key = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_.-]*)\\*["']?[ \t]*[:=][ \t]*`)

	// keyValue matches the value after a key: a quoted text, also one inside another quoted
	// text, or one word.
	keyValue = regexp.MustCompile(`^(?:\\+"([^"]*)|"((?:[^"\\]|\\.)*)|'([^']*)|([^\s"'\\,;{}\[\]&|>][^\s"'\\,;{}\[\]&]*))`)

	// flagged matches a flag and its value.
	flagged = regexp.MustCompile(`(?:^|[\s"'])--?([A-Za-z][A-Za-z0-9_.-]*)[ =]+["']?([^\s"'-][^\s"']*)`)

	// element matches an element of XML with its text.
	element = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9_.:-]*)(?:[ \t][^<>]*)?>([^<>]+)</`)

	// userinfo matches the user and the password of the flags -u and --user.
	userinfo = regexp.MustCompile(`(?:^|[\s"'])(?:-u|--user)[ =]+["']?[^\s"':]+:([^\s"']+)`)

	// pem matches a private key in PEM, with real or escaped line ends.
	pem = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----(.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)

	// mayMatch matches every line in which one of the rules can find a credential, faster than
	// they do.
	mayMatch = regexp.MustCompile(`[:=_.<-]|AIza|A[KS]IA|(?i:bearer )`)

	// plain matches values that are no credentials.
	plain = regexp.MustCompile(`^(?:true|false|null|none|~|[0-9]{1,5}|\$\{?[A-Za-z_][A-Za-z0-9_]*\}?|\*+)$`)
)

// FindText returns the byte ranges [start, end) of a text of any format that look like
// credentials, sorted and disjoint. Its rules include those of Find for each line.
func FindText(s string) [][2]int {
	var found [][2]int
	for _, m := range pem.FindAllStringSubmatchIndex(s, -1) {
		found = append(found, [2]int{m[2], m[3]})
	}
	for start := 0; start < len(s); {
		end := start + strings.IndexByte(s[start:], '\n')
		if end < start {
			end = len(s)
		}
		findInLine(s[start:end], func(from, to int) { found = append(found, [2]int{start + from, start + to}) })
		start = end + 1
	}
	slices.SortFunc(found, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	joined := found[:0]
	for _, r := range found {
		if n := len(joined); n > 0 && r[0] <= joined[n-1][1] {
			joined[n-1][1] = max(joined[n-1][1], r[1])
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// findInLine calls add with the range of each credential of a line.
func findInLine(line string, add func(start, end int)) {
	if !mayMatch.MatchString(line) {
		return
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t->*#"))
	for _, m := range Find(line[indent:]) {
		add(indent+m.Start, indent+m.End)
	}
	for _, m := range flagged.FindAllStringSubmatchIndex(line, -1) {
		if IsName(line[m[2]:m[3]]) {
			add(m[4], m[5])
		}
	}
	for _, m := range element.FindAllStringSubmatchIndex(line, -1) {
		if IsName(line[m[2]:m[3]]) && !plain.MatchString(line[m[4]:m[5]]) {
			add(m[4], m[5])
		}
	}
	for _, m := range userinfo.FindAllStringSubmatchIndex(line, -1) {
		if !plain.MatchString(line[m[2]:m[3]]) {
			add(m[2], m[3])
		}
	}
	for _, k := range key.FindAllStringSubmatchIndex(line, -1) {
		if !IsName(line[k[2]:k[3]]) {
			continue
		}
		v := keyValue.FindStringSubmatchIndex(line[k[1]:])
		for i := 2; i < len(v); i += 2 {
			if v[i] < 0 {
				continue
			}
			start, end := k[1]+v[i], k[1]+v[i+1]
			end = start + len(strings.TrimRight(line[start:end], `\`))
			if !plain.MatchString(line[start:end]) {
				add(start, end)
			}
		}
	}
}
