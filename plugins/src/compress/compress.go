// Package compress shortens content without an LLM and without losing a fact.
//
// It applies rules by type: the white space of JSON and XML, the markup of HTML, quotes and
// constant columns of tables, members that all records share, repeated records of a log, and
// decoration of Markdown are removed or stated once. Lines with a duty stay word for word. If
// configured, an LLM shortens prose further in the background, and until then the answer is the
// text after the rules. The original stays readable with its ref.
//
// It does not touch YAML, code and diffs, and it does not shorten sentences.
package compress

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("compress", run) }

func run(c *stage.Ctx) error {
	b := c.Input.Bytes()
	found := detect.Detect(b, detect.Options{Hint: c.Hint(), MIME: c.MIME()})
	var out []byte
	ok, prose := true, false
	switch found.Type {
	case detect.JSONArray, detect.JSONObject:
		out = removeWhiteSpace(b)
	case detect.NDJSON:
		out, ok = compactRecords(b)
	case detect.Log:
		out = compactLog(b)
	case detect.HTML:
		out = readable(b)
	case detect.XML:
		out, ok = compactXML(b)
	case detect.CSV:
		out, ok = compactCSV(b)
	case detect.Markdown, detect.Mixed, detect.Prose:
		prose = true
		r := rules{keepHeaders: c.Bool("keepHeaders", true), minLength: c.Int("minLineLength", 0)}
		out = r.apply(b)
	default:
		return stage.Pass
	}
	if prose && c.Bool("rewrite", false) {
		if text, ok := askLLM(c); ok {
			_, err := c.Out.WriteString(text)
			return err
		}
	}
	if !ok || !pays(len(out), len(b)) {
		return stage.Pass
	}
	_, err := c.Out.Write(out)
	return err
}

// pays reports whether the saving is worth the line that names the original.
func pays(after, before int) bool { return before-after >= 200 && after*10 <= before*9 }

// Bounds of the text that an LLM is asked to shorten, so that its answer is not cut.
const (
	minTokens = 400
	maxTokens = 6000
)

const instructions = "You shorten a text without losing a fact that somebody could need to act: leave out filler, repetition, greetings and marketing. " +
	"Keep headings, names, numbers, links, code and commands as they are, and the order. " +
	"Repeat each statement with MUST, REQUIRED or NEVER word for word. Invent nothing. Use the language of the text. Answer with the text only."

// askLLM returns the text of an LLM if it has answered already.
func askLLM(c *stage.Ctx) (text string, ok bool) {
	tokens := c.Input.Tokens(0, -1)
	if tokens < minTokens || tokens > maxTokens || c.LLM.Available(stage.Fast) == 0 {
		return "", false
	}
	answer, err := c.LLM.Send(stage.Request{Tier: stage.Fast, MaxTokens: tokens, System: instructions + rewrite.Data,
		Parts: []stage.Text{stage.Quote(c.Input, 0, -1)}, Background: true})
	if err != nil || !answer.Settled() {
		return "", false
	}
	b, err := answer.Result()
	if err != nil {
		return "", false // includes truncated answers
	}
	text = strings.TrimSpace(b.String())
	text = rewrite.AddMarks("Shortened by a language model from "+strconv.Itoa(c.Original.Len())+" bytes", text) + rewrite.MissingDuties(c, text, c.Input.Len())
	return text, pays(len(text), c.Input.Len())
}
