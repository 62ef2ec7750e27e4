package llm

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/secret"
)

// minSecret is the minimum length of a value that is removed from texts. Shorter values
// are levels, flags and numbers.
const minSecret = 8

// secrets are the credentials of a provider, which are removed from its texts.
type secrets []string

func (s secrets) with(values ...secret.Value) secrets {
	for _, v := range values {
		if text := v.Reveal(); len(text) >= minSecret && text[0] != '/' { // paths are not secret
			s = append(s, text)
		}
	}
	return s
}

// scrub replaces each secret in any of its spellings by ***.
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

// isIn reports whether a text contains a secret.
func (s secrets) isIn(text string) bool { return len(s) > 0 && s.scrub(text) != text }

// spellings returns the forms in which a server may repeat a secret, longest first,
// because one may be a prefix of another.
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
