package proxy

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// rebuild puts what was shown in place of the parts and takes the host's own
// keys out of every _meta a server sent. The _meta of what changed stands in the
// result's own _meta if one part changed, in that of each block if several did.
func (l *layout) rebuild(shown []flow.Shown) []byte {
	changed, byStages := l.count(shown)
	if changed == 0 && !mayForge(l.raw) {
		return l.raw
	}
	r := rebuilding{layout: l, patch: patch{src: l.raw}, done: make(map[int]bool)}
	for i, sh := range shown {
		if !sh.Changed {
			continue
		}
		var meta []field
		switch {
		case l.parts[i].onlyFilters: // stored nowhere: there is nothing to tell
		case byStages == 1:
			r.ours = metaFields(sh.Meta)
		default:
			meta = metaFields(sh.Meta)
		}
		r.put(l.parts[i], sh, meta)
	}
	r.dropForged()
	r.result()
	return r.apply()
}

// count returns how many parts changed, and how many of those stages were given.
func (l *layout) count(shown []flow.Shown) (changed, byStages int) {
	for i, sh := range shown {
		if sh.Changed {
			changed++
			if !l.parts[i].onlyFilters {
				byStages++
			}
		}
	}
	return changed, byStages
}

// rebuilding is the state of one rebuild.
type rebuilding struct {
	*layout
	patch
	ours []field      // for the _meta of the result
	done map[int]bool // where a _meta starts that needs no more look
	drop bool         // structuredContent goes
	adds []field      // for the result itself
}

// put puts what was made of a part in its place.
func (r *rebuilding) put(p part, sh flow.Shown, meta []field) {
	switch p.place {
	case inString:
		if p.mime.End > 0 && (p.resource || p.embedded && sh.Meta.Kind != "") {
			r.replace(p.mime, []byte(`"text/plain"`)) // an index of JSON is no JSON
		}
		r.text(p, sh.Text, meta)
	case inStructured:
		r.structured(sh.Text, meta)
	default:
		r.json(p, sh.Text)
	}
}

// json replaces a value. What a filter left of JSON may be none any more: then it
// becomes text.
func (r *rebuilding) json(p part, text []byte) {
	start := jsonspan.SkipBlank(text, 0)
	switch {
	case jsonspan.Valid(text) == nil && jsonspan.KindAt(text, start) == jsonspan.KindAt(r.raw, p.text.Start):
		r.replace(p.text, withoutForged(text))
	case p.place == inBlock:
		r.replace(p.text, textBlock(text))
	default:
		r.replace(p.text, jsonspan.AppendQuote(nil, text))
	}
}

// textBlock is a content block of a text, with a _meta if it has members.
func textBlock(text []byte, meta ...field) []byte {
	block := jsonspan.AppendQuote([]byte(`{"type":"text","text":`), text)
	if len(meta) > 0 {
		block = append(append(block, `,"_meta":`...), objectOf(meta)...)
	}
	return append(block, '}')
}

// text replaces the text of one block.
func (r *rebuilding) text(p part, text []byte, meta []field) {
	r.replace(p.text, jsonspan.AppendQuote(nil, text))
	switch {
	case len(meta) == 0:
	case p.meta.End > 0:
		r.join(p.meta, meta)
		r.done[p.meta.Start] = true
	default:
		r.object(p.block, keepAll, field{"_meta", objectOf(meta)})
	}
}

// join adds members of ours to a _meta. One that is no object has nothing that
// could stay beside them.
func (r *rebuilding) join(meta jsonspan.Member, ours []field) {
	if jsonspan.KindAt(r.raw, meta.Start) == jsonspan.Object {
		r.object(meta.Start, ownKey, ours...)
	} else if len(ours) > 0 {
		r.replace(meta, objectOf(ours))
	}
}

// structured makes structuredContent a text block. The blocks that repeat it go; all
// others stay.
func (r *rebuilding) structured(text []byte, meta []field) {
	r.drop = true
	block := textBlock(text, meta...)
	switch {
	case r.content.End == 0:
		r.adds = append(r.adds, field{"content", slices.Concat([]byte{'['}, block, []byte{']'})})
	case jsonspan.KindAt(r.raw, r.content.Start) == jsonspan.Array:
		r.array(r.content.Start, func(m jsonspan.Member) bool { return r.repeated[m.Start] }, block)
	default:
		r.replace(r.content, slices.Concat([]byte{'['}, block, []byte{']'}))
	}
}

// withoutForged returns an object without the host's keys in its _meta.
func withoutForged(block []byte) []byte {
	p := patch{src: block}
	if m := lastMember(block, "_meta"); m.End > 0 {
		p.object(m.Start, ownKey)
	}
	return p.apply()
}

func (r *rebuilding) dropForged() {
	for _, m := range r.metas {
		if !r.done[m.Start] {
			r.object(m.Start, ownKey)
		}
	}
}

// result changes the outermost object: its _meta, and what was added or dropped.
func (r *rebuilding) result() {
	if r.meta.End > 0 {
		r.join(r.meta, r.ours)
	} else if len(r.ours) > 0 {
		r.adds = append(r.adds, field{"_meta", objectOf(r.ours)})
	}
	drop := keepAll
	if r.drop {
		drop = func(key []byte) bool { return jsonspan.KeyIs(key, "structuredContent") }
	}
	if r.drop || len(r.adds) > 0 {
		r.object(jsonspan.SkipBlank(r.raw, 0), drop, r.adds...)
	}
}

// metaFields spells the _meta of an answer of ours as members.
func metaFields(meta flow.AnswerMeta) []field {
	raw, err := json.Marshal(meta)
	if err != nil {
		return nil
	}
	var fields []field
	members(raw, func(key []byte, m jsonspan.Member) bool {
		fields = append(fields, field{string(key[1 : len(key)-1]), raw[m.Start:m.End]})
		return true
	})
	return fields
}

// objectOf spells fields as a JSON object.
func objectOf(fields []field) []byte {
	return append(appendFields([]byte{'{'}, false, fields), '}')
}
