package daemon

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// The packaged unit runs the daemon in /usr/bin with the default home.
func TestPackagedUnit(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "..", "packaging", "mcplocal.service"))
	if got := systemdUnit(unit{exe: "/usr/bin/mcplocal"}); err != nil || got != string(want) {
		t.Errorf("packaging/mcplocal.service differs from the unit of daemon install (%v):\n%s", err, got)
	}
}

func TestUnitOfSystemd(t *testing.T) {
	s, err := newService("linux", unit{exe: `/opt/a b/100%/$x/mcplocal`, home: `/h/"q"`, path: "/usr/bin:/p%q", log: "/h/50%/log"}, "/u", "/u/.config", 1)
	if err != nil || s.file != "/u/.config/systemd/user/mcplocal.service" {
		t.Fatalf("%s, %v", s.file, err)
	}
	for _, line := range []string{
		"# Written by mcpctl daemon install.\n[Unit]\n", `ExecStart="/opt/a b/100%%/$$x/mcplocal" serve` + "\n", `Environment="MCPCTL_HOME=/h/\"q\""` + "\n",
		`Environment="PATH=/usr/bin:/p%%q"` + "\n", "StandardError=append:/h/50%%/log\n", "RestartPreventExitStatus=2 4 5 7\n", "WantedBy=default.target\n",
	} {
		if !strings.Contains(s.text, line) {
			t.Errorf("no %q in\n%s", line, s.text)
		}
	}
}

func TestPlistOfLaunchd(t *testing.T) {
	s, err := newService("darwin", unit{exe: "/a&b/mcplocal", home: "/h<1>", path: "/usr/bin", log: "/h/log"}, "/Users/u", "", 501)
	if err != nil || s.file != "/Users/u/Library/LaunchAgents/io.github.mcpctl.mcplocal.plist" {
		t.Fatalf("%s, %v", s.file, err)
	}
	for d := xml.NewDecoder(strings.NewReader(s.text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, s.text)
		}
	}
	for _, line := range []string{"<string>/a&amp;b/mcplocal</string>\n\t\t<string>serve</string>", "<string>/h&lt;1&gt;</string>", "<string>/h/log</string>"} {
		if !strings.Contains(s.text, line) {
			t.Errorf("no %q in\n%s", line, s.text)
		}
	}
	if got := strings.Join(s.start[0], " "); got != "launchctl bootstrap gui/501 "+s.file {
		t.Errorf("started by %q", got)
	}
}

func TestServiceOfAnotherSystem(t *testing.T) {
	if _, err := newService("windows", unit{}, "", "", 0); !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), "no service can be installed on windows") {
		t.Errorf("%v", err)
	}
}
