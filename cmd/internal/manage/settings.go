package manage

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/host"
)

// HostSettings returns the settings of the Host.
func HostSettings(s config.Settings) host.Settings {
	return host.Settings{
		FrameBytes:         int(s.Bytes("limits.frame")),
		CacheBytes:         s.Bytes("cache.size"),
		OriginalsBytes:     s.Bytes("originals.size"),
		OriginalsTTL:       s.Duration("originals.ttl"),
		ListWait:           s.Duration("lists.wait"),
		RecordingsBytes:    s.Bytes("recordings.size"),
		RecordingFileBytes: s.Bytes("recordings.file"),
		RecordingFiles:     s.Int("recordings.files"),
		Rereads:            s.Get("sessions.rereads"),
		AbandonedAfter:     s.Duration("sessions.left"),
		ReleaseAfter:       s.Duration("sessions.release"),
		IdleAfter:          s.Duration("sessions.idle"),
		GuestMemory:        int(s.Bytes("limits.memory")),
		GuestTime:          s.Duration("limits.time"),
		CompileTime:        s.Duration("limits.compile"),
		Guests:             s.Int("limits.guests"),
		Dev:                s.Get("dev") == "true",
		Output:             int(s.Bytes("limits.output")),
		Sections:           s.Int("limits.sections"),
		LLMRequests:        s.Int("limits.llm"),
		ModuleCache:        s.Bytes("limits.cache"),
		LeafSize:           s.Int("leafSize"),
		MaxLines:           s.Int("maxLines"),
		MaxIndexBytes:      s.Int("maxIndexBytes"),
		MaxIndexTokens:     s.Int("maxIndexTokens"),
		MaxWholeBytes:      s.Int("maxWholeBytes"),
	}
}

// clientWarnings describes the clients that were observed to ignore list_changed, by name and
// version, the latest first.
func clientWarnings(names []string) (warnings []string) {
	if len(names) == 0 {
		return nil
	}
	subject := "client "
	if len(names) > 1 {
		subject = "clients "
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	if more := len(names) - maxNamedClients; more > 0 {
		quoted = append(quoted[:maxNamedClients:maxNamedClients], fmt.Sprintf("%d more", more))
	}
	return []string{subject + strings.Join(quoted, ", ") + " did not read the tools again after two list_changed, so new sessions get all tools at once; if that is wrong: mcpctl config set sessions.rereads yes"}
}

// maxNamedClients is the number of clients in a warning.
const maxNamedClients = 5

// settingWarnings describes settings that weaken a protection, and those that have changed since
// the daemon was started, which does not use them yet. Values are not named: some are secret.
func settingWarnings(s *Service) (list []string) {
	now, _, err := config.Load(string(s.h.Home()), os.Getenv)
	if s.settings == nil || err != nil {
		return nil // doctor reports an invalid file
	}
	if s.settings.Get("isolation") != config.IsolationProcess {
		list = append(list, "isolation is "+s.settings.Get("isolation")+": local modules run in the daemon, without a confined process of their own")
	}
	if s.settings.Get("dev") == "true" {
		list = append(list, "dev is true: modules are loaded that stages.lock does not list, or that have changed since they were approved")
	}
	var changed []string
	for _, old := range s.settings {
		if old.Key.AtStart && now.Get(old.Key.Name) != old.Value {
			changed = append(changed, old.Key.Name)
		}
	}
	if len(changed) > 0 && s.at.PID != 0 {
		list = append(list, "changed since the daemon was started: "+strings.Join(changed, ", ")+"; to apply: mcpctl daemon stop && mcpctl daemon start")
	}
	return list
}
