package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"unicode/utf8"
)

// server is an MCP server that the client starts, or the daemon.
type server struct {
	name    string
	command []string
}

// session is an MCP client over the standard input and output of a process.
type session struct {
	name  string // of the client's entry
	in    io.WriteCloser
	out   *bufio.Reader
	wait  func() error
	next  int
	tools []definition
	// instructions of the server, shortened like Claude Code does.
	instructions string
}

// definition is a tool as the API of the model receives it. Other members of MCP's definition are
// not sent to the model.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// maxInstructions is the number of characters of instructions that Claude Code shows.
const maxInstructions = 4096

// connect starts a server and lists its tools. env is the environment, nil for the current one.
func connect(ctx context.Context, name string, command, env []string) (*session, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("server %s: %w (make build first)", name, err)
	}
	s := &session{name: name, in: in, out: bufio.NewReader(out), wait: cmd.Wait}
	if err := s.open(); err != nil {
		s.close()
		return nil, fmt.Errorf("server %s: %w", name, err)
	}
	return s, nil
}

func (s *session) close() {
	s.in.Close()
	_ = s.wait() // the server ends when its input ends
}

func (s *session) open() error {
	var hello struct{ Instructions string }
	err := s.request("initialize", json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.197"}}`), &hello)
	if err != nil {
		return err
	}
	s.instructions = hello.Instructions
	if r := []rune(s.instructions); len(r) > maxInstructions {
		s.instructions = string(r[:maxInstructions])
	}
	if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	var list struct {
		Tools []struct {
			Name, Description string
			InputSchema       json.RawMessage
		}
	}
	if err := s.request("tools/list", json.RawMessage(`{}`), &list); err != nil {
		return err
	}
	for _, t := range list.Tools {
		s.tools = append(s.tools, definition{s.shownName(t.Name), t.Description, t.InputSchema})
	}
	return nil
}

// shownName returns the name by which the model calls a tool.
func (s *session) shownName(tool string) string { return "mcp__" + s.name + "__" + tool }

// request sends a request and decodes its result. Requests of the server are refused.
func (s *session) request(method string, params, result any) error {
	s.next++
	frame, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.next, "method": method, "params": params})
	if err != nil {
		return err
	}
	if _, err := s.in.Write(append(frame, '\n')); err != nil {
		return err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: no answer: %w", method, err)
		}
		var m struct {
			ID            json.RawMessage
			Method        string
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("%s: %.100q is no message: %w", method, line, err)
		}
		switch {
		case m.Method != "" && m.ID != nil:
			if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"not supported"}}`+"\n", m.ID); err != nil {
				return err
			}
		case string(m.ID) != fmt.Sprint(s.next): // a notification
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error)
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// call calls a tool and returns the text that Claude Code shows: structuredContent if there is
// any, otherwise the text blocks.
func (s *session) call(tool string, a args) (string, error) {
	var r struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	if err := s.request("tools/call", map[string]any{"name": tool, "arguments": a}, &r); err != nil {
		return "", err
	}
	if len(r.StructuredContent) > 0 && string(r.StructuredContent) != "null" {
		var b bytes.Buffer
		err := json.Compact(&b, r.StructuredContent)
		return b.String(), err
	}
	var texts []string
	for _, block := range r.Content {
		texts = append(texts, block.Text)
	}
	return strings.Join(texts, "\n"), nil
}

// limitMCP returns what Claude Code shows of the result of an MCP tool.
func (c *client) limitMCP(text string) (string, error) {
	n := utf8.RuneCountInString(text)
	if n <= maxMCP {
		return text, nil
	}
	if c.count.Tokens(text) <= maxMCPTokens {
		return c.limit(text, maxMCP)
	}
	file, err := c.keep(text)
	return fmt.Sprintf("Error: result (%d characters) exceeds maximum allowed tokens. Output has been saved to %s\nUse offset and limit parameters to read specific portions of the file, or the Grep tool to search for specific content.", n, file), err
}
