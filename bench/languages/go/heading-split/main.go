// Command heading-split adds a Section for each heading of Markdown with the text below
// it, and marks an index. The guest copies only the line of each heading.
package main

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("heading-split", split) }

func main() {}

func split(c *stage.Ctx) error {
	length, found := c.Input.Len(), false
	line := make([]byte, 256)
	for at := 0; at < length; {
		n, err := c.Input.ReadAt(line, int64(at))
		if err != nil && err != io.EOF {
			return err
		}
		end := c.Input.FindFrom(at, "\n#") + 1
		if end == 0 {
			end = length
		}
		if title, ok := heading(line[:n]); ok {
			if _, err := c.Sections.Add(stage.Top, c.Input, at, end, string(title)); err != nil {
				return err
			}
			found = true
		}
		at = end
	}
	if !found {
		return stage.Pass
	}
	return c.Out.Index(stage.Top, 0, 0)
}

// heading returns the title of a line that is a heading.
func heading(line []byte) ([]byte, bool) {
	level := 0
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level < 1 || level > 6 || level == len(line) || line[level] != ' ' {
		return nil, false
	}
	title := line[level+1:]
	if end := bytes.IndexByte(title, '\n'); end >= 0 {
		return title[:end], true
	}
	if len(line) == cap(line) { // cut, possibly in a character
		title = bytes.TrimRightFunc(title, func(r rune) bool { return r >= utf8.RuneSelf })
	}
	return title, true
}
