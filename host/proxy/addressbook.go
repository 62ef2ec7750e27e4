package proxy

import (
	"regexp"
	"strings"
	"sync"
)

// addressBook tells which server a URI belongs to: the first in the order of
// the project that lists it, else the first with a template that it fits.
// Safe for concurrent use.
type addressBook struct {
	mu        sync.Mutex
	filled    [listKinds]bool
	owner     map[string]string // URI -> server
	templates []uriTemplate
}

type uriTemplate struct {
	text   string
	server string
	form   *regexp.Regexp // nil: fits nothing
}

// update takes a list of resources or templates in and writes ours. With one
// server it is its own; of several, a URI is listed for its owner only. ours come
// last; no server has a URI that is reserved.
func (a *addressBook) update(k listKind, all []served, reserved func(uri string) bool, ours ...[]byte) assembled {
	owner, forms := make(map[string]string), []uriTemplate{}
	list := assemble(k, all, func(s Server, it item) []byte {
		if first, known := owner[it.name]; known && first != s.Name || reserved(it.name) {
			return nil
		}
		owner[it.name] = s.Name
		if k == templates {
			forms = append(forms, uriTemplate{it.name, s.Name, templateForm(it.name)})
		}
		return listed(it, it.name, false)
	}, ours...)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.filled[k] = true
	if k == templates {
		a.templates = forms
	} else {
		a.owner = owner
	}
	return list
}

// find returns the server of a URI, or of a template given as text, or "".
func (a *addressBook) find(uri string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if server, ok := a.owner[uri]; ok {
		return server
	}
	for _, t := range a.templates {
		if t.text == uri || t.form != nil && t.form.MatchString(uri) {
			return t.server
		}
	}
	return ""
}

func (a *addressBook) has(k listKind) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.filled[k]
}

// templateForm makes a pattern of a URI template (RFC 6570): what stands outside
// braces is literal, {+x} and {#x} may hold slashes, others may not.
func templateForm(template string) *regexp.Regexp {
	const maxTemplate = 4 << 10
	if len(template) > maxTemplate {
		return nil
	}
	pattern := "^"
	for rest := template; rest != ""; {
		literal, behind, found := strings.Cut(rest, "{")
		pattern += regexp.QuoteMeta(literal)
		if !found {
			break
		}
		var expression string
		if expression, rest, found = strings.Cut(behind, "}"); !found {
			return nil
		}
		if strings.HasPrefix(expression, "+") || strings.HasPrefix(expression, "#") || strings.Contains(expression, "*") {
			pattern += ".*"
		} else {
			pattern += "[^/]*"
		}
	}
	form, err := regexp.Compile(pattern + "$")
	if err != nil {
		return nil
	}
	return form
}
