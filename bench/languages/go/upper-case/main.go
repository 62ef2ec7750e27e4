// Command upper-case is a benchmark stage. It writes ASCII letters in upper case, so
// all of the content is copied into the guest and back.
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
