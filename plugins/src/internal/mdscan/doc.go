// Package mdscan finds the headings of Markdown as byte spans.
//
// Scan reads a text once, line by line, and knows as much of CommonMark as it
// takes to tell a heading from a line that looks like one: fenced and indented
// code, HTML blocks, block quotes, list items, paragraphs and their lazy lines.
// Headings inside quotes and list items are not the document's and are left
// out. It builds no tree and parses no inline text.
package mdscan

// Span is [Start, End) in the text, in bytes.
type Span struct{ Start, End int32 }

// Heading is one ATX or setext heading of the document.
type Heading struct {
	Span       // its lines, line ends included
	Text  Span // what it says, without marks and blanks
	Level int8 // 1 to 6
	ATX   bool
}

// Fence is a block of fenced code.
type Fence struct {
	Span      // its lines, those of the marks included
	Code Span // what stands between the marks
	Info Span // what the opening mark is followed by, mostly a language
}

// Doc is what Scan found.
type Doc struct {
	Front    Span      // front matter with its marks, empty if there is none
	Headings []Heading // in order
	Fences   []Fence   // fenced code of the document
	Plain    bool      // headings are those of WithPlain
	Blocks   []int32   // where text begins after a blank line, outside fences and HTML
}

// maxFound bounds each list of a Doc: a text of more is a text of that many.
const maxFound = 1 << 16

// FencedBytes is the size of all fenced code.
func (d *Doc) FencedBytes() (n int) {
	for _, f := range d.Fences {
		n += int(f.End - f.Start)
	}
	return n
}
