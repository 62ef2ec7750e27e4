// Package markdown finds the headings of Markdown as byte spans.
//
// Scan reads a text once, line by line. It knows as much of CommonMark as is needed to
// distinguish a heading from a line that looks like one: fenced and indented code, HTML
// blocks, block quotes, list items, paragraphs and their lazy lines. A line <h1>...</h1>
// in an HTML block is a heading too. Headings inside quotes and list items are left out,
// because they are not headings of the document. Scan builds no tree and parses no inline
// text.
package markdown

// Span is [Start, End) in the text, in bytes.
type Span struct{ Start, End int32 }

// Heading is one ATX, setext or HTML heading of the document.
type Heading struct {
	Span       // its lines with their line ends
	Text  Span // without marks and surrounding blanks
	Level int8 // 1 to 6
	ATX   bool
}

// Fence is a block of fenced code.
type Fence struct {
	Span      // its lines with those of the marks
	Code Span // the lines between the marks
	Info Span // the text after the opening mark, usually a language
}

// Doc is the result of Scan.
type Doc struct {
	Front    Span      // front matter with its marks, empty if there is none
	Headings []Heading // in order
	Fences   []Fence   // fenced code of the document
	Plain    bool      // the headings are those of WithPlainHeadings
	Blocks   []int32   // offsets where text begins after a blank line, outside of fences and HTML
}

// maxListed is the maximal length of each list of a Doc. The rest is ignored.
const maxListed = 1 << 16

// FencedBytes returns the size of all fenced code.
func (d *Doc) FencedBytes() (n int) {
	for _, f := range d.Fences {
		n += int(f.End - f.Start)
	}
	return n
}
