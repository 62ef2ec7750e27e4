// Brake is a controller that stops a model that repeats itself: a call that gave
// the same result several times in a row is refused with a message to the model.
// Any other call, or another result, resets the count.
package main

import (
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

func init() {
	controller.Register("brake", controller.Hooks{ToolCall: refuse, ToolResult: count})
}

// Keys of the session's state: the hash of the last call, the hash of its result, and
// an x for each time that the call gave this result.
const (
	keyCall   = "call"
	keyResult = "result"
	keyTimes  = "times"
)

// refuse answers a call that was made often enough.
func refuse(c *controller.Ctx) error {
	call := c.Client.Hash(0, -1)
	if last, _ := c.State.Get(keyCall); last != string(call[:]) {
		return restart(c, string(call[:]))
	}
	times, _ := c.State.Get(keyTimes)
	if len(times) < c.Int("calls", 3) {
		return controller.Pass
	}
	c.Log.Info("call refused", "tool", c.Tool(), "times", len(times))
	return c.Refuse("Not called: this call of " + c.Called().Wire + " gave the same result each time before. Use what you have, or change the arguments.")
}

// restart resets the count for another call.
func restart(c *controller.Ctx, call string) error {
	if err := c.State.Set(keyTimes, ""); err != nil {
		return err
	}
	if err := c.State.Set(keyCall, call); err != nil {
		return err
	}
	return controller.Pass
}

// count counts equal results of the last call.
func count(c *controller.Ctx) error {
	call, result := c.Client.Hash(0, -1), c.Input.Hash(0, -1)
	if last, _ := c.State.Get(keyCall); last != string(call[:]) {
		return controller.Pass // another call was made in the meantime
	}
	times, _ := c.State.Get(keyTimes)
	if last, _ := c.State.Get(keyResult); last != string(result[:]) {
		times = ""
	}
	if err := c.State.Set(keyResult, string(result[:])); err != nil {
		return err
	}
	if err := c.State.Set(keyTimes, times+"x"); err != nil {
		return err
	}
	return controller.Pass
}

func main() {}
