// Brake is a controller that stops a model which goes round in circles: a call
// that gave the same result several times in a row is refused, and the model is
// told so. Any other call, or another result, lets it go on.
package main

import (
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

func init() {
	controller.Register("brake", controller.Hooks{ToolCall: refuse, ToolResult: count})
}

// What is kept for the session: the call that was made last, its result, and an x
// for each time that it gave this result.
const (
	keptCall   = "call"
	keptResult = "result"
	keptTimes  = "times"
)

// refuse answers a call that has been made often enough.
func refuse(c *controller.Ctx) error {
	call := c.Client.Hash(0, -1)
	if last, _ := c.State.Get(keptCall); last != string(call[:]) {
		return restart(c, string(call[:]))
	}
	times, _ := c.State.Get(keptTimes)
	if len(times) < c.Int("calls", 3) {
		return controller.Pass
	}
	c.Log.Info("call refused", "tool", c.Tool(), "times", len(times))
	return c.Refuse("Not called: this call of " + c.Called().Wire + " gave the same result each time before. Use what you have, or change the arguments.")
}

// restart remembers another call.
func restart(c *controller.Ctx, call string) error {
	if err := c.State.Set(keptTimes, ""); err != nil {
		return err
	}
	if err := c.State.Set(keptCall, call); err != nil {
		return err
	}
	return controller.Pass
}

// count compares the result with the one before.
func count(c *controller.Ctx) error {
	call, result := c.Client.Hash(0, -1), c.Input.Hash(0, -1)
	if last, _ := c.State.Get(keptCall); last != string(call[:]) {
		return controller.Pass // another call was made meanwhile
	}
	times, _ := c.State.Get(keptTimes)
	if last, _ := c.State.Get(keptResult); last != string(result[:]) {
		times = ""
	}
	if err := c.State.Set(keptResult, string(result[:])); err != nil {
		return err
	}
	if err := c.State.Set(keptTimes, times+"x"); err != nil {
		return err
	}
	return controller.Pass
}

func main() {}
