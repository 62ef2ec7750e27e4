package find

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// NewSet returns one part for all parts that a path matches.
func (r *Resolver) NewSet(path string, members []tree.Part) tree.Part {
	tail := strings.Trim(path, "/ ")
	if strings.HasPrefix(path, "//") { // all elements with a tag
		tail = "//" + tail
	}
	return tree.Part{
		Kind: tree.KindSet, Section: -1, End: r.tree.TotalSize(members),
		Origin: &tree.Origin{Members: members, Exact: members, Tail: escapePath(tail)},
	}
}

// escapePath escapes the characters of a path that an id must not contain, so that
// the path of a set can be offered.
func escapePath(path string) string {
	var out strings.Builder
	for segment := range strings.SplitSeq(path, "/") {
		out.WriteByte('/')
		if _, err := url.PathUnescape(segment); err != nil { // its % signs are not escapes
			segment = strings.ReplaceAll(segment, "%", "%25")
		}
		for _, r := range segment {
			if !strings.ContainsRune("[]?!", r) && unicode.IsPrint(r) {
				out.WriteRune(r)
				continue
			}
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&out, "%%%02X", c)
			}
		}
	}
	return out.String()[1:]
}

// findFoldOfSet returns the fold that path/@24..47 names: the parts at these
// positions among all that the path matches. Any range is valid, not only offered
// folds.
func (r *Resolver) findFoldOfSet(path string) (tree.Part, bool) {
	i := strings.LastIndex(path, "/@")
	if i < 0 {
		return tree.Part{}, false
	}
	first, last, ok := strings.Cut(path[i+2:], "..")
	from, ok1 := ids.Position(first)
	to, ok2 := ids.Position(last)
	if !ok || !ok1 || !ok2 || from > to {
		return tree.Part{}, false
	}
	found, name := r.match(path[:i])
	if found = replaceByLeaves(found); len(found) < 2 || to >= len(found) {
		return tree.Part{}, false
	}
	set := r.NewSet(name, found)
	return ids.Run{Base: &set, Items: found}.Slice(from, to+1).Fold(r.tree), true
}
