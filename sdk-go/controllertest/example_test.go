package controllertest_test

import (
	"fmt"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
)

func init() { controller.Register("greeter", controller.Hooks{ToolsList: offer, ToolCall: greet}) }

// offer adds a virtual tool.
func offer(c *controller.Ctx) error {
	return c.AddTool(`{"name":"greet","inputSchema":{"type":"object"}}`)
}

// greet answers calls of the virtual tool and counts them. Other calls are routed.
func greet(c *controller.Ctx) error {
	if c.Tool() != "greet" {
		return controller.Pass
	}
	n, _ := c.State.Get("greeted")
	if err := c.State.Set("greeted", n+"I"); err != nil {
		return err
	}
	_, err := c.Answer.WriteString("Hello " + n + "I")
	return err
}

func Example() {
	s := &controllertest.Session{Role: "greeter", Tools: []controllertest.Tool{{Name: "files/read"}}}
	for _, tool := range s.ToolsList().Listed {
		fmt.Println("listed:", tool.Wire)
	}
	for range 2 {
		e := s.Call("greet", "")
		fmt.Println(e.Outcome, e.Answer)
	}
	fmt.Println(s.Call("files/read", `{"path":"a"}`).Outcome)
	fmt.Println("kept:", s.State["greeted"])
	// Output:
	// listed: greet
	// listed: files__read
	// listed: read_section
	// done Hello I
	// done Hello II
	// pass
	// kept: II
}
