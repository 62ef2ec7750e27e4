package main

import (
	"bytes"
	"io"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	cases["upper"] = upper
	cases["original"] = original
	cases["pieces"] = pieces
	cases["find"] = find
	cases["lines"] = lines
	cases["grep"] = grep
	cases["hash"] = hash
	cases["tokens"] = tokens
	cases["views"] = views
	cases["handles"] = handles
	cases["index"] = index
	cases["marks"] = marks
}

func upper(c *stage.Ctx) error {
	text := bytes.Clone(c.Input.Bytes())
	for i, b := range text {
		if 'a' <= b && b <= 'z' {
			text[i] = b - 'a' + 'A'
		}
	}
	_, err := c.Out.Write(text)
	return err
}

func original(c *stage.Ctx) error {
	if err := writeSpan(c, c.Original, 0, -1); err != nil {
		return err
	}
	if err := writeLine(c, "---"); err != nil {
		return err
	}
	return c.Out.Span(c.Input, 0, -1)
}

func pieces(c *stage.Ctx) error {
	piece := make([]byte, 4)
	for off := int64(c.Int("number", 0)); ; off += int64(len(piece)) {
		n, err := c.Input.ReadAt(piece, off)
		if n > 0 {
			if err := write(c, "["+string(piece[:n])+"]"); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func find(c *stage.Ctx) error {
	needle := c.String("text", "")
	for at := c.Input.Find(needle); at >= 0; at = c.Input.FindFrom(at+1, needle) {
		if err := writeLine(c, formatInt(at)); err != nil {
			return err
		}
	}
	return writeLine(c, "end")
}

func formatSpan(s stage.Span) string { return formatInt(s.Start) + "-" + formatInt(s.End) }

func lines(c *stage.Ctx) error {
	for s := range c.Input.Lines(c.Int("number", 0)) {
		if err := writeLine(c, formatSpan(s)); err != nil {
			return err
		}
	}
	return nil
}

func grep(c *stage.Ctx) error {
	pattern, flags, most := c.String("text", ""), stage.GrepFlags(c.Int("number", 0)), c.Int("most", 0)
	var found []stage.Span
	var err error
	if most > 0 {
		found, err = c.Input.GrepN(0, most, pattern, flags)
	} else {
		found, err = c.Input.Grep(0, pattern, flags)
	}
	if err != nil {
		return writeLine(c, formatFate(err))
	}
	for _, s := range found {
		if err := writeLine(c, formatSpan(s)); err != nil {
			return err
		}
	}
	return write(c, "")
}

func hash(c *stage.Ctx) error {
	all, some := c.Input.Hash(0, -1), c.Input.Hash(1, 2)
	return writeLine(c, encodeHex(all)+"\n"+encodeHex(some))
}

// encodeHex does not use package encoding/hex, which imports fmt.
func encodeHex(sum [32]byte) string {
	const digits = "0123456789abcdef"
	var text []byte
	for _, b := range sum {
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}

func tokens(c *stage.Ctx) error {
	return writeLine(c, formatInt(c.Input.Tokens(0, -1))+"\n"+formatInt(c.Input.Tokens(0, 4)))
}

func views(c *stage.Ctx) error {
	outer, err := c.Input.View(2, 6)
	if err != nil {
		return err
	}
	inner, err := outer.View(1, 3)
	if err != nil {
		return err
	}
	if err := writeLine(c, formatInt(inner.Len())); err != nil {
		return err
	}
	if err := writeSpan(c, inner, 0, -1); err != nil {
		return err
	}
	inner.Free()
	outer.Free()
	own, err := c.Put("own text")
	if err != nil {
		return err
	}
	if err := writeSpan(c, own, 0, 3); err != nil {
		return err
	}
	_, err = c.Input.View(0, 100_000)
	return writeLine(c, formatFate(err))
}

func handles(c *stage.Ctx) error {
	for range 3000 {
		v, err := c.Input.View(0, 1)
		if err != nil {
			return err
		}
		v.Free()
	}
	return writeLine(c, "done")
}

func index(c *stage.Ctx) error {
	if err := writeLine(c, "head"); err != nil {
		return err
	}
	if err := c.Out.Index(stage.Top, 3, 100); err != nil {
		return err
	}
	if err := writeLine(c, "tail"); err != nil {
		return err
	}
	return writeLine(c, formatFate(c.Out.Index(5, 0, 0)))
}

func marks(c *stage.Ctx) error {
	if err := write(c, "> "); err != nil {
		return err
	}
	return c.Out.Span(c.Input, 0, -1)
}
