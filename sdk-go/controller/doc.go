// Package controller is the SDK of controllers: roles that steer a session. A
// controller registers its hooks and is built as
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-w -o brake.wasm .
//
// with an empty main:
//
//	func init() { controller.Register("brake", controller.Hooks{ToolCall: brake}) }
//	func main() {}
//
//	// brake refuses the third call of one tool.
//	func brake(c *controller.Ctx) error {
//		key := "calls:" + c.Tool()
//		n, _ := c.State.Get(key)
//		if n == "xx" {
//			return c.Fail("third call of " + c.Tool() + ": read what you have")
//		}
//		if err := c.State.Set(key, n+"x"); err != nil {
//			return err
//		}
//		return controller.Pass
//	}
//
// A hook that returns nil has answered (DONE); Pass lets the host go on; any other
// error is FAIL: all that the hook wanted to change is dropped, the host goes on as
// if it had passed, and the event has the error's text.
//
// Hooks of one controller in one session run one at a time, in the order of the
// requests. A hook that waits for an LLM lets others run; what it reads afterwards
// may be new. No byte of the guest survives a hook: what must, belongs in State.
//
// Package controllertest runs hooks in plain Go.
package controller
