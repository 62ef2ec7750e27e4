package result

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Rebuild returns the result with the changed parts replaced and the host's keys
// removed from every _meta that the server sent. shown holds one entry per part, or is
// nil if nothing changed. The _meta of a changed part is added to the result's _meta if
// it is the only one, otherwise to the _meta of its block.
func (l *Layout) Rebuild(shown []flow.Shown) []byte {
	changed, byStages := l.countChanged(shown)
	if changed == 0 && !MayForge(l.raw) {
		return l.raw
	}
	r := rebuild{Layout: l, patch: jsonedit.Patch{Source: l.raw}, done: make(map[int]bool)}
	for i, sh := range shown {
		if !sh.Changed {
			continue
		}
		var meta []jsonedit.Field
		switch {
		case l.parts[i].onlyFilters: // not stored, so there is nothing to refer to
		case byStages == 1:
			r.hostMeta = metaFields(sh.Meta)
		default:
			meta = metaFields(sh.Meta)
		}
		r.replacePart(l.parts[i], sh, meta)
	}
	r.removeForged()
	r.editResult()
	return r.patch.Apply()
}

// countChanged returns the number of changed parts, and how many of them stages read.
func (l *Layout) countChanged(shown []flow.Shown) (changed, byStages int) {
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

// rebuild is the state of one call of Rebuild.
type rebuild struct {
	*Layout
	patch          jsonedit.Patch
	hostMeta       []jsonedit.Field // for the _meta of the result
	done           map[int]bool     // starts of _meta objects that are edited already
	dropStructured bool
	adds           []jsonedit.Field // for the result itself
}

// replacePart replaces a part by its shown text.
func (r *rebuild) replacePart(p part, sh flow.Shown, meta []jsonedit.Field) {
	switch p.place {
	case inString:
		if p.mime.End > 0 && (p.resource || p.embedded && sh.Meta.Kind != "") {
			r.patch.Replace(p.mime, []byte(`"text/plain"`)) // an index of JSON is no JSON
		}
		r.replaceText(p, sh.Text, meta)
	case inStructured, inWrapped:
		r.replaceStructured(sh.Text, meta)
	default:
		r.replaceJSON(p, sh.Text)
	}
}

// replaceJSON replaces a JSON value. If a filter has turned it into something else than
// JSON of the same kind, it becomes a string or a text block.
func (r *rebuild) replaceJSON(p part, text []byte) {
	start := jsonspan.SkipBlank(text, 0)
	switch {
	case jsonspan.Valid(text) == nil && jsonspan.KindAt(text, start) == jsonspan.KindAt(r.raw, p.text.Start):
		r.patch.Replace(p.text, withoutForged(text))
	case p.place == inBlock:
		r.patch.Replace(p.text, textBlock(text))
	default:
		r.patch.Replace(p.text, jsonspan.AppendQuote(nil, text))
	}
}

// replaceText replaces the text of one block.
func (r *rebuild) replaceText(p part, text []byte, meta []jsonedit.Field) {
	r.patch.Replace(p.text, jsonspan.AppendQuote(nil, text))
	switch {
	case len(meta) == 0:
	case p.meta.End > 0:
		r.addMeta(p.meta, meta)
		r.done[p.meta.Start] = true
	default:
		r.patch.EditObject(p.block, nil, jsonedit.Raw("_meta", jsonedit.Object(meta...)))
	}
}

// addMeta adds the host's fields to a _meta. A _meta that is no object is replaced.
func (r *rebuild) addMeta(meta jsonspan.Member, fields []jsonedit.Field) {
	if jsonspan.KindAt(r.raw, meta.Start) == jsonspan.Object {
		r.patch.EditObject(meta.Start, isHostKey, fields...)
	} else if len(fields) > 0 {
		r.patch.Replace(meta, jsonedit.Object(fields...))
	}
}

// replaceStructured replaces structuredContent by a text block, and removes the blocks
// that repeat it.
func (r *rebuild) replaceStructured(text []byte, meta []jsonedit.Field) {
	r.dropStructured = true
	block := textBlock(text, meta...)
	switch {
	case r.content.End == 0:
		r.adds = append(r.adds, jsonedit.Raw("content", jsonedit.Array(block)))
	case jsonspan.KindAt(r.raw, r.content.Start) == jsonspan.Array:
		r.patch.EditArray(r.content.Start, func(m jsonspan.Member) bool { return r.repeated[m.Start] }, block)
	default:
		r.patch.Replace(r.content, jsonedit.Array(block))
	}
}

// withoutForged returns an object without the host's keys in its _meta.
func withoutForged(block []byte) []byte {
	p := jsonedit.Patch{Source: block}
	if m := jsonedit.Member(block, "_meta"); m.End > 0 {
		RemoveForged(&p, m.Start)
	}
	return p.Apply()
}

// removeForged removes the host's keys from the _meta of all blocks.
func (r *rebuild) removeForged() {
	for _, m := range r.metas {
		if !r.done[m.Start] {
			RemoveForged(&r.patch, m.Start)
		}
	}
}

// editResult edits the outermost object: its _meta, and members added or removed.
func (r *rebuild) editResult() {
	if r.meta.End > 0 {
		r.addMeta(r.meta, r.hostMeta)
	} else if len(r.hostMeta) > 0 {
		r.adds = append(r.adds, jsonedit.Raw("_meta", jsonedit.Object(r.hostMeta...)))
	}
	if r.dropStructured {
		r.patch.EditObject(jsonspan.SkipBlank(r.raw, 0), isStructuredContent, r.adds...)
	} else if len(r.adds) > 0 {
		r.patch.EditObject(jsonspan.SkipBlank(r.raw, 0), nil, r.adds...)
	}
}

func isStructuredContent(key []byte) bool { return jsonspan.KeyIs(key, "structuredContent") }

// metaFields returns the members of the _meta of an answer.
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
