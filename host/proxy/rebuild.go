package proxy

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// rebuild puts what was shown in place of the parts and takes the host's own
// keys out of every _meta a server sent. The _meta of what changed stands in the
// result's own _meta if one part changed, in that of each block if several did.
func (l *layout) rebuild(shown []flow.Shown) []byte {
	changed, byStages := l.count(shown)
	if changed == 0 && !mayForge(l.raw) {
		return l.raw
	}
	r := rebuilding{layout: l, Patch: jsonedit.Patch{Source: l.raw}, done: make(map[int]bool)}
	for i, sh := range shown {
		if !sh.Changed {
			continue
		}
		var meta []jsonedit.Field
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
	return r.Apply()
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
	jsonedit.Patch
	ours []jsonedit.Field // for the _meta of the result
	done map[int]bool     // where a _meta starts that needs no more look
	drop bool             // structuredContent goes
	adds []jsonedit.Field // for the result itself
}

// put puts what was made of a part in its place.
func (r *rebuilding) put(p part, sh flow.Shown, meta []jsonedit.Field) {
	switch p.place {
	case inString:
		if p.mime.End > 0 && (p.resource || p.embedded && sh.Meta.Kind != "") {
			r.Replace(p.mime, []byte(`"text/plain"`)) // an index of JSON is no JSON
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
		r.Replace(p.text, withoutForged(text))
	case p.place == inBlock:
		r.Replace(p.text, textBlock(text))
	default:
		r.Replace(p.text, jsonspan.AppendQuote(nil, text))
	}
}

// textBlock is a content block of a text, with a _meta if it has members.
func textBlock(text []byte, meta ...jsonedit.Field) []byte {
	block := jsonspan.AppendQuote([]byte(`{"type":"text","text":`), text)
	if len(meta) > 0 {
		block = append(append(block, `,"_meta":`...), jsonedit.Object(meta...)...)
	}
	return append(block, '}')
}

// text replaces the text of one block.
func (r *rebuilding) text(p part, text []byte, meta []jsonedit.Field) {
	r.Replace(p.text, jsonspan.AppendQuote(nil, text))
	switch {
	case len(meta) == 0:
	case p.meta.End > 0:
		r.join(p.meta, meta)
		r.done[p.meta.Start] = true
	default:
		r.EditObject(p.block, nil, jsonedit.Raw("_meta", jsonedit.Object(meta...)))
	}
}

// join adds members of ours to a _meta. One that is no object has nothing that
// could stay beside them.
func (r *rebuilding) join(meta jsonspan.Member, ours []jsonedit.Field) {
	if jsonspan.KindAt(r.raw, meta.Start) == jsonspan.Object {
		r.EditObject(meta.Start, ownKey, ours...)
	} else if len(ours) > 0 {
		r.Replace(meta, jsonedit.Object(ours...))
	}
}

// structured makes structuredContent a text block. The blocks that repeat it go; all
// others stay.
func (r *rebuilding) structured(text []byte, meta []jsonedit.Field) {
	r.drop = true
	block := textBlock(text, meta...)
	switch {
	case r.content.End == 0:
		r.adds = append(r.adds, jsonedit.Raw("content", slices.Concat([]byte{'['}, block, []byte{']'})))
	case jsonspan.KindAt(r.raw, r.content.Start) == jsonspan.Array:
		r.EditArray(r.content.Start, func(m jsonspan.Member) bool { return r.repeated[m.Start] }, block)
	default:
		r.Replace(r.content, slices.Concat([]byte{'['}, block, []byte{']'}))
	}
}

// withoutForged returns an object without the host's keys in its _meta.
func withoutForged(block []byte) []byte {
	p := jsonedit.Patch{Source: block}
	if m := jsonedit.Member(block, "_meta"); m.End > 0 {
		p.EditObject(m.Start, ownKey)
	}
	return p.Apply()
}

func (r *rebuilding) dropForged() {
	for _, m := range r.metas {
		if !r.done[m.Start] {
			r.EditObject(m.Start, ownKey)
		}
	}
}

// result changes the outermost object: its _meta, and what was added or dropped.
func (r *rebuilding) result() {
	if r.meta.End > 0 {
		r.join(r.meta, r.ours)
	} else if len(r.ours) > 0 {
		r.adds = append(r.adds, jsonedit.Raw("_meta", jsonedit.Object(r.ours...)))
	}
	var drop func(key []byte) bool
	if r.drop {
		drop = func(key []byte) bool { return jsonspan.KeyIs(key, "structuredContent") }
	}
	if r.drop || len(r.adds) > 0 {
		r.EditObject(jsonspan.SkipBlank(r.raw, 0), drop, r.adds...)
	}
}

// metaFields spells the _meta of an answer of ours as members.
func metaFields(meta flow.AnswerMeta) []jsonedit.Field {
	raw, err := json.Marshal(meta)
	if err != nil {
		return nil
	}
	var fields []jsonedit.Field
	jsonedit.Members(raw, func(key []byte, m jsonspan.Member) bool {
		fields = append(fields, jsonedit.Raw(string(key[1:len(key)-1]), raw[m.Start:m.End]))
		return true
	})
	return fields
}
