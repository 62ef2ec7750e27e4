package sectionsplit

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/detect"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// fileFields say of which file a string beside them is, mimeFields of which
// media type.
var (
	fileFields = []string{"path", "file", "filename", "filePath", "file_path", "fileName", "file_name", "name", "uri", "url", "href"}
	mimeFields = []string{"mimeType", "mime_type", "contentType", "content_type", "mediaType"}
)

const (
	maxBeside = 64   // members of an object that are asked for a clue
	maxFile   = 1024 // bytes of the longest file name or URI
)

// clue is what is known of the string at a node: what stands beside it, the key
// it has or its object has, or the file of which the text has nothing else to
// say.
func (t *tree) clue(node int32) clue {
	n := t.scan.Node(node)
	c := t.beside(node)
	if c.file == "" {
		c.file = t.fileKey(n)
	}
	if c.file == "" && n.Parent >= 0 {
		c.file = t.fileKey(t.scan.Node(n.Parent))
	}
	if c.file == "" && t.dominates(n) {
		c.file = t.hint
	}
	return c
}

// beside looks for a clue in the other members of the object.
func (t *tree) beside(node int32) (c clue) {
	parent := t.scan.Node(node).Parent
	if parent < 0 || t.scan.Node(parent).Kind != jsonscan.Object {
		return c
	}
	end := t.scan.Next(parent)
	for i, left := parent+1, maxBeside; i < end && left > 0; i, left = t.scan.Next(i), left-1 {
		n := t.scan.Node(i)
		if i == node || n.Kind != jsonscan.Text || n.Size() > maxFile {
			continue
		}
		switch key := string(t.b[n.KeyStart+1 : n.KeyEnd-1]); {
		case c.file == "" && slices.Contains(fileFields, key):
			c.file = fileName(jsonscan.Unquote(nil, t.b[n.Start:n.End], maxFile))
		case slices.Contains(mimeFields, key):
			c.mime = string(jsonscan.Unquote(nil, t.b[n.Start:n.End], maxFile))
		}
	}
	return c
}

// fileKey is the key of a member if that is a file name.
func (t *tree) fileKey(n *jsonscan.Node) string {
	if n.KeyEnd == 0 || n.KeyEnd-n.KeyStart > maxFile {
		return ""
	}
	return fileName(jsonscan.Unquote(nil, t.b[n.KeyStart:n.KeyEnd], maxFile))
}

// fileName is b if it says what type a file of that name has.
func fileName(b []byte) string {
	if name := string(b); detect.Tells(name) {
		return name
	}
	return ""
}
