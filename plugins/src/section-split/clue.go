package sectionsplit

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// fileFields are the members of an object that name the file of a sibling
// string; mimeFields name its media type.
var (
	fileFields = []string{"path", "file", "filename", "filePath", "file_path", "fileName", "file_name", "name", "uri", "url", "href"}
	mimeFields = []string{"mimeType", "mime_type", "contentType", "content_type", "mediaType"}
)

const (
	maxBeside = 64   // members of an object that are searched for a clue
	maxFile   = 1024 // bytes of the longest file name or URI
)

// findClue returns the file name and media type known for the string at a node, a
// child of t.in. Siblings come first, then the key of the string, the key of its
// parent, and for a string that is most of the text the hint of the text.
func (t *tree) findClue(node int32) clue {
	n := t.scan.Node(node)
	c := t.findSibling(node)
	if c.file == "" {
		c.file = t.fileKey(n)
	}
	if c.file == "" && t.in >= 0 {
		c.file = t.fileKey(t.scan.Node(t.in))
	}
	if c.file == "" && t.isDominant(n) {
		c.file = t.hint
	}
	return c
}

// findSibling looks for a clue in the other members of the object.
func (t *tree) findSibling(node int32) (c clue) {
	if t.in < 0 || t.scan.Node(t.in).Kind != json.Object {
		return c
	}
	end := t.scan.Next(t.in)
	for i, left := t.in+1, maxBeside; i < end && left > 0; i, left = t.scan.Next(i), left-1 {
		n := t.scan.Node(i)
		if i == node || n.Kind != json.Text || n.Size() > maxFile {
			continue
		}
		key := t.key(n)
		switch key := string(key[1 : len(key)-1]); {
		case c.file == "" && slices.Contains(fileFields, key):
			c.file = fileName(json.Unquote(nil, t.b[n.Start:n.End], maxFile))
		case slices.Contains(mimeFields, key):
			c.mime = string(json.Unquote(nil, t.b[n.Start:n.End], maxFile))
		}
	}
	return c
}

// fileKey returns the key of a member if it is a file name with a known type.
func (t *tree) fileKey(n *json.Node) string {
	key := t.key(n)
	if len(key) == 0 || len(key) > maxFile {
		return ""
	}
	return fileName(json.Unquote(nil, key, maxFile))
}

// key returns the key of a node with its quotes, empty if it has none.
func (t *tree) key(n *json.Node) []byte {
	start, end := t.scan.Key(n)
	return t.b[start:end]
}

// fileName returns b if the name determines the type of a file, otherwise "".
func fileName(b []byte) string {
	if name := string(b); detect.IsTyped(name) {
		return name
	}
	return ""
}
