package rbac

import (
	"math/bits"
	"strings"
)

// grants are the rules of one user, group or service account. Each rule is in one of the
// indexes, so that few rules are looked at even if a caller has many.
type grants struct {
	byProject prefixIndex // rules with projects
	byName    prefixIndex // other rules with names
	others    []*rule
}

func (g *grants) add(r *rule) {
	switch {
	case len(r.Projects) > 0:
		g.byProject.add(r.Projects, r)
	case len(r.Names) > 0:
		g.byName.add(r.Names, r)
	default:
		g.others = append(g.others, r)
	}
}

// eachRule calls yield for the rules that allow a query, until it returns false.
// eachRule then returns false.
func (g *grants) eachRule(q query, yield func(*rule) bool) bool {
	return eachAllowing(g.others, q, yield) && g.byProject.eachRule(q.project, q, yield) && g.byName.eachRule(q.name, q, yield)
}

// maxPrefix is the maximum length of a key of a prefixIndex.
const maxPrefix = 63

// prefixIndex finds rules by the text of their globs before the first wildcard.
type prefixIndex struct {
	rules   map[string][]*rule
	lengths uint64 // bit n: there is a prefix of n bytes
}

// add adds a rule under each of its globs.
func (x *prefixIndex) add(globs []string, r *rule) {
	if x.rules == nil {
		x.rules = make(map[string][]*rule)
	}
	for _, g := range globs {
		end := len(g)
		if at := strings.IndexAny(g, "*?"); at >= 0 {
			end = at
		}
		prefix := g[:min(end, maxPrefix)]
		x.rules[prefix] = append(x.rules[prefix], r)
		x.lengths |= 1 << len(prefix)
	}
}

// eachRule is grants.eachRule for the rules that have a glob with a prefix of s.
func (x *prefixIndex) eachRule(s string, q query, yield func(*rule) bool) bool {
	for left := x.lengths; left != 0; left &= left - 1 {
		n := bits.TrailingZeros64(left)
		if n > len(s) {
			break
		}
		if !eachAllowing(x.rules[s[:n]], q, yield) {
			return false
		}
	}
	return true
}

func eachAllowing(rules []*rule, q query, yield func(*rule) bool) bool {
	for _, r := range rules {
		if r.allows(q) && !yield(r) {
			return false
		}
	}
	return true
}
