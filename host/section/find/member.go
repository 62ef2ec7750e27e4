package find

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// maxMembers is the number of declarations of a name in one leaf.
const maxMembers = 64

// maxDeclaration is the size of the beginning of a Section in which its declaration is.
const maxDeclaration = 4 << 10

// findMembers returns the declarations of a name directly in the declaration that p is: a
// leaf, or a range of one that another name led to.
func (l *leaves) findMembers(p tree.Part, segment string) []tree.Part {
	if !l.language.HasDeclarations() || !l.isInLeaf(&p) {
		return nil
	}
	return rangesIn(&p, l.language.Members(p.Bytes(), ids.Unescape(segment), maxMembers))
}

// isInLeaf reports whether p is a leaf or a range of one.
func (l *leaves) isInLeaf(p *tree.Part) bool {
	if p.Kind == tree.KindRange {
		p = p.Base
	}
	return p.IsSection() && p.IsContent() && l.tree.IsLeaf(p)
}

// rangesIn returns spans of the bytes of p as ranges of its leaf.
func rangesIn(p *tree.Part, spans [][2]int) []tree.Part {
	leaf := p
	if p.Kind == tree.KindRange {
		leaf = p.Base
	}
	found := make([]tree.Part, len(spans))
	for i, span := range spans {
		start, end := p.Start+span[0], p.Start+span[1]
		found[i] = tree.Derive(tree.KindRange, leaf, start, end, ids.ByteRange(leaf, start, end))
	}
	return found
}

// findDeclarations returns the declarations of a name in all leaves, and the Sections with
// parts that declare it. The id of such a Section may be another name, such as that of one
// of several declarations of members of a type.
func (l *leaves) findDeclarations(name string) (found []tree.Part) {
	if !l.language.HasDeclarations() {
		return nil
	}
	for i := range l.tree.Sections {
		p := l.tree.Part(int32(i))
		switch {
		case len(found) >= MaxMatches:
			return found
		case l.tree.Sections[i].Kind != abi.SectionExact:
		case !l.tree.IsLeaf(&p):
			if l.language.DeclaresFirst(p.Source.Text[p.Start:min(p.End, p.Start+maxDeclaration)], name) {
				found = append(found, p)
			}
		default:
			found = append(found, rangesIn(&p, l.language.Declarations(p.Bytes(), name, maxMembers))...)
		}
	}
	return found
}
