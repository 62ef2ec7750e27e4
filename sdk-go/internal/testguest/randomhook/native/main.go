//go:build !wasip1

// Native runs the random controller natively: it reads a Session and its events as a line of
// JSON, and writes a line for each hook with its context and effects.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"maps"
	"os"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testguest/randomhook"
)

// session is the input of the test.
type session struct {
	Config        string
	Notifications []string
	NotGated      bool
	Client        controller.ClientInfo
	Tools         []controllertest.Tool
	Prompts       []controllertest.Prompt
	System        map[string]string
	Contents      []controllertest.Content
	Calls         []call
}

// call is a tools/call, and the answer of the server if it reaches one.
type call struct{ Tool, Arguments, Result string }

// hook is the output for each hook.
type hook struct {
	Context, Input, Client, Name string
	Tools, Servers, Prompts      string
	Session                      string
	Proposed                     map[string]bool // before
	StateBefore, State           map[string]string
	Effects                      controllertest.Effects
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var s session
		switch err := in.Decode(&s); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			log.Fatal(err)
		}
		if err := out.Encode(play(s)); err != nil {
			log.Fatal(err)
		}
	}
}

// play runs the hooks of a session.
func play(in session) []hook {
	s := &controllertest.Session{
		Role: "random", Config: in.Config, Notifications: in.Notifications, NotGated: in.NotGated, Client: in.Client,
		Tools: in.Tools, Prompts: in.Prompts, System: in.System, Contents: in.Contents,
	}
	var hooks []hook
	randomhook.Before = func(c *controller.Ctx) {
		proposed := map[string]bool{}
		for _, p := range s.Proposals {
			proposed[p.Name] = true
		}
		hooks = append(hooks, hook{
			Proposed: proposed,
			Context:  c.Context.String(), Input: c.Input.String(), Client: c.Client.String(), Session: c.Session(),
			Name:  c.Tool(),
			Tools: entry.Take(raw.Tools()), Servers: entry.Take(raw.Servers()), Prompts: entry.Take(raw.Prompts()),
			StateBefore: maps.Clone(s.State),
		})
	}
	ended := 0
	end := func(e controllertest.Effects) {
		if ended == len(hooks) {
			return // an unknown tool: no hook ran
		}
		ended = len(hooks)
		last := &hooks[ended-1]
		last.Effects, last.State = e, maps.Clone(s.State)
	}
	end(s.Initialize(""))
	end(s.ToolsList())
	for _, c := range in.Calls {
		end(s.Call(c.Tool, c.Arguments))
		end(s.Result(c.Result))
	}
	end(s.ToolsList())
	end(s.Close(""))
	return hooks
}
