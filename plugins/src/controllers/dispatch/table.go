package dispatch

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsontext"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toolresult"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toon"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// maxTable is the size limit in bytes of a result that is converted to TOON.
const maxTable = 1 << 20

// encodeTable returns a result in TOON, or nil if that is disabled, impossible or takes
// no fewer tokens.
func encodeTable(c *controller.Ctx, r toolresult.Result, tokens int) []byte {
	if !c.Bool("toon", false) || len(r.Parts) != 1 || r.Bytes > maxTable {
		return nil
	}
	b, err := c.OpenContent(r.Parts[0].Ref)
	if err != nil || !b.JSON().Valid() {
		return nil
	}
	defer b.Free()
	table, ok := toon.Encode(b.Bytes())
	if !ok {
		return nil
	}
	text, err := c.Put(string(table))
	if err != nil || text.Tokens(0, -1) >= tokens {
		return nil
	}
	return table
}

// answerTable answers with a result in TOON and a note with the ref of the JSON.
func answerTable(c *controller.Ctx, r toolresult.Result, table []byte, facts jsontext.Object) error {
	text, err := c.Put(string(table))
	if err != nil {
		return err
	}
	facts.Text("format", "toon")
	facts.Text("resultFile", r.Parts[0].Ref)
	facts.Int("estimatedTokens", text.Tokens(0, -1))
	if err := r.Replace(string(table), formatMeta(facts), controller.Stages); err != nil {
		return err
	}
	note, err := c.After()
	if err != nil {
		return err
	}
	_, err = note.WriteString("in TOON: [records]{fields}, then a line each; the JSON is resultFile " + r.Parts[0].Ref)
	return err
}
