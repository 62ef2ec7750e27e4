package main

import (
	"bytes"

	"github.com/mcpctl/mcpctl/abi"
)

// The stages as native Go functions with the same result.

// headingSplit adds a Section for each heading of Markdown with the text below it. The
// host makes the index in all cases.
func headingSplit(text []byte) abi.Tree {
	var tree abi.Tree
	for at := 0; at < len(text); {
		end := len(text)
		if next := bytes.Index(text[at:], []byte("\n#")); next >= 0 {
			end = at + next + 1
		}
		if title, ok := heading(text[at:end]); ok {
			tree.Sections = append(tree.Sections, abi.Section{Parent: -1, Kind: abi.SectionExact, Start: at, End: end, Title: string(title)})
		}
		at = end
	}
	tree.Settle(0) // unique ids from titles
	return tree
}

// heading returns the title if the first line of a text is a heading.
func heading(text []byte) ([]byte, bool) {
	level := 0
	for level < len(text) && text[level] == '#' {
		level++
	}
	if level < 1 || level > 6 || level == len(text) || text[level] != ' ' {
		return nil, false
	}
	title := text[level+1:]
	if end := bytes.IndexByte(title, '\n'); end >= 0 {
		title = title[:end]
	}
	return title, true
}

// upperCase returns the content in upper case.
func upperCase(text []byte) []byte {
	upper := bytes.Clone(text)
	for i, b := range upper {
		if b-'a' < 26 {
			upper[i] = b - ('a' - 'A')
		}
	}
	return upper
}
