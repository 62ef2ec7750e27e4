package narrow

import (
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

const (
	maxValue = 200 // bytes of an added value
	maxNest  = 3   // nesting of lists and unions in a schema
)

// readAdded returns the members that the LLM adds and the tool accepts, as exact text in
// the order of the schema. It reads only the open parameters in the answer.
func readAdded(answer stage.Buf, properties stage.JSON, open []parameter) []string {
	var added []string
	text := answer.String()
	for _, p := range open {
		at := stage.Pointer("add", p.name)
		span, _, err := answer.JSON().Span(at)
		if err != nil || span.Len() > maxValue {
			continue
		}
		if (checker{properties, answer.JSON()}).isValid(stage.Pointer(p.name), at, maxNest) {
			added = append(added, `"`+p.name+`":`+text[span.Start:span.End])
		}
	}
	return added
}

// checker validates values of an answer against schemas.
type checker struct{ schemas, answer stage.JSON }

// isValid reports whether a value that narrows matches a schema: a positive number, a
// string that is not empty, or a list of those. A schema without a type matches
// nothing. nest limits the nesting of the schema.
func (k checker) isValid(schema, value string, nest int) bool {
	if nest == 0 {
		return false
	}
	for _, union := range []string{"/anyOf", "/oneOf"} {
		if n, err := k.schemas.Len(schema + union); err == nil {
			return k.hasIndex(n, func(i string) bool { return k.isValid(schema+union+"/"+i, value, nest-1) })
		}
	}
	kind, err := k.answer.Kind(value)
	if err != nil || !k.isInEnum(schema, value, kind) {
		return false
	}
	switch kind {
	case stage.KindString:
		text, _ := k.answer.String(value)
		return text != "" && k.hasType(schema, "string")
	case stage.KindNumber:
		return k.isValidNumber(schema, value)
	case stage.KindArray:
		n, _ := k.answer.Len(value)
		return n > 0 && k.hasType(schema, "array") &&
			!k.hasIndex(n, func(i string) bool { return !k.isValid(schema+"/items", value+"/"+i, nest-1) })
	}
	return false
}

// hasIndex reports whether right is true for an index below n.
func (checker) hasIndex(n int, right func(i string) bool) bool {
	for i := range n {
		if right(strconv.Itoa(i)) {
			return true
		}
	}
	return false
}

// hasType reports whether a schema has one of some types, as "string" or ["string","null"].
func (k checker) hasType(schema string, types ...string) bool {
	name, err := k.schemas.String(schema + "/type")
	if err == nil && slices.Contains(types, name) {
		return true
	}
	n, _ := k.schemas.Len(schema + "/type")
	return k.hasIndex(n, func(i string) bool {
		name, _ := k.schemas.String(schema + "/type/" + i)
		return slices.Contains(types, name)
	})
}

// isInEnum reports whether a value is in the enum of a schema, or the schema has none.
func (k checker) isInEnum(schema, value string, kind stage.Kind) bool {
	n, err := k.schemas.Len(schema + "/enum")
	if err != nil {
		return true
	}
	want, _ := k.answer.String(value)
	return k.hasIndex(n, func(i string) bool {
		at := schema + "/enum/" + i
		one, _ := k.schemas.Kind(at)
		text, _ := k.schemas.String(at)
		return one == kind && text == want
	})
}

func (k checker) isValidNumber(schema, value string) bool {
	v, err := k.answer.Float(value)
	if err != nil || v <= 0 {
		return false
	}
	if _, err := k.answer.Int(value); !k.hasType(schema, "number") && (err != nil || !k.hasType(schema, "integer")) {
		return false
	}
	if least, err := k.schemas.Float(schema + "/minimum"); err == nil && v < least {
		return false
	}
	most, err := k.schemas.Float(schema + "/maximum")
	return err != nil || v <= most
}
