// Package xml names the elements of XML, groups the children of large elements, and
// describes the fields that children have in common. Package syntax finds them.
package xml

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

// Hints are the extensions and media types of XML.
const Hints = "xml svg xsd xsl xslt rss atom wsdl xaml plist opml gpx kml csproj vbproj fsproj props targets application/xml text/xml image/svg+xml"

// Scan is the part.Scan of XML. If forced it accepts a text with unbalanced tags.
//
// A file with an extension of XML, or a text with a declaration, may have a few errors.
//
// It refuses XHTML unless forced: XHTML is well-formed, but readers want it as HTML.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	found, ok := syntax.Parse(b, c.Forced)
	if !ok && (part.HasExtension(c.File, Hints) || declaration(b) != nil) {
		found, ok = parseNearly(b)
	}
	if !ok || !c.Forced && bytes.EqualFold(syntax.TagName(b, found.Root), []byte("html")) {
		return nil, false
	}
	found.MarkWide()
	n := newNamer(found)
	grouped := groupChildren(n, found.Wide, c.GroupBy)
	doc := &part.Doc{Count: caption.Count(found.Elements, "element"), Parts: n.Parts, Name: n.name, Grouped: grouped}
	doc.Lines = declaration(b)
	if line := rootLine(b, found.Root); line != "" {
		doc.Lines = append(doc.Lines, line)
	}
	if n.described = n.mainElement(); n.described >= 0 {
		if line := fieldsLine(&n.tree, n.described); line != "" {
			doc.Lines = append(doc.Lines, line)
		}
	}
	return doc, true
}

// elementsPerError is the number of elements for each error in a text that is nearly XML.
const elementsPerError = 50

// parseNearly parses a text that begins with markup and has few errors, such as a "<" in its text or an end tag
// that is missing. A text outside of all elements is that of another type.
func parseNearly(b []byte) (*syntax.Tree, bool) {
	at := syntax.SkipSpace(b, len(b)-len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))))
	if at == len(b) || b[at] != '<' {
		return nil, false
	}
	found, ok := syntax.Parse(b, true)
	return found, ok && !found.Outside && found.Errors*elementsPerError <= found.Elements
}

// maxLine is the size in bytes of a line above the index.
const maxLine = 200

// declaration returns the XML declaration of a text as a line, because it is in no
// part.
func declaration(b []byte) []string {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	end := bytes.Index(b[:min(len(b), maxLine)], []byte("?>")) + len("?>")
	if !bytes.HasPrefix(b, []byte("<?xml ")) || end < len("<?xml ") || bytes.ContainsAny(b[:end], "\r\n") {
		return nil
	}
	return []string{string(b[:end])}
}

// rootLine returns a line with the attributes of the root at b[root], because the
// index lists only its children.
func rootLine(b []byte, root int) string {
	line := caption.Append([]byte("root: "), syntax.TagName(b, root), maxShown)
	start := len(line)
	for a := syntax.AttributesAt(b, root); len(line) <= maxLine && a.Next(); {
		if syntax.IsInformative(a.Name) {
			line = appendAttribute(append(line, ' '), a)
		}
	}
	if len(line) == start {
		return ""
	}
	return string(caption.Cut(line, 0, maxLine))
}
