package html

import (
	"encoding/binary"
	"strings"
)

// tagInfo describes a tag.
type tagInfo uint16

const (
	known    tagInfo = 1 << iota
	void             // has no end tag
	optional         // its end tag is optional
	block            // begins a part between headings
	item             // begins a part of a holder
	holder           // contains items
	raw              // contains no tags
	heading
	root // begins only a page
	sure // rare in other formats
	wrap // a block that often contains only other blocks
)

var tagLists = []struct {
	info  tagInfo
	names string
}{
	{known | void | sure, "br img input"},
	{known | void, "area base col embed link meta param source track wbr basefont"},
	{known | void | block, "hr"},
	{known | root | optional, "html head body"},
	{known | optional | block | sure, "p"},
	{known | optional | item | sure, "li"},
	{known | optional | item, "dt dd tr"},
	{known | optional | sure, "td"},
	{known | optional, "th thead tbody tfoot colgroup option optgroup rp rt"},
	{known | holder | block | sure, "ul ol"},
	{known | holder | block, "table dl menu"},
	{known | raw | block | sure, "script"},
	{known | raw | block, "style textarea xmp"},
	{known | raw, "title"},
	{known | heading | sure, "h1 h2 h3 h4 h5 h6"},
	{known | block | wrap | sure, "div"},
	{known | sure, "span strong"},
	{known | block | wrap, "article aside center details dialog fieldset footer form header main nav section search"},
	{known | block, "address blockquote figure iframe noscript pre template video audio object hgroup frameset noframes"},
	{known, "a abbr acronym applet b bdi bdo big button canvas caption cite code data datalist del dfn dir em figcaption font frame i ins kbd " +
		"label legend map mark meter nobr output picture progress q ruby s samp select slot small strike sub summary sup svg time tt u var " +
		"path g rect circle line polyline polygon ellipse text tspan use defs symbol math image"},
}

// tableSize is a power of two, several times the number of tags.
const tableSize = 1024

// tags is a hash table of the known tags by the keys of their names.
var tags = func() (t [tableSize]struct {
	key  uint64
	info tagInfo
}) {
	for _, list := range tagLists {
		for name := range strings.FieldsSeq(list.names) {
			k := key([]byte(name))
			i := slot(k)
			for t[i].key != 0 {
				i = (i + 1) % tableSize
			}
			t[i].key, t[i].info = k, list.info
		}
	}
	return t
}()

// key returns a name in lower case as a number: its length and first seven bytes, which
// differ for all known names.
func key(name []byte) uint64 {
	n := min(len(name), 7)
	var first uint64
	if cap(name) >= 8 { // the text has eight bytes here
		first = binary.LittleEndian.Uint64(name[:8])
	} else {
		for i, c := range name[:n] {
			first |= uint64(c) << (8 * i)
		}
	}
	const small = 0x2020202020202020 // changes no digits and no signs except "_"
	return uint64(len(name)&0xff)<<56 | (first|small)&(1<<(8*n)-1)
}

func slot(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 54 }

// infoOf returns the description of the tag with this key, 0 if it is not known.
func infoOf(key uint64) tagInfo {
	for i := slot(key); tags[i].key != 0; i = (i + 1) % tableSize {
		if tags[i].key == key {
			return tags[i].info
		}
	}
	return 0
}
