package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

// hookFunc gives an event to mcpctl hook and returns the new tool_response, nil if the result is
// unchanged.
type hookFunc func(ctx context.Context, event []byte) ([]byte, error)

// runHook runs mcpctl hook. It returns an error if the hook reports one: then the result is
// unchanged for a reason that has nothing to do with the script.
func runHook(cmd *exec.Cmd, event []byte) ([]byte, error) {
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(event), &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("mcpctl hook: %w: %s", err, stderr.Bytes())
	}
	if stderr.Len() > 0 {
		return nil, fmt.Errorf("%s", bytes.TrimSpace(stderr.Bytes()))
	}
	if out.Len() == 0 {
		return nil, nil
	}
	var answer struct {
		Output struct {
			Response json.RawMessage `json:"updatedToolOutput"`
		} `json:"hookSpecificOutput"`
	}
	err := json.Unmarshal(out.Bytes(), &answer)
	return answer.Output.Response, err
}

// newEvent returns the PostToolUse event of a call.
func newEvent(tool string, a args, response []byte) ([]byte, error) {
	return json.Marshal(map[string]any{
		"session_id": "session", "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": a,
		"tool_response": json.RawMessage(response),
	})
}

// warm runs the hook until the daemon has loaded the modules, as after the first calls of a user.
func warm(ctx context.Context, hook hookFunc) error {
	response, err := json.Marshal(bashResponse{Stdout: strings.Repeat("# A\n\ntext\n\n", 2000)})
	if err != nil {
		return err
	}
	event, err := newEvent("Bash", args{"command": "cat notes.md"}, response)
	if err != nil {
		return err
	}
	var out []byte
	for range 20 {
		if out, err = hook(ctx, event); err == nil && out != nil {
			return nil
		}
	}
	return fmt.Errorf("the hook makes no index: %w", err)
}
