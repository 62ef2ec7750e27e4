package controller

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// patchTool merges a patch into the definition of a tool. It ignores the member
// "name" of the patch, because the name identifies the tool.
func patchTool(definition, patch []byte) []byte {
	d, p := trim(definition), trim(patch)
	if jsonspan.KindAt(p, 0) != jsonspan.Object || jsonspan.KindAt(d, 0) != jsonspan.Object {
		return definition
	}
	changes := slices.DeleteFunc(lastMembers(p), func(m member) bool { return m.name == "name" })
	return mergeObject(make([]byte, 0, len(d)+len(p)), d, changes)
}

// mergePatch merges a patch into a JSON value, as defined by RFC 7396 section 2. It
// preserves the text of unchanged members: order of keys, white space, spelling of
// numbers and strings. Both values must be valid; the last of duplicate keys counts.
func mergePatch(target, patch []byte) []byte {
	return merge(make([]byte, 0, len(target)+len(patch)), trim(target), trim(patch))
}

// merge appends the merged value to dst. target and patch have no surrounding blanks.
func merge(dst, target, patch []byte) []byte {
	if jsonspan.KindAt(patch, 0) != jsonspan.Object {
		return append(dst, patch...)
	}
	if jsonspan.KindAt(target, 0) != jsonspan.Object {
		target = []byte("{}")
	}
	return mergeObject(dst, target, lastMembers(patch))
}

// member is one member of an object, with its position in the text.
type member struct {
	name       string // decoded
	start, end int    // text[start:end] is key and value
	value      int    // text[value:end] is the value
	text       []byte // the object
	overridden bool   // a later member has the same name
	merged     bool   // of a patch: the target has this member
}

func (m *member) isRemoval() bool { return jsonspan.KindAt(m.text, m.value) == jsonspan.Null }

// members returns all members of an object.
func members(object []byte) []member {
	var all []member
	last := make(map[string]int)
	jsonspan.Children(object, 0, func(m jsonspan.Member) bool {
		key := object[m.KeyStart:m.KeyEnd]
		name := string(key) // the spelling, if the key is not valid Unicode (lone surrogate)
		if text, err := jsonspan.Unquote(key); err == nil {
			name = string(text)
		}
		if i, twice := last[name]; twice {
			all[i].overridden = true
		}
		last[name] = len(all)
		all = append(all, member{name: name, start: m.KeyStart, end: m.End, value: m.Start, text: object})
		return true
	})
	return all
}

// lastMembers returns the members of a patch without overridden duplicates.
func lastMembers(patch []byte) []member {
	return slices.DeleteFunc(members(patch), func(m member) bool { return m.overridden })
}

// mergeObject appends the object target to dst, merged with changes.
func mergeObject(dst, target []byte, changes []member) []byte {
	byName := make(map[string]*member, len(changes))
	for i := range changes {
		byName[changes[i].name] = &changes[i]
	}
	dst = append(dst, '{')
	var lead []byte // blanks before the first member that is kept
	at, kept := 1, false
	for i, m := range members(target) {
		between := target[at:m.start] // with the comma
		if i == 0 {
			lead = between
		}
		at = m.end
		change := byName[m.name]
		if change != nil && (change.isRemoval() || m.overridden) {
			continue
		}
		if !kept {
			between, kept = lead, true
		}
		dst = append(append(dst, between...), target[m.start:m.value]...)
		if change == nil {
			dst = append(dst, target[m.value:m.end]...)
			continue
		}
		change.merged = true
		dst = merge(dst, target[m.value:m.end], change.text[change.value:change.end])
	}
	dst = appendNew(dst, kept, changes)
	return append(dst, target[at:]...)
}

// appendNew appends the members of a patch that the target does not have.
func appendNew(dst []byte, comma bool, changes []member) []byte {
	for i := range changes {
		c := &changes[i]
		if c.merged || c.isRemoval() {
			continue
		}
		if comma {
			dst = append(dst, ',')
		}
		dst = append(dst, c.text[c.start:c.value]...)
		dst, comma = merge(dst, nil, c.text[c.value:c.end]), true
	}
	return dst
}

// trim removes the blanks around a JSON text.
func trim(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }
