package main

import "github.com/mcpctl/mcpctl/sdk-go/stage"

func init() {
	cases["json"] = values
	cases["children"] = children
	cases["numbers"] = numbers
	cases["pointer"] = func(c *stage.Ctx) error { return line(c, stage.Pointer(c.Strings("list")...)) }
}

func values(c *stage.Ctx) error {
	j := c.Input.JSON()
	if err := line(c, yes(j.Valid())); err != nil {
		return err
	}
	for _, pointer := range c.Strings("list") {
		if err := line(c, value(j, pointer)); err != nil {
			return err
		}
	}
	return nil
}

// value describes the value at a pointer.
func value(j stage.JSON, pointer string) string {
	kind, err := j.Kind(pointer)
	if err != nil {
		return pointer + " " + fate(err)
	}
	at, same, err := j.Span(pointer)
	if err != nil || same != kind {
		return pointer + " " + fate(err)
	}
	text, err := j.String(pointer)
	if err != nil {
		return pointer + " " + fate(err)
	}
	return pointer + " " + kind.String() + " " + place(at) + " " + text
}

func children(c *stage.Ctx) error {
	j, pointer := c.Input.JSON(), c.String("text", "")
	n, err := j.Len(pointer)
	if err != nil {
		return line(c, fate(err))
	}
	if err := line(c, decimal(n)); err != nil {
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
		if err := write(c, decimal(i)+" "+key+" "); err != nil {
			return err
		}
		if err := span(c, c.Input, child.Value.Start, child.Value.Len()); err != nil {
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
			whole = fate(err)
		} else {
			whole = decimal(int(v))
		}
		if v, err := j.Float(pointer); err != nil {
			real = fate(err)
		} else {
			real = thousandths(v)
		}
		if err := line(c, pointer, whole, real); err != nil {
			return err
		}
	}
	return nil
}
