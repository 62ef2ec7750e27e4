package lists

import (
	"regexp"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// Addresses finds the server of a URI: the first one, in the order of the project, that
// lists it, otherwise the first one with a matching template. The zero value is empty.
// It is safe for concurrent use.
type Addresses struct {
	mu        sync.Mutex
	filled    [catalog.Kinds]bool
	owner     map[string]string // URI -> server
	templates []uriTemplate
}

type uriTemplate struct {
	text    string
	server  string
	pattern *regexp.Regexp // nil: matches nothing
}

// Update records the lists of resources or templates and joins them. A URI that several
// servers list is listed for its owner only, and one that isReserved for none. own are
// objects of the host, which come last.
func (a *Addresses) Update(k catalog.Kind, all []Served, isReserved func(uri string) bool, own ...[]byte) List {
	owner, patterns := make(map[string]string), []uriTemplate{}
	list := Join(k, all, func(of Served, it catalog.Item) []byte {
		server := of.Server
		if first, known := owner[it.Name]; known && first != server || isReserved(it.Name) {
			return nil
		}
		owner[it.Name] = server
		if k == catalog.Templates {
			patterns = append(patterns, uriTemplate{it.Name, server, templatePattern(it.Name)})
		}
		return Entry(it, it.Name, false)
	}, own...)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.filled[k] = true
	if k == catalog.Templates {
		a.templates = patterns
	} else {
		a.owner = owner
	}
	return list
}

// Find returns the server of a URI or of a template, or "".
func (a *Addresses) Find(uri string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if server, ok := a.owner[uri]; ok {
		return server
	}
	for _, t := range a.templates {
		if t.text == uri || t.pattern != nil && t.pattern.MatchString(uri) {
			return t.server
		}
	}
	return ""
}

// Has reports whether the lists of a kind have been recorded.
func (a *Addresses) Has(k catalog.Kind) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.filled[k]
}

// templatePattern returns a pattern for a URI template (RFC 6570): text outside braces
// is literal; {+x} and {#x} may match slashes, other expressions may not.
func templatePattern(template string) *regexp.Regexp {
	const maxTemplate = 4 << 10
	if len(template) > maxTemplate {
		return nil
	}
	pattern := "^"
	for rest := template; rest != ""; {
		literal, tail, found := strings.Cut(rest, "{")
		pattern += regexp.QuoteMeta(literal)
		if !found {
			break
		}
		var expression string
		if expression, rest, found = strings.Cut(tail, "}"); !found {
			return nil
		}
		if strings.HasPrefix(expression, "+") || strings.HasPrefix(expression, "#") || strings.Contains(expression, "*") {
			pattern += ".*"
		} else {
			pattern += "[^/]*"
		}
	}
	compiled, err := regexp.Compile(pattern + "$")
	if err != nil {
		return nil
	}
	return compiled
}
