package host

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/lab"
)

// The figures of config.yaml are those that count, and the
// message names the key that moves one
func TestSettingsCount(t *testing.T) {
	t.Parallel()
	home := files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex")}
	r := newRig(t, home, func(o *Options) {
		o.Settings = Settings{FrameBytes: 1 << 20, CacheBytes: 2 << 20, OriginalsBytes: 4 << 20, OriginalsTTL: time.Hour,
			LeafSize: 500, MaxLines: 5, MaxIndexBytes: 900}
	})
	c := r.dial(t)
	if a := c.tool(t, "up__big", `{"n":1500000}`); !a.IsError || !strings.Contains(a.text(), "limit 1048576") || !strings.Contains(a.text(), "limits.frame") {
		t.Errorf("over the frame: %.300s", a.text())
	}
	cached, _, err := r.Storage().Stats()
	if err != nil || cached.MaxBytes != 2<<20 {
		t.Errorf("cache: %+v, %v", cached, err)
	}
	if _, err := r.contents.Put(scope, make([]byte, 5<<20), content.Info{}); !errors.Is(err, abi.ErrLimit) || !strings.Contains(err.Error(), "set originals.size") {
		t.Errorf("an original larger than all of them: %v", err)
	}
	shown := r.show(t, toolResult([]byte(strings.Repeat("# Part\n\nsome text of a part that is not very long\n\n", 400)), ""))
	a := c.section(t, shown.Ref, "")
	if lines := strings.Count(a.text(), "\n["); lines > 5 || len(a.text()) > 900 {
		t.Errorf("an index of %d lines and %d bytes, want 5 and 900 at most:\n%s", lines, len(a.text()), a.text())
	}

	wide := newRig(t, home, func(o *Options) { o.Settings.FrameBytes = 40 << 20 })
	if a := wide.dial(t).tool(t, "up__big", `{"n":35000000}`); a.IsError {
		t.Errorf("within a raised limit: %.300s", a.text())
	}
}

// A trial that is cut off, by a pipe that closes or a signal, has nothing to
// clean up: offline no file is written outside the home.
func TestOfflineLeavesNothingBehind(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := newRig(t, files{}, func(o *Options) { o.Offline = true })
	section := ""
	if _, err := r.Lab().RunModel(t.Context(), lab.ModelRun{Model: "ungated-subindex", Type: abi.ToolResult, Input: []byte(strings.Repeat("# Part\n\ntext\n\n", 900)), Section: &section}); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(tmp, "*originals*"))
	if err != nil || len(left) > 0 {
		t.Errorf("while it runs there is %q, %v", left, err)
	}
}
