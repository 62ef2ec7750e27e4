package console

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// fakeLLM makes the fake the one provider of a home, and all its tiers. JSON is
// YAML: the rules are written as they were read.
func fakeLLM(home string, answers strictyaml.Value) error {
	file := filepath.Join(home, homedir.SettingsFile)
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	rules, err := answers.MarshalJSON()
	if err != nil {
		return err
	}
	_, rest := llmconfig.Split(string(text))
	rest += fmt.Sprintf("\nllm:\n  providers:\n  - {name: fake, type: fake, answers: %s}\n  budget: {dailyTokens: 0}\n", rules)
	return os.WriteFile(file, []byte(rest), 0o600)
}
