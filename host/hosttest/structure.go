package hosttest

import (
	"regexp"
	"slices"
)

// structures match the structure between leaves of JSON, XML and YAML. They do not
// depend on the syntaxes that stages declare, so that tests can check these.
var structures = []*regexp.Regexp{
	regexp.MustCompile(`\A\x{feff}?(?:[\s,:{}\[\]]|"(?:[^"\\]|\\.)*"\s*:)*\z`),
	regexp.MustCompile(`\A\x{feff}?(?:\s|</?[\w:.-]+(?:\s+[^\s=>"']+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*/?>|<\?[^>]*\?>|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)*\z`),
	regexp.MustCompile(`\A\x{feff}?(?:[ \t]*(?:- +|-$)*(?:(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#"'{}\[\],:-](?:[^\n#:"]|:[^\s"])*):|---|\.\.\.)?[ \t]*\r?(?:\n|\z))*\z`),
}

// IsStructure reports whether gap is only structure: white space; JSON punctuation and
// keys; XML tags; YAML lines that are a key.
func IsStructure(gap []byte) bool {
	return slices.ContainsFunc(structures, func(re *regexp.Regexp) bool { return re.Match(gap) })
}
