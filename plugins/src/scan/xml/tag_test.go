package xml

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Attributes are data too: a long start tag is a part of its element, and the
// attributes of a tag that is as long as a leaf are parts of the tag.
func TestStartTags(t *testing.T) {
	long := strings.Repeat("v", 100)
	huge := strings.Repeat("w", 1000)
	for _, c := range []struct{ rule, text, want string }{
		{"a short tag is structure", `<a b="1"><c/></a>`, `
a | b=1: c
 c | c`},
		{"a long tag is the first part", `<a id="1" ` + "\n" + ` b="` + long + `"><c/></a>`, `
a | id=1 b=vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv...: c
 #tag | <a id="1" b="vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv...
 c | c`},
		{"a tag with several attributes", `<a id="Header" transform="translate(0.000000, 48.000000)"><c/></a>`, `
a | id=Header transform=translate(0.000000, 48.000000): c
 #tag | <a id="Header" transform="translate(0.000000, 48.000000)">
 c | c`},
		{"a tag with one attribute", `<a transform="translate(0.000000, 48.000000)translate(0.000000, 48.000000)"><c/></a>`, `
a | transform=translate(0.000000, 48.000000)transla...: c
 c | c`},
		{"a long tag before text", `<a b="` + long + `">text<c/></a>`, `
a | b=vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv...: c
 #tag | <a b="vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv...
 #text | text
 c | c`},
		{"namespaces do not count", `<a xmlns:x="` + long + `" x:schemaLocation="` + long + `"><c/></a>`, `
a | x:schemaLocation=vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv...: c
 c | c`},
		{"an element without other parts", `<a b="` + long + `">text</a>`, `
a | b=vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv...: text`},
		{"attributes of a very long tag", `<a x:b="` + huge + `" c='&quot;' d="" />`, `
a | x:b=wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww... c=" d=
 #tag | <a x:b="wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww...
  x:b | wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww...
  c | &quot;
  d | empty`},
		{"a very long tag before text", `<a b="` + huge + `" >text</a>`, `
a | b=wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww...: text
 #tag | <a b="wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww...
  b | wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww...
 #text | text`},
		{"the tag of a key is not its text", `<key b="` + long + `"><c/></key>`, `
key | b=vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv...: c
 #tag | <key b="vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv...
 c | c`},
	} {
		tested.Names(t, c.rule, c.text, part.Clues{}, c.want)
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		`<?xml version="1.0"?>` + "\n<a b='1'/>": `<?xml version="1.0"?>|root: a b=1`, "\ufeff<?xml version='1.0' ?><a/>": "<?xml version='1.0' ?>",
		"<?xml-stylesheet?><a/>": "", "<?xml \n?><a/>": "", "<?xml " + strings.Repeat(" ", maxLine) + "?><a/>": "", "<a b='1'/>": "root: a b=1",
	} {
		d, ok := Scan([]byte(text), part.Clues{})
		if !ok || strings.Join(d.Lines, "|") != want {
			t.Errorf("%q: %t %q, want %q", text, ok, d.Lines, want)
		}
	}
}
