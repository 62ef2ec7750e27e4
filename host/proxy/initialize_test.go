package proxy

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReadSectionTool(t *testing.T) {
	tool := string(readSectionTool)
	if !json.Valid(readSectionTool) {
		t.Fatal("invalid JSON")
	}
	if n := len(at(tool, "/description")); n > 2048 {
		t.Errorf("description of %d characters, limit 2048", n)
	}
	if at(tool, "/_meta/anthropic~1alwaysLoad") != "true" || at(tool, "/annotations/readOnlyHint") != "true" {
		t.Error("alwaysLoad or readOnlyHint is missing")
	}
	for _, form := range []string{"?words", "id!", "!", "path", "0-40000", "positions"} {
		if !strings.Contains(tool, form) {
			t.Errorf("the description does not mention %q", form)
		}
	}
}

func TestReadSectionToolWithQuestion(t *testing.T) {
	plain, asking := at(string(readSectionTool), "/description"), at(string(readSectionQuestionTool), "/description")
	if !json.Valid(readSectionQuestionTool) || strings.Contains(plain, questionArg) || !strings.Contains(asking, questionArg) || strings.Contains(string(readSectionTool), "\x00") {
		t.Errorf("%s\n%s", plain, asking)
	}
	if n := len(asking) - len(plain); n > 160 {
		t.Errorf("the question takes %d characters, limit 160", n)
	}
}

func TestProfiles(t *testing.T) {
	for name, want := range map[string]struct{ listChanged, structuredOnly bool }{
		"claude-code": {true, true}, "codex-mcp-client": {false, true}, "Visual Studio Code": {true, true}, "claude-ai": {false, false},
		"gemini-cli-mcp-client": {true, false}, "cursor-vscode": {true, false}, "another": {true, false}, "": {true, false},
	} {
		p := ProfileOf(Client{Name: name, Version: "1"})
		if p.ListChanged != want.listChanged || p.StructuredOnly != want.structuredOnly || p.InstructionsChars != 2048 || p.ResultChars != 50_000 {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
