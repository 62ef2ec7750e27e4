package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
	hostprompt "github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// emptyBody is the end of the manifest of a prompt without text: object.EncodeJSON prints the
// text last.
var emptyBody = []byte(`"content":""}}`)

// splitBody fills in the columns of a prompt: its text is a blob of its own, so that an index
// of prompts is read without their texts.
func splitBody(row *query.PutObjectParams, o object.Object) (body []byte, err error) {
	row.Chapters = "[]"
	switch p := o.(type) {
	case *object.Prompt:
		row.Priority, row.Summary, row.LinkTarget = int64(p.Spec.Priority), withoutNUL(p.Spec.Summary), withoutNUL(p.Spec.LinkTarget)
		chapters, err := json.Marshal(p.Spec.Chapters)
		if err != nil {
			return nil, err
		}
		if p.Spec.Chapters != nil {
			row.Chapters = string(chapters)
		}
		if p.Spec.LinkTarget != "" {
			break
		}
		if err := addOutline(row, p.Spec.Content); err != nil {
			return nil, err
		}
		head := *p
		head.Spec.Content = ""
		return []byte(p.Spec.Content), encodeHead(row, &head)
	case *object.PromptRequest:
		row.Priority = int64(p.Spec.Priority)
		head := *p
		head.Spec.Content = ""
		return []byte(p.Spec.Content), encodeHead(row, &head)
	}
	manifest, err := object.EncodeJSON(o)
	row.Manifest = string(manifest)
	return nil, err
}

// withoutNUL returns a text that PostgreSQL can store. The manifest has the exact one, in
// which JSON escapes a NUL.
func withoutNUL(s string) string { return strings.ReplaceAll(s, "\x00", "\ufffd") }

// addOutline derives a missing summary and missing chapters from the text, for the prompt
// index. The manifest is not changed.
func addOutline(row *query.PutObjectParams, text string) error {
	if row.Summary != "" && row.Chapters != "[]" {
		return nil
	}
	o := hostprompt.OutlineOf(text)
	row.Summary = cmp.Or(row.Summary, o.Summary)
	if row.Chapters == "[]" && o.Chapters != nil {
		chapters, err := json.Marshal(o.Chapters)
		row.Chapters = string(chapters)
		return err
	}
	return nil
}

func encodeHead(row *query.PutObjectParams, head object.Object) error {
	manifest, err := object.EncodeJSON(head)
	if err == nil && !bytes.HasSuffix(manifest, emptyBody) {
		err = fmt.Errorf("store: manifest of %s does not end with its text", head.Key())
	}
	row.Manifest = string(manifest)
	return err
}

// joinBody returns a manifest with its text.
func joinBody(manifest, body []byte) ([]byte, error) {
	head, ok := bytes.CutSuffix(manifest, emptyBody)
	if !ok {
		return nil, fmt.Errorf("store: a manifest does not end with its text")
	}
	var text bytes.Buffer
	text.Write(head)
	text.WriteString(`"content":`)
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(string(body)); err != nil {
		return nil, err
	}
	return append(bytes.TrimRight(text.Bytes(), "\n"), "}}"...), nil
}

// checkSize returns an error for an object whose text is larger in the store or in a backup
// than a file can be, because of indentation and escapes: it could not be read again.
func checkSize(o object.Object) *strictyaml.FieldError {
	const limit = strictyaml.MaxFileBytes - 1024 // a backup adds a line
	text, err := object.EncodeJSON(o)
	size := len(text)
	if size > limit/8 { // otherwise the YAML is smaller too
		size = max(size, len(object.EncodeYAML(o)))
	}
	if err == nil && size <= limit {
		return nil
	}
	return o.Errorf(o.At(), "", "has %d bytes with indentation and escapes, limit %d", size, limit)
}
