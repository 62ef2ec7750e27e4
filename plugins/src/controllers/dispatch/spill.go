package dispatch

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsontext"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toolresult"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Limits of the summary of a stored result.
const (
	maxPreview = 400 // bytes
	maxKeys    = 20
	maxKey     = 60 // bytes
	maxParts   = 10
)

// handleResult answers an action call with the result of the server and an estimate of its
// tokens, or with a ref if the result is large.
func handleResult(c *controller.Ctx) error {
	if name, _ := c.Client.JSON().String("/name"); name != toolName {
		return controller.Pass
	}
	args := argument.Read(c.Client, "/arguments")
	if args.Text("action", "") != "call" {
		return controller.Pass
	}
	r, ok := toolresult.Read(c)
	if !ok {
		return controller.Pass
	}
	tokens := r.Tokens()
	size, table := r.Bytes, encodeTable(c, r, tokens)
	if table != nil {
		size = len(table)
	}
	threshold := args.Int("resultSizeThreshold", c.Int("resultSizeThreshold", 0), 0, maxThreshold)
	auto := threshold > 0 && size > threshold
	var facts jsontext.Object
	facts.Text("action", "call")
	facts.Text("tool", c.Tool())
	if file := args.Text("argumentsFile", ""); file != "" {
		facts.Raw("arguments", `{"_fromFile":`+jsontext.String(file)+`}`)
	}
	switch toFile := auto || args.Bool("resultToFile", false); {
	case !toFile && table != nil:
		return answerTable(c, r, table, facts)
	case !toFile:
		facts.Int("estimatedTokens", tokens)
		return r.Keep(formatMeta(facts))
	}
	facts.Text("resultFile", r.Parts[0].Ref)
	facts.Int("byteSize", r.Bytes)
	facts.Int("estimatedTokens", tokens)
	why := "Result stored"
	if auto {
		facts.Raw("autoSpilled", "true")
		why = "Result auto-spilled, over " + strconv.Itoa(threshold) + " bytes"
	}
	text, err := formatStored(c, r, why, tokens)
	if err != nil {
		return err
	}
	return r.Replace(text, formatMeta(facts), 0)
}

func formatMeta(facts jsontext.Object) string { return `"` + toolName + `":` + facts.String() }

// formatStored returns the text that replaces a stored result.
func formatStored(c *controller.Ctx, r toolresult.Result, why string, tokens int) (string, error) {
	var b strings.Builder
	b.WriteString(why + ": resultFile " + r.Parts[0].Ref + "\n")
	b.WriteString("Size: " + strconv.Itoa(r.Bytes) + " bytes (est. " + strconv.Itoa(tokens) + " tokens)\n")
	for i, part := range r.Parts {
		if len(r.Parts) == 1 {
			break
		}
		if i == maxParts {
			b.WriteString("... " + strconv.Itoa(len(r.Parts)-i) + " parts more\n")
			break
		}
		b.WriteString("Part " + strconv.Itoa(i+1) + ": resultFile " + part.Ref + ", " + strconv.Itoa(part.Bytes) + " bytes\n")
	}
	content, err := c.OpenContent(r.Parts[0].Ref)
	if err != nil {
		return "", err
	}
	defer content.Free()
	b.WriteString(describeShape(content))
	head := make([]byte, min(content.Len(), 2*maxPreview))
	if _, err := content.ReadAt(head, 0); err != nil {
		return "", err
	}
	b.WriteString("Preview: " + caption.Of(head, maxPreview) + "\n")
	b.WriteString(`Read it by action readresult: op stat, head, tail, slice, grep, read; or pass it on as argumentsFile.`)
	return b.String(), nil
}

// describeShape describes the top level of a JSON value.
func describeShape(content stage.Buf) string {
	j := content.JSON()
	kind, err := j.Kind("")
	if err != nil {
		return ""
	}
	switch kind {
	case stage.KindArray:
		n, _ := j.Len("")
		return "Array of " + strconv.Itoa(n) + " elements\n"
	case stage.KindObject:
		return "Top-level keys: " + strings.Join(listKeys(content), ", ") + "\n"
	}
	return ""
}

func listKeys(content stage.Buf) (list []string) {
	for i, child := range content.JSON().Each("") {
		if i == maxKeys {
			n, _ := content.JSON().Len("")
			return append(list, strconv.Itoa(n-i)+" more")
		}
		literal := make([]byte, min(child.Key.Len(), 4*maxKey))
		_, _ = content.ReadAt(literal, int64(child.Key.Start))
		list = append(list, caption.Of(json.Unquote(nil, literal, 2*maxKey), maxKey))
	}
	return list
}
