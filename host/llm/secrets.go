package llm

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/secret"
)

// minSecret is from what length on a value is taken out of texts: shorter ones
// are levels, flags and numbers.
const minSecret = 8

// secrets are the credentials of a provider, to be kept out of what it says.
type secrets []string

func (s secrets) with(values ...secret.Value) secrets {
	for _, v := range values {
		if text := v.Reveal(); len(text) >= minSecret && text[0] != '/' { // a path is none
			s = append(s, text)
		}
	}
	return s
}

// scrub replaces each secret, however it is spelled.
func (s secrets) scrub(text string) string {
	var pairs []string
	for _, secret := range s {
		for _, spelled := range spellings(secret) {
			pairs = append(pairs, spelled, "***")
		}
	}
	if pairs == nil {
		return text
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// in reports whether a text holds a secret.
func (s secrets) in(text string) bool { return len(s) > 0 && s.scrub(text) != text }

// spellings are the forms in which a server may repeat a secret, longest first:
// one may be the beginning of another.
func spellings(secret string) []string {
	quoted, _ := json.Marshal(secret) // a string always encodes
	turned := []rune(secret)
	slices.Reverse(turned)
	all := []string{secret, string(quoted[1 : len(quoted)-1]), url.QueryEscape(secret), url.PathEscape(secret), string(turned),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawStdEncoding.EncodeToString([]byte(secret)),
		base64.URLEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret))}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}
