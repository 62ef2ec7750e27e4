package result

import (
	"bytes"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Added blocks leave the rest of a result unchanged.
func FuzzWithBlocks(f *testing.F) {
	for _, raw := range []string{
		`{}`, `{"content":[]}`, ` { "content" : [ {"type":"image"} , {"type":"text","text":"a"} ] , "structuredContent" : {"a" : 1e400} , "x":1}`,
		`{"content":"text"}`, `{"structuredContent":null}`, `{"content":[1],"content":[2]}`, `{"structuredContent":1,"structuredContent":2}`,
		`{"isError":true,"content":[{"type":"text","text":"\ud800"}]}`,
	} {
		f.Add([]byte(raw), true)
		f.Add([]byte(raw), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, schema bool) {
		if at := jsonspan.SkipBlank(raw, 0); jsonspan.Valid(raw) != nil || jsonspan.KindAt(raw, at) != jsonspan.Object {
			return
		}
		out, unseen := WithBlocks(raw, [][]byte{[]byte("one")}, [][]byte{[]byte("two")}, schema)
		if err := jsonspan.Valid(out); err != nil {
			t.Fatalf("%s became %s: %v", raw, out, err)
		}
		content := jsonedit.Member(out, "content")
		var blocks []string
		jsonedit.Elements(out, content, func(m jsonspan.Member) { blocks = append(blocks, string(out[m.Start:m.End])) })
		if blocks[0] != string(textBlock([]byte("one"))) || blocks[len(blocks)-1] != string(textBlock([]byte("two"))) {
			t.Errorf("%s became %s", raw, out)
		}
		before, after := jsonedit.Member(raw, "structuredContent"), jsonedit.Member(out, "structuredContent")
		stays := before.End > 0 && (schema || raw[before.Start] == 'n')
		if (after.End > 0) != stays || unseen != (stays && raw[before.Start] != 'n') {
			t.Errorf("structuredContent of %s became %s, unseen %v", raw, out, unseen)
		}
		if exact := textBlock(raw[before.Start:before.End]); before.End > 0 && !stays && !bytes.Contains(out, exact) {
			t.Errorf("the exact JSON of %s is not in %s", raw, out)
		}
	})
}
