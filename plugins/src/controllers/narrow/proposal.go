package narrow

import (
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

const (
	maxValue = 200 // bytes of a value that is added
	maxNest  = 3   // of lists and choices in a schema
)

// addedBy are the members that the LLM adds and the tool takes, as exact text, in the
// order of the schema. The answer is asked for the open parameters, so anything else in
// it is not even read.
func addedBy(answer stage.Buf, properties stage.JSON, open []parameter) []string {
	var added []string
	text := answer.String()
	for _, p := range open {
		at := stage.Pointer("add", p.name)
		span, _, err := answer.JSON().Span(at)
		if err != nil || span.Len() > maxValue {
			continue
		}
		if (check{properties, answer.JSON()}).fits(stage.Pointer(p.name), at, maxNest) {
			added = append(added, `"`+p.name+`":`+text[span.Start:span.End])
		}
	}
	return added
}

// check holds values of an answer against schemas.
type check struct{ schemas, answer stage.JSON }

// fits tells whether a value is one of a schema, as far as a value that narrows goes: a
// positive number, a text, or a list of those. A schema that does not say what it takes
// takes nothing. nest bounds how deep a schema is followed.
func (k check) fits(schema, value string, nest int) bool {
	if nest == 0 {
		return false
	}
	for _, union := range []string{"/anyOf", "/oneOf"} {
		if n, err := k.schemas.Len(schema + union); err == nil {
			return k.some(n, func(i string) bool { return k.fits(schema+union+"/"+i, value, nest-1) })
		}
	}
	kind, err := k.answer.Kind(value)
	if err != nil || !k.listed(schema, value, kind) {
		return false
	}
	switch kind {
	case stage.KindString:
		text, _ := k.answer.String(value)
		return text != "" && k.isType(schema, "string")
	case stage.KindNumber:
		return k.fitsNumber(schema, value)
	case stage.KindArray:
		n, _ := k.answer.Len(value)
		return n > 0 && k.isType(schema, "array") &&
			!k.some(n, func(i string) bool { return !k.fits(schema+"/items", value+"/"+i, nest-1) })
	}
	return false
}

// some asks about the positions of a list until one is right.
func (check) some(n int, right func(i string) bool) bool {
	for i := range n {
		if right(strconv.Itoa(i)) {
			return true
		}
	}
	return false
}

// isType tells whether a schema takes one of some types: "string", or ["string","null"].
func (k check) isType(schema string, types ...string) bool {
	said, err := k.schemas.String(schema + "/type")
	if err == nil && slices.Contains(types, said) {
		return true
	}
	n, _ := k.schemas.Len(schema + "/type")
	return k.some(n, func(i string) bool {
		said, _ := k.schemas.String(schema + "/type/" + i)
		return slices.Contains(types, said)
	})
}

// listed tells whether a value is in the enum of a schema, if that has one.
func (k check) listed(schema, value string, kind stage.Kind) bool {
	n, err := k.schemas.Len(schema + "/enum")
	if err != nil {
		return true
	}
	want, _ := k.answer.String(value)
	return k.some(n, func(i string) bool {
		at := schema + "/enum/" + i
		one, _ := k.schemas.Kind(at)
		text, _ := k.schemas.String(at)
		return one == kind && text == want
	})
}

func (k check) fitsNumber(schema, value string) bool {
	v, err := k.answer.Float(value)
	if err != nil || v <= 0 {
		return false
	}
	if _, err := k.answer.Int(value); !k.isType(schema, "number") && (err != nil || !k.isType(schema, "integer")) {
		return false
	}
	if least, err := k.schemas.Float(schema + "/minimum"); err == nil && v < least {
		return false
	}
	most, err := k.schemas.Float(schema + "/maximum")
	return err != nil || v <= most
}
