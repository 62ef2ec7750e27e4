package main

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	cases["done"] = func(c *stage.Ctx) error { return write(c, "done") }
	cases["empty"] = func(c *stage.Ctx) error { return write(c, "") }
	cases["nothing"] = func(c *stage.Ctx) error { return nil }
	cases["pass"] = pass
	cases["fail"] = func(c *stage.Ctx) error { return stage.Fail("%d not in 1..9", c.Int("number", 0)) }
	cases["panic"] = func(c *stage.Ctx) error { panic("boom") }
	cases["limit"] = limit
	cases["meta"] = meta
	cases["log"] = logs
	cases["cache"] = cache
	cases["compute"] = compute
}

func write(c *stage.Ctx, text string) error {
	_, err := c.Out.WriteString(text)
	return err
}

func pass(c *stage.Ctx) error {
	if err := write(c, "dropped"); err != nil {
		return err
	}
	return stage.Pass
}

func limit(c *stage.Ctx) error {
	piece := strings.Repeat("x", 65536)
	for range 100 {
		if err := write(c, piece); err != nil {
			c.Log.Info(formatFate(err))
			break
		}
	}
	return nil
}

func meta(c *stage.Ctx) error {
	if err := c.Meta("type", "markdown"); err != nil {
		return err
	}
	if err := c.Meta("count", "3"); err != nil {
		return err
	}
	c.Log.Info(formatFate(c.Meta("", "x")))
	return stage.Pass
}

func logs(c *stage.Ctx) error {
	for _, level := range []func(string, ...any){c.Log.Debug, c.Log.Info, c.Log.Warn, c.Log.Error} {
		level("message", "n", c.Int("number", 0), "text", c.String("text", ""))
	}
	return stage.Pass
}

func cache(c *stage.Ctx) error {
	key := c.String("text", "")
	look := func() error {
		if value, ok := c.Cache.Get(key); ok {
			return writeLine(c, "hit", string(value))
		}
		return writeLine(c, "miss")
	}
	if err := look(); err != nil {
		return err
	}
	if err := writeLine(c, formatFate(c.Cache.Set(key, []byte(c.String("more", ""))))); err != nil {
		return err
	}
	return look()
}

func compute(c *stage.Ctx) error {
	key := c.String("text", "")
	for range 2 {
		value, err := c.Cache.GetOrCompute(key, func() ([]byte, error) {
			c.Log.Info("computing")
			return []byte("value of " + key), nil
		})
		if err != nil {
			return err
		}
		if err := writeLine(c, string(value)); err != nil {
			return err
		}
	}
	return nil
}
