package corrected

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/internal/txtar"
)

// studio has one correction.
type studio struct {
	api.Studio
	correction api.Correction
}

func (s studio) Correction(context.Context, string) (api.Correction, error) { return s.correction, nil }

// fake is a daemon whose studio has one correction.
type fake struct {
	dir        string // of the stage lead
	correction api.Correction
}

func (f *fake) Studio() api.Studio { return studio{correction: f.correction} }

func (f *fake) Stages(context.Context) ([]api.Stage, error) {
	return []api.Stage{{Name: "lead", Plugin: &api.PluginDir{Path: f.dir}}, {Name: "moved", Plugin: &api.PluginDir{Path: f.dir, Problem: "gone"}}, {Name: "split"}}, nil
}

func (f *fake) Object(context.Context, string, string, string) (api.Object, error) {
	return api.Object{Manifest: json.RawMessage(`{"spec":{"stages":[{"type":"split"},{"type":"lead","config":{"rule":"x"}}]}}`)}, nil
}

func stages(used ...api.UsedStage) []api.UsedStage { return used }

func TestWrite(t *testing.T) {
	lead, split := api.UsedStage{Role: "lead", Changed: true}, api.UsedStage{Role: "split"}
	const index = "[a] (1K)\nread_section(ref=\"0123456789abcdef\", section=\"<id>\")\n"
	for _, tc := range []struct {
		rule                          string
		original, transformed, edited string
		stages                        []api.UsedStage
		stage, name                   string
		want                          map[string]string // parts of the archive
		fails                         string
	}{
		{rule: "the edit is the expected output", original: "in\n", transformed: "out\n", edited: "better\n", stages: stages(split, lead),
			want: map[string]string{"input": "in\n", "want": "better\n", "config": "{\"rule\":\"x\"}\n", "shown": ""}},
		{rule: "an index is compared as the client reads it", original: "in\n", transformed: index, edited: "# Title\n" + index, stages: stages(lead),
			want: map[string]string{"shown": "# Title\n" + strings.ReplaceAll(index, "0123456789abcdef", ""), "want": ""}},
		{rule: "a text without a final newline is in a file", original: "in", transformed: "out\n", edited: "better", stages: stages(lead),
			want: map[string]string{"input-file": "t.input\n", "want-file": "t.want\n", "input": ""}},
		{rule: "no original", edited: "x", stages: stages(lead), fails: "has no original"},
		{rule: "no stage with a directory", original: "in\n", stages: stages(split, api.UsedStage{Role: "moved"}), fails: "no stage of this result has a directory"},
		{rule: "a stage that did not take part", original: "in\n", stages: stages(lead), stage: "other", fails: `stage "other" did not take part`},
		{rule: "an earlier stage changed the input", original: "in\n", stages: stages(api.UsedStage{Role: "split", Changed: true}, lead), fails: `stage "split" changed the content before "lead" got it`},
		{rule: "a name with a directory", original: "in\n", stages: stages(lead), name: "../x", fails: "is not a file name"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			f := &fake{dir: t.TempDir(), correction: api.Correction{ID: "id", SourceName: "s/t", ContentType: abi.ToolResult, Timestamp: time.Now(),
				Original: tc.original, Transformed: tc.transformed, Edited: tc.edited, Stages: tc.stages}}
			name := tc.name
			if name == "" {
				name = "t"
			}
			got, err := Write(t.Context(), f, "id", tc.stage, name)
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("%v, want %q", err, tc.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(got.File)
			if err != nil || got.File != filepath.Join(f.dir, "testdata", "t.txtar") {
				t.Fatal(got.File, err)
			}
			a := txtar.Parse(string(text))
			for part, want := range tc.want {
				if a.Has(part) != (want != "") || a.Text(part) != want {
					t.Errorf("%s: %q, want %q", part, a.Text(part), want)
				}
			}
			if _, err := Write(t.Context(), f, "id", tc.stage, name); err == nil {
				t.Error("an existing file is replaced")
			}
		})
	}
}
