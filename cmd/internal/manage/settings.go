package manage

import (
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
