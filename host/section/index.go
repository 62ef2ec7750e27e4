package section

import (
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// shape is the form in which a part is answered.
type shape uint8

const (
	shapeLeaf    shape = iota // its bytes
	shapeIndex                // lines that offer its parts
	shapeWindows              // lines that offer stretches of its bytes
)

func (d *Doc) shape(p *part) shape {
	switch {
	case p.kind == partFold:
		return d.joined(p)
	case p.kind != partSection || len(d.kids.of(p.sec)) == 0 && p.space != nil:
		if d.long(p) && !d.isPage(p) {
			return shapeWindows
		}
		return shapeLeaf
	case p.sec < 0 || d.isKind(p, abi.SectionDerived):
		return shapeIndex
	case p.space == nil:
		return d.joined(p)
	case d.size[p.sec] <= d.set.LeafSize && !d.mixed[p.sec]:
		return shapeLeaf
	}
	return shapeIndex
}

// joined is the shape of a fold or group: its bytes in one piece, if they are
// few and nothing else stands between.
func (d *Doc) joined(p *part) shape {
	if d.partSize(p) > d.set.LeafSize {
		return shapeIndex
	}
	if whole, ok := d.neighbours(d.list(*p)); ok && whole.end-whole.start <= d.set.LeafSize {
		return shapeLeaf
	}
	return shapeIndex
}

// listing is the text of an index and the ids it offers.
type listing struct {
	text   []byte
	offers []string
}

// add appends one line if it is within the limits.
func (l *listing) add(line []byte, id string, lim limits) bool {
	if len(l.offers) >= lim.lines || len(l.text)+len(line) > lim.bytes || tokens(l.text)+tokens(line) > lim.tokens {
		return false
	}
	l.text, l.offers = append(l.text, line...), append(l.offers, id)
	return true
}

// some lists as many parts as the limits allow: for answers that need not name
// all of them.
func (d *Doc) some(parts []part, lim limits) (out listing) {
	for i := range parts {
		if !out.add(d.appendLine(nil, &parts[i], styles[1]), d.name(&parts[i]), lim) {
			break
		}
	}
	return out
}

// index renders the parts of p, all of them, within the limits.
func (d *Doc) index(p part, lim limits) listing {
	r := d.runOf(&p)
	return d.fit(func(lines int) []part { return d.arrange(&p, r, lines, lim.tokens) }, lim)
}

// fit prints what arrange gives for a number of lines within the limits: fewer
// words a line first, then fewer and larger parts. Words are spent on short
// indexes: in a long one all readers pay for many titles to choose one line.
func (d *Doc) fit(arrange func(lines int) []part, lim limits) listing {
	for lines := lim.lines; ; lines = max(leastLines, lines*3/4) {
		usable := styles[:shortest+1]
		if lines <= 8 {
			usable = styles[:]
		}
		parts := arrange(lines)
		for i, st := range usable {
			force := lines <= leastLines && i == len(usable)-1
			out, ok := d.print(parts, st, lim)
			if force || ok && (i >= shortest || tokens(out.text) <= shortIndex || i == 0 && d.summarized(parts)) {
				return out
			}
		}
	}
}

// summarized reports whether summaries are what tells parts apart: their titles
// say no more than their ids. Then they are worth their tokens in a long index too.
func (d *Doc) summarized(parts []part) bool {
	for i := range parts {
		if p := &parts[i]; p.kind == partSection && p.sec >= 0 {
			if s := &d.sections[p.sec]; s.Summary != "" && unsaid(s.Title, s.ID) == "" {
				return true
			}
		}
	}
	return false
}

// print writes one line for each part; false if that is over the limits.
func (d *Doc) print(parts []part, st style, lim limits) (listing, bool) {
	out := listing{offers: make([]string, len(parts))}
	before := ""
	for i := range parts {
		p := &parts[i]
		title := d.title(p, st)
		if p.kind == partFold {
			title, before = unlessSame(title, before)
		} else {
			before = ""
		}
		out.offers[i] = d.name(p)
		out.text = appendOffer(out.text, out.offers[i], title, d.partSize(p))
	}
	return out, len(out.text) <= lim.bytes && tokens(out.text) <= lim.tokens
}

// unlessSame leaves of the title of a fold only how many parts it has if the fold
// before says the same of its own: that tells neither from the other.
func unlessSame(title, before string) (string, words string) {
	count, words, _ := strings.Cut(title, ": ")
	if words == before {
		return count, words
	}
	return title, words
}

// arrange picks what the lines of an index offer, which may take most tokens.
func (d *Doc) arrange(p *part, r run, lines, most int) []part {
	if len(r.items) == 0 {
		if p.space == nil || p.start == p.end {
			return nil
		}
		return d.windows(*p, d.set.LeafSize, lines, lineRange)
	}
	parts := d.lookAhead(d.only(d.fold(r, lines)), lines, most, d.depthOf(p))
	if len(parts) == 1 && d.shape(&parts[0]) == shapeWindows {
		return d.windows(parts[0], d.set.LeafSize, lines, lineRange)
	}
	return parts
}

// only replaces each part that consists of one other part by that one, however
// often: a chain of only children is one line with the long path.
func (d *Doc) only(parts []part) []part {
	out := make([]part, len(parts))
	for i, p := range parts {
		for d.opens(&p) && len(d.kids.of(p.sec)) == 1 {
			inner := d.list(p)
			if len(inner) != 1 {
				break
			}
			p = inner[0]
		}
		out[i] = p
	}
	return out
}

// opens reports whether p can be replaced by its parts without loss: not a group,
// whose line says what its members, named without it, have in common.
func (d *Doc) opens(p *part) bool {
	return p.kind == partSection && p.space != nil && p.space.kind != flow.AnswerDerived &&
		len(d.kids.of(p.sec)) > 0 && d.shape(p) == shapeIndex
}

// depthOf is how many levels below the top p lies, groups and folds not counted.
func (d *Doc) depthOf(p *part) (n int) {
	for i := p.sec; i >= 0; i = d.owner[i] {
		n++
	}
	return n
}
