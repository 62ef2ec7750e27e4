package controllertest

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// defaultTime is a time in November 2025.
const defaultTime = 1763719800000

type (
	contextJSON struct {
		ABI        string          `json:"abi"`
		Role       string          `json:"role"`
		RoleIndex  int             `json:"roleIndex"`
		Kind       string          `json:"kind"`
		Hook       string          `json:"hook"`
		Project    string          `json:"project"`
		Gated      bool            `json:"gated"`
		TimeMillis int64           `json:"timeMs"`
		Protocol   string          `json:"protocol"`
		Controller positionJSON    `json:"controller"`
		Client     clientJSON      `json:"client"`
		Call       *callJSON       `json:"call,omitempty"`
		Result     *resultJSON     `json:"result,omitempty"`
		Limits     testhost.Limits `json:"limits"`
	}
	positionJSON struct {
		Index int `json:"index"`
		Count int `json:"count"`
	}
	clientJSON struct {
		Name              string `json:"name"`
		Version           string `json:"version"`
		ListChanged       bool   `json:"listChanged"`
		StructuredOnly    bool   `json:"structuredOnly"`
		InstructionsChars int    `json:"instructionsChars"`
	}
	callJSON struct {
		ID        string `json:"id"`
		Tool      string `json:"tool"`
		Wire      string `json:"wire"`
		Virtual   bool   `json:"virtual"`
		Rewritten bool   `json:"rewritten"`
		Listed    bool   `json:"listed"`
		ReadOnly  bool   `json:"readOnly"`
	}
	resultJSON struct {
		IsError       bool         `json:"isError"`
		ProtocolError bool         `json:"protocolError"`
		AnsweredBy    string       `json:"answeredBy"`
		Bytes         int          `json:"bytes"`
		Contents      []storedJSON `json:"contents"`
	}
	storedJSON struct {
		Ref   string `json:"ref"`
		Kind  string `json:"kind"`
		Index int    `json:"index"`
		Bytes int    `json:"bytes"`
		MIME  string `json:"mime"`
	}
)

// context returns buffer 3 of a hook.
func (s *Session) context(hook string, limits stage.Limits, c *call, r *controller.Result) []byte {
	x := contextJSON{
		ABI: "1.2", Role: s.Role, Kind: "controller", Hook: hook, Project: s.project(), Gated: !s.NotGated,
		TimeMillis: s.TimeMillis, Protocol: s.protocol(), Controller: positionJSON{0, 1},
		Client: clientJSON(s.client()), Limits: testhost.Limits(limits),
	}
	testhost.SetDefault(&x.TimeMillis, defaultTime)
	if c != nil {
		t := c.tool
		x.Call = &callJSON{c.id, t.Name, t.Wire, t.Kind == controller.VirtualTool, c.rewritten, s.listed, t.isReadOnly()}
	}
	if r != nil {
		x.Result = &resultJSON{r.IsError, r.ProtocolError, r.AnsweredBy, r.Bytes, []storedJSON{}}
		for _, part := range r.Contents {
			x.Result.Contents = append(x.Result.Contents, storedJSON(part))
		}
	}
	return marshal(x)
}

func (s *Session) project() string {
	if s.Project == "" {
		return "test"
	}
	return s.Project
}

func (s *Session) protocol() string {
	if s.Protocol == "" {
		return "2025-11-25"
	}
	return s.Protocol
}

// client returns Client with defaults for the name and the length of instructions.
func (s *Session) client() controller.ClientInfo {
	c := s.Client
	testhost.SetDefault(&c.Name, "test")
	testhost.SetDefault(&c.Version, "1.0.0")
	testhost.SetDefault(&c.InstructionsChars, 2048)
	c.InstructionsChars = max(c.InstructionsChars, 0)
	return c
}

// initializeParams returns the params of the client's initialize.
func (s *Session) initializeParams() string {
	c := s.client()
	return string(marshal(map[string]any{
		"protocolVersion": s.protocol(), "capabilities": map[string]any{},
		"clientInfo": map[string]string{"name": c.Name, "version": c.Version},
	}))
}

// clientCall returns buffer 7.
func clientCall(wire, arguments string) []byte {
	if !json.Valid([]byte(arguments)) {
		panic("controllertest: arguments are not JSON: " + arguments)
	}
	return []byte(`{"name":` + quote(wire) + `,"arguments":` + arguments + `}`)
}
