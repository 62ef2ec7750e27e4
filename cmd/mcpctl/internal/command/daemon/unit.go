package daemon

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// marker is part of every file written by daemon install, after any header required by its format.
const marker = "Written by mcpctl daemon install"

const launchdLabel = "io.github.mcpctl.mcplocal"

// unit describes the service to run: the daemon with its home and search path.
type unit struct {
	exe, home, path string
	log             string // log file; "" uses the log of the service manager
}

// service is a unit in the format of a service manager.
type service struct {
	file    string
	text    string
	check   []string   // fails if the service manager cannot be reached
	start   [][]string // enable and (re)start the service
	restart [][]string // restart the service
	stop    [][]string // disable and stop the service
	forget  [][]string // run after the file was removed
	manager string
}

// newService returns the service for an operating system. configDir is the user's configuration
// directory on Linux, userDir the user's home directory.
//
// Errors: abi.ErrConfig for an unsupported operating system.
func newService(system string, u unit, userDir, configDir string, uid int) (service, error) {
	switch system {
	case "linux":
		const name = "mcplocal.service"
		restart := []string{"systemctl", "--user", "restart", name}
		return service{
			file: filepath.Join(configDir, "systemd", "user", name), manager: "systemctl",
			text:  "# " + marker + ".\n" + systemdUnit(u),
			check: []string{"systemctl", "--user", "daemon-reload"},
			start: [][]string{{"systemctl", "--user", "enable", name}, restart}, restart: [][]string{restart},
			stop:   [][]string{{"systemctl", "--user", "disable", "--now", name}},
			forget: [][]string{{"systemctl", "--user", "daemon-reload"}},
		}, nil
	case "darwin":
		domain := fmt.Sprintf("gui/%d", uid)
		file := filepath.Join(userDir, "Library", "LaunchAgents", launchdLabel+".plist")
		return service{
			file: file, manager: "launchctl",
			text:  launchdPlist(u),
			check: []string{"launchctl", "print", domain},
			start: [][]string{{"launchctl", "bootstrap", domain, file}}, restart: [][]string{{"launchctl", "kickstart", "-k", domain + "/" + launchdLabel}},
			stop: [][]string{{"launchctl", "bootout", domain + "/" + launchdLabel}},
		}, nil
	}
	p := problem.New(abi.ErrConfig, "no service can be installed on %s", system)
	p.Cause = "the supported service managers are systemd and launchd"
	return service{}, p.WithHint("mcpctl daemon start")
}

// systemdUnit returns a user unit. systemd does not restart a daemon that exits because its home is
// in
// use or a file is invalid.
func systemdUnit(u unit) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Unit]\nDescription=mcpctl daemon\nDocumentation=man:mcplocal(1)\n\n[Service]\nExecStart=%s serve\n", systemdQuote(u.exe, true))
	if u.home != "" {
		fmt.Fprintf(&b, "Environment=%s\n", systemdQuote("MCPCTL_HOME="+u.home, false))
	}
	if u.path != "" {
		fmt.Fprintf(&b, "Environment=%s\n", systemdQuote("PATH="+u.path, false))
	}
	if u.log != "" {
		fmt.Fprintf(&b, "StandardError=append:%s\n", strings.ReplaceAll(u.log, "%", "%%"))
	}
	b.WriteString("Restart=on-failure\nRestartSec=2\nRestartPreventExitStatus=2 4 5 7\nUMask=0077\n\n[Install]\nWantedBy=default.target\n")
	return b.String()
}

// systemdQuote quotes one word of a unit. Only command lines expand variables.
func systemdQuote(s string, command bool) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(s)
	if command {
		s = strings.ReplaceAll(s, "$", "$$")
	}
	return `"` + s + `"`
}

// launchdPlist returns a launch agent that is restarted on failure.
func launchdPlist(u unit) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- %s. -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>%s</string>
	<key>ProgramArguments</key>
	<array>
		<string>%s</string>
		<string>serve</string>
	</array>
	<key>EnvironmentVariables</key>
	<dict>
		<key>MCPCTL_HOME</key>
		<string>%s</string>
		<key>PATH</key>
		<string>%s</string>
	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>StandardErrorPath</key>
	<string>%s</string>
	<key>Umask</key>
	<integer>63</integer>
</dict>
</plist>
`, marker, launchdLabel, xmlText(u.exe), xmlText(u.home), xmlText(u.path), xmlText(u.log))
	return b.String()
}

func xmlText(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer never fails
	return b.String()
}
