package host

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// maxGateTokens limits the tokens that a gated session adds for the model, without
// the prompts; see docs/gate.md.
const maxGateTokens = 450

// read returns all texts that a model reads in a session before its first other
// call, one per line: instructions, the tools of each list, the answer of
// begin_session.
func (r *rig) read(t *testing.T, gated bool) string {
	t.Helper()
	c := r.dial(t)
	var hello struct {
		Result struct {
			Instructions string `json:"instructions"`
		} `json:"result"`
	}
	if err := json.Unmarshal(c.hello, &hello); err != nil {
		t.Fatal(err)
	}
	text := hello.Result.Instructions + "\n" + r.toolsRead(t, c)
	if !gated {
		return text
	}
	begun := c.tool(t, "begin_session", `{"tags":["zigbee","lights","mqtt","pairing","automation"]}`)
	if begun.IsError || begun.rpc != "" {
		t.Fatalf("begin_session: %s", begun.raw)
	}
	return text + "\n" + begun.text() + "\n" + r.toolsRead(t, c)
}

// toolsRead returns the part of tools/list that clients show to a model: names,
// descriptions, and schemas of arguments.
func (r *rig) toolsRead(t *testing.T, c *client) string {
	t.Helper()
	result, rpc, err := c.try("tools/list", `{}`)
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := firstError(err, rpc, json.Unmarshal(result, &list)); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, tool := range list.Tools {
		lines = append(lines, tool.Name, tool.Description, string(tool.Schema))
	}
	return strings.Join(lines, "\n")
}

func firstError(transport error, rpc string, decoded error) error {
	switch {
	case transport != nil:
		return transport
	case rpc != "":
		return fmt.Errorf("answered by %s", rpc)
	}
	return decoded
}

// ownText removes the texts that do not belong to the gate: the tools of servers,
// and a prompt with its lines in lists.
func ownText(read, rule string) string {
	var lines []string
	foreign := false // the next line is the schema of a server's tool
	for line := range strings.Lines(read) {
		switch {
		case strings.HasPrefix(line, "up__"):
			foreign = true
			continue
		case foreign && (line == "\n" || strings.HasPrefix(line, "{")):
			foreign = line == "\n"
			continue
		case strings.Contains(line, "guardrails"), strings.Contains(line, rule):
			continue
		}
		foreign = false
		lines = append(lines, regexp.MustCompile(", up__[a-z]+").ReplaceAllString(line, ""))
	}
	return strings.Join(lines, "")
}

// The cost of a gate is bounded, in tokens of o200k_base. It includes everything
// that mcpctl adds for the model of a gated session before its first other call:
// the instructions, begin_session and the text of its answer, and the names,
// descriptions and schemas of read_prompts, propose_prompt and read_section.
// Prompts and the tools of servers are not counted. A gate without prompts adds
// nothing.
func TestGateTokensAreBounded(t *testing.T) {
	const rule = "Pairing mode MUST be closed within sixty seconds."
	gated := func(yes bool) string {
		return fmt.Sprintf("kind: Project\nmetadata: {name: home}\nspec: {servers: [up], gated: %v, proxyModel: subindex}\n", yes)
	}
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": gated(false)})
	plain := r.read(t, false)
	r.put(t, "projects/home.yaml", []byte(gated(true)))
	r.reload(t)
	if empty := r.read(t, false); empty != plain {
		t.Errorf("without prompts a gated session reads\n%s\nand one that is not gated\n%s", empty, plain)
	}
	r.put(t, "prompts/home/guardrails.md", []byte("---\nspec: {priority: 10}\n---\n"+rule+"\n"))
	r.reload(t)
	own := ownText(r.read(t, true), rule)
	cost := tokens(t, []byte(own))
	t.Logf("a gate costs %d tokens", cost)
	if cost > maxGateTokens {
		t.Errorf("a gate costs %d tokens, limit %d:\n%s", cost, maxGateTokens, own)
	}
	for _, want := range []string{"5 keywords", "begin_session", "read_prompts", "propose_prompt", "read_section", "\"!\""} {
		if !strings.Contains(own, want) {
			t.Errorf("%q is not in\n%s", want, own)
		}
	}
}
