package controller_test

import (
	"fmt"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// A lock hides the tools that write until the model asks for them.
func ExampleRegister() {
	controller.Register("lock", controller.Hooks{
		ToolsList: func(c *controller.Ctx) error {
			if _, open := c.State.Get("open"); open {
				return controller.Pass
			}
			for t := range c.Tools() {
				hint, _ := t.Field("/annotations/readOnlyHint")
				if t.Kind != controller.UpstreamTool || hint == "true" {
					continue
				}
				if err := c.HideTool(t.Name); err != nil {
					return err
				}
			}
			return c.AddTool(`{"name":"unlock","inputSchema":{"type":"object"}}`)
		},
		ToolCall: func(c *controller.Ctx) error {
			_, open := c.State.Get("open")
			switch {
			case c.Tool() == "unlock":
				return unlock(c)
			case !open && !c.Called().ReadOnly:
				return c.Refuse("Locked: call unlock and say why.")
			}
			return controller.Pass
		},
	})

	s := &controllertest.Session{Role: "lock", Tools: []controllertest.Tool{
		{Name: "files/read", Definition: `{"name":"files__read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`},
		{Name: "files/write"},
	}}
	for _, t := range s.ToolsList().Listed {
		fmt.Println("listed:", t.Name)
	}
	fmt.Println(s.Call("files/write", `{"path":"a"}`).Answer)
	e := s.Call("unlock", `{"why":"a typo"}`)
	fmt.Println(e.Answer, e.Notes[0].Method)
	fmt.Println(s.Call("files/write", `{"path":"a"}`).Outcome)
	// Output:
	// listed: unlock
	// listed: files/read
	// listed: read_section
	// Locked: call unlock and say why.
	// Unlocked. notifications/tools/list_changed
	// pass
}

func unlock(c *controller.Ctx) error {
	why, err := c.Input.JSON().String("/why")
	if err != nil {
		return stage.Fail("why: %v", err)
	}
	if err := c.State.Set("open", why); err != nil {
		return err
	}
	if err := c.ToolsChanged(); err != nil {
		return err
	}
	_, err = c.Answer.WriteString("Unlocked.")
	return err
}
