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

// The limits in config.yaml are used, and the error of a limit names its key.
func TestSettingsAreUsed(t *testing.T) {
	t.Parallel()
	home := files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex")}
	r := newRig(t, home, func(o *Options) {
		o.Settings = Settings{FrameBytes: 1 << 20, CacheBytes: 2 << 20, OriginalsBytes: 4 << 20, OriginalsTTL: time.Hour,
			LeafSize: 500, MaxLines: 5, MaxIndexBytes: 900}
	})
	c := r.dial(t)
	if a := c.tool(t, "up__big", `{"n":1500000}`); !a.IsError || !strings.Contains(a.text(), "limit 1048576") || !strings.Contains(a.text(), "limits.frame") {
		t.Errorf("above the message limit: %.300s", a.text())
	}
	cached, _, err := r.Storage().Stats()
	if err != nil || cached.MaxBytes != 2<<20 {
		t.Errorf("cache: %+v, %v", cached, err)
	}
	if _, err := r.contents.Put(scope, make([]byte, 5<<20), content.Info{}); !errors.Is(err, abi.ErrLimit) || !strings.Contains(err.Error(), "set originals.size") {
		t.Errorf("an original above the limit of all originals: %v", err)
	}
	shown := r.show(t, toolResult([]byte(strings.Repeat("# Part\n\nsome text of a part that is not very long\n\n", 400)), ""))
	a := c.section(t, shown.Ref, "")
	if lines := strings.Count(a.text(), "\n["); lines > 5 || len(a.text()) > 900 {
		t.Errorf("index with %d lines and %d bytes, limits 5 and 900:\n%s", lines, len(a.text()), a.text())
	}

	wide := newRig(t, home, func(o *Options) { o.Settings.FrameBytes = 40 << 20 })
	if a := wide.dial(t).tool(t, "up__big", `{"n":35000000}`); a.IsError {
		t.Errorf("within a raised limit: %.300s", a.text())
	}
}

// An interrupted trial has no files to clean up: offline, no file is written
// outside of the home.
func TestOfflineCreatesNoTemporaryFiles(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := newRig(t, files{}, func(o *Options) { o.Offline = true })
	section := ""
	if _, err := r.Lab().RunModel(t.Context(), lab.ModelRun{Model: "ungated-subindex", Type: abi.ToolResult, Input: []byte(strings.Repeat("# Part\n\ntext\n\n", 900)), Section: &section}); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(tmp, "*originals*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files during the trial: %q, %v", left, err)
	}
}
