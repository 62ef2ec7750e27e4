package proxy

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// readSectionText is the definition of read_section. The description explains all forms
// of "section" and is far below the 2,048 characters that clients show; alwaysLoad
// keeps clients from hiding the tool in a tool search.
const readSectionText = `{"name":"` + names.ReadSection + `",` +
	`"title":"Read a section of a stored result",` +
	`"description":"Opens parts of a result that was answered by an index: lines \"[id] title (size)\", the ref in the last one.\n` +
	`section:\n` +
	`- an id: its exact text, or its index if large\n` +
	`- a path of keys, headings or positions, listed or not: \"items/3/name\"\n` +
	`- \"?words\", \"id?words\": search everything, or below an id\n` +
	`- \"id!\", \"!\": the whole part, or everything; \"id!0-40000\": bytes of it\n` +
	`- \"\": the first index\n` +
	`Prefer one search or path over opening parts one by one.` + questionMark + `",` +
	`"inputSchema":{"type":"object","properties":{"ref":{"type":"string"},"section":{"type":"string"}},` +
	`"required":["ref"]},` +
	`"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false},` +
	`"_meta":{"anthropic/alwaysLoad":true}}`

// questionMark is the place of questionText in readSectionText.
const questionMark = "\x00"

// questionText describes the argument _question. It is shown only where a stage reads it.
const questionText = `\nAny tool also takes \"` + questionArg + `\", a text: what you want to know. Its result then begins with the parts about it.`

// The definitions of read_section, without and with the description of _question.
var (
	readSectionTool         = json.RawMessage(strings.Replace(readSectionText, questionMark, "", 1))
	readSectionQuestionTool = json.RawMessage(strings.Replace(readSectionText, questionMark, questionText, 1))
)
