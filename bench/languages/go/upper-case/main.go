// Command upper-case writes the content in capitals: all of it goes into the guest
// and out again.
package main

import "github.com/mcpctl/mcpctl/sdk-go/stage"

func init() { stage.Register("upper-case", upper) }

func main() {}

func upper(c *stage.Ctx) error {
	text := make([]byte, c.Input.Len())
	if _, err := c.Input.ReadAt(text, 0); err != nil {
		return err
	}
	for i, b := range text {
		if b-'a' < 26 {
			text[i] = b - ('a' - 'A')
		}
	}
	_, err := c.Out.Write(text)
	return err
}
