package proxy

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// readSectionTool is the definition of read_section. The description explains all forms
// of "section" and is far below the 2,048 characters that clients show; alwaysLoad
// keeps clients from hiding the tool in a tool search.
var readSectionTool = json.RawMessage(`{"name":"` + names.ReadSection + `",` +
	`"title":"Read a section of a stored result",` +
	`"description":"Opens parts of a result that was answered by an index: lines \"[id] title (size)\", the ref in the last one.\n` +
	`section:\n` +
	`- an id: its exact text, or its index if large\n` +
	`- a path of keys, headings or positions, listed or not: \"items/3/name\"\n` +
	`- \"?words\", \"id?words\": search everything, or below an id\n` +
	`- \"id!\", \"!\": the whole part, or everything; \"id!0-40000\": bytes of it\n` +
	`- \"\": the first index\n` +
	`Prefer one search or path over opening parts one by one.",` +
	`"inputSchema":{"type":"object","properties":{"ref":{"type":"string"},"section":{"type":"string"}},` +
	`"required":["ref"]},` +
	`"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false},` +
	`"_meta":{"anthropic/alwaysLoad":true}}`)
