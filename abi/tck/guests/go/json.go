package main

import "github.com/mcpctl/mcpctl/sdk-go/stage"

func init() {
	cases["json"] = values
	cases["children"] = children
	cases["numbers"] = numbers
	cases["pointer"] = func(c *stage.Ctx) error { return writeLine(c, stage.Pointer(c.Strings("list")...)) }
}

func values(c *stage.Ctx) error {
	j := c.Input.JSON()
	if err := writeLine(c, formatBool(j.Valid())); err != nil {
		return err
	}
	for _, pointer := range c.Strings("list") {
		if err := writeLine(c, describeValue(j, pointer)); err != nil {
			return err
		}
	}
	return nil
}

// describeValue describes the value at a pointer.
func describeValue(j stage.JSON, pointer string) string {
	kind, err := j.Kind(pointer)
	if err != nil {
		return pointer + " " + formatFate(err)
	}
	at, same, err := j.Span(pointer)
	if err != nil || same != kind {
		return pointer + " " + formatFate(err)
	}
	text, err := j.String(pointer)
	if err != nil {
		return pointer + " " + formatFate(err)
	}
	return pointer + " " + kind.String() + " " + formatSpan(at) + " " + text
}

func children(c *stage.Ctx) error {
	j, pointer := c.Input.JSON(), c.String("text", "")
	n, err := j.Len(pointer)
	if err != nil {
		return writeLine(c, formatFate(err))
	}
	if err := writeLine(c, formatInt(n)); err != nil {
		return err
	}
	for i, child := range j.Each(pointer) {
		key := "-"
		if child.Key.Len() > 0 {
			name, err := j.Text(child.Key)
			if err != nil {
				return err
			}
			key = name.String()
		}
		if err := write(c, formatInt(i)+" "+key+" "); err != nil {
			return err
		}
		if err := writeSpan(c, c.Input, child.Value.Start, child.Value.Len()); err != nil {
			return err
		}
	}
	return nil
}

func numbers(c *stage.Ctx) error {
	j := c.Input.JSON()
	for _, pointer := range c.Strings("list") {
		whole, real := "", ""
		if v, err := j.Int(pointer); err != nil {
			whole = formatFate(err)
		} else {
			whole = formatInt(int(v))
		}
		if v, err := j.Float(pointer); err != nil {
			real = formatFate(err)
		} else {
			real = formatThousandths(v)
		}
		if err := writeLine(c, pointer, whole, real); err != nil {
			return err
		}
	}
	return nil
}
