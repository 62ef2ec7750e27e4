package sectionsplit

import (
	"fmt"
	"strings"
	"testing"
)

// places returns a JSON array of n objects.
func places(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`{"n":%d,"at":"place %d","note":%q}`, i, i, strings.Repeat("word ", 100)))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// TestHeaderDescribesFields checks the header above an index whose lines are elements, or
// parts of a value that is most of the text.
func TestHeaderDescribesFields(t *testing.T) {
	fields := func(n int) string {
		return fmt.Sprintf("fields: n int 0..%d | at text unique | note text\n", n-1)
	}
	array := places(20)
	for _, c := range []struct{ rule, text, config, want string }{
		{"an array of few elements", array, `{}`, fields(20)},
		{"records", strings.ReplaceAll(array[1:len(array)-1], "},{", "}\n{"), `{}`, fields(20)},
		{"lines for all elements", places(60), `{"maxLines":1000}`, fields(60)},
		{"few elements need no description", places(7) + strings.Repeat("\n", 3000), `{}`, ""},
		{"most of an object", `{"total":20,"hits":` + array + `}`, `{}`, "hits: 20 objects, " + fields(20)},
		{"less of an object", `{"total":20,"hits":` + array + `,"more":` + places(30) + `,"text":"` + strings.Repeat("word ", 2000) + `"}`, `{}`, ""},
		{"JSON with a trailing remark", array + "\nShowing 20 of 7698.\n", `{}`, fmt.Sprintf("json-array, 20 objects, %d bytes\n", len(array)) + fields(20)},
		{"most of an object with a trailing remark", `{"hits":` + array + "}\nShowing 20 of 7698.\n", `{}`,
			fmt.Sprintf("json-object, 1 key, %d bytes\nhits: 20 objects, ", len(array)+len(`{"hits":}`)) + fields(20)},
		{"a string", quoted(array), `{}`, fields(20)},
		{"a string in an object", `{"text":` + quoted(`{"hits":`+array+`}`) + `}`, `{}`,
			fmt.Sprintf("json-object, 1 key, %d bytes\nhits: 20 objects, ", len(array)+len(`{"hits":}`)) + fields(20)},
	} {
		r := run1(c.text, c.config)
		checkLaws(t, c.rule, c.text, r)
		if _, header, _ := strings.Cut(r.Output, "\n"); header != c.want {
			t.Errorf("%s: header\n%swant\n%s", c.rule, header, c.want)
		}
	}
}
