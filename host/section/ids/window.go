package ids

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/host/section/tree"
)

// RangeName names a range of base, with the separator from the path of base.
type RangeName func(base *tree.Part, start, end int) string

// The separators of the last segment of a window and of a page.
const (
	windowSign = "/~L"
	pageSign   = "/L"
)

// LineRange names a window by its lines and bytes. ~L33-66@1965 ends with line 66
// or with the part, ~L7-7@100-3100 ends at byte 3100.
func LineRange(base *tree.Part, start, end int) string {
	first, last := base.Source.LineEnds(start)+1, base.Source.LineEnds(end-1)+1
	id := windowSign + strconv.Itoa(first) + "-" + strconv.Itoa(last) + "@" + strconv.Itoa(start)
	if end != base.End && base.Source.Text[end-1] != '\n' {
		id += "-" + strconv.Itoa(end)
	}
	return id
}

// ByteRange names a piece of "id!" by its bytes within the part.
func ByteRange(base *tree.Part, start, end int) string {
	return "!" + strconv.Itoa(start-base.Start) + "-" + strconv.Itoa(end-base.Start)
}

// parseLines reads an id that LineRange returned, or a shorter form of it. It
// reports false if segment is not such an id or names nothing inside base.
func parseLines(base *tree.Part, segment string) (start, end int, ok bool) {
	var first, last int
	if first, segment, ok = CutNumber(segment, "~L"); !ok || base.Source == nil {
		return 0, 0, false
	}
	if last, segment, ok = CutNumber(segment, "-"); !ok {
		last = first
	}
	explicit := 0
	at, rest, hasByte := CutNumber(segment, "@")
	if hasByte {
		start, segment = at, rest
		if explicit, segment, ok = CutNumber(segment, "-"); !ok {
			explicit = 0
		}
	} else {
		start = max(base.Source.LineStart(first-1), base.Start)
	}
	if segment != "" || first < 1 || start < base.Start || start >= base.End || last < first {
		return 0, 0, false
	}
	if end = explicit; end == 0 {
		end = base.Source.LineStart(last)
	}
	start, end = tree.RangeBorder(base, base.Start, start), min(end, base.End)
	return start, tree.RangeBorder(base, start, end), start < end
}

// ParseWindow returns the window of p that segment names. p may be a window itself.
func ParseWindow(p tree.Part, segment string) (tree.Part, bool) {
	base := &p
	if p.Kind == tree.KindRange {
		base = p.Base
	}
	start, end, ok := parseLines(base, segment)
	if !ok {
		return tree.Part{}, false
	}
	return tree.Derive(tree.KindRange, base, start, end, LineRange(base, start, end)), true
}

// ParsePage returns a page of p that is not a Section. The stage paginate names its
// pages like windows, so the id of a page with an earlier page size still names
// the same bytes.
func ParsePage(p tree.Part, segment string) (tree.Part, bool) {
	page, ok := ParseWindow(p, "~"+segment)
	if ok {
		page.Tail = pageSign + page.Tail[len(windowSign):]
	}
	return page, ok
}

// IsPage reports whether p is a page: a stage cut it to be read in one piece.
func IsPage(t *tree.Tree, p *tree.Part) bool {
	if p.Kind == tree.KindRange {
		return strings.HasPrefix(p.Tail, pageSign)
	}
	if !p.IsSection() || p.Source == nil {
		return false
	}
	id := t.Sections[p.Section].ID
	if !strings.HasPrefix(id, "L") || !strings.Contains(id, "@") {
		return false
	}
	home := t.Part(t.Home(p.Section))
	start, end, ok := parseLines(&home, "~"+id)
	return ok && start == p.Start && end == p.End
}

// ParsePiece returns the range of bytes within base that span names, as "0-40".
func ParsePiece(base *tree.Part, span string) (tree.Part, bool) {
	from, rest, ok1 := CutNumber(span, "")
	to, rest, ok2 := CutNumber(rest, "-")
	if !ok1 || !ok2 || rest != "" || from >= to || from >= base.Len() {
		return tree.Part{}, false
	}
	start := tree.RangeBorder(base, base.Start, base.Start+from)
	end := tree.RangeBorder(base, start, min(base.Start+to, base.End))
	return tree.Derive(tree.KindRange, base, start, end, ByteRange(base, start, end)), start < end
}
