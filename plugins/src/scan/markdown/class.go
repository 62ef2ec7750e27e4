package markdown

// Blocks that a line may begin, by the first byte of its text. Most lines begin with a
// letter, so no rule has to be checked for them.
const (
	atHash  = 1 << iota // #: an ATX heading
	atUnder             // = -: the underline of a setext heading
	atRule              // * - _: a thematic break
	atFence             // ` ~: fenced code
	atItem              // - + * 0-9: a list item
	atQuote             // >: a block quote
	atTag               // <: an HTML block
	atLink              // [: a link reference definition
	atGap               // a blank, a tab, a line end: the text follows
)

// classes holds the blocks that may begin with each byte, 0 for text.
var classes = [256]uint16{
	'#': atHash, '=': atUnder, '-': atUnder | atRule | atItem, '*': atRule | atItem, '_': atRule, '+': atItem,
	'0': atItem, '1': atItem, '2': atItem, '3': atItem, '4': atItem, '5': atItem, '6': atItem, '7': atItem, '8': atItem, '9': atItem,
	'`': atFence, '~': atFence, '>': atQuote, '<': atTag, '[': atLink, ' ': atGap, '\t': atGap, '\n': atGap, '\r': atGap,
}
