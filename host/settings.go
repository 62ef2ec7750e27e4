package host

import (
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Settings are the limits of a home that a user can set in its config.yaml. A zero
// field takes its default.
type Settings struct {
	FrameBytes     int           // limit of one message of a client or a server; default 32 MiB
	CacheBytes     int64         // limit of the cached results of stages; default 100 MiB
	SharedWait     time.Duration // for an answer of the cache of a team; default 150 ms
	OriginalsBytes int64         // default 1 GiB
	OriginalsTTL   time.Duration // since the last use; default 24 h

	RecordingsBytes    int64 // limit of all recordings; default 256 MiB
	RecordingFileBytes int64 // limit of one recording; default 64 MiB
	RecordingFiles     int   // limit of their number; default 1000

	ListWait       time.Duration // of the first list for a server that was never listed; default 8 s
	Rereads        string        // whether clients read their tools again after list_changed: yes, no, or else as observed
	AbandonedAfter time.Duration // of a session whose client closed its stream; default 2 min
	ReleaseAfter   time.Duration // of the servers of a session that never had a stream; default 5 min
	IdleAfter      time.Duration // of a session that never had a stream; default 30 min

	// Limits of each run of a stage. An entry of a ProxyModel can only lower them.
	GuestMemory int           // bytes; default 64 MiB
	GuestTime   time.Duration // CPU time; default 2 s
	CompileTime time.Duration // of one module; default 1 min
	Dev         bool          // local modules that stages.lock does not list are loaded as well
	Guests      int           // concurrent runs of built-in modules, and of others; default 16
	Output      int           // bytes; default 64 MiB
	Sections    int           // default 65,536
	LLMRequests int           // default 32

	ModuleCache int64 // limit of the values of one module in cache_set, in bytes; default 64 MiB

	// Sizes of indexes and of read_section, which apply to every ProxyModel. Ids do
	// not depend on them.
	LeafSize       int // bytes; default 3000
	MaxLines       int // default 24
	MaxIndexBytes  int // default 4096
	MaxIndexTokens int // estimated; default 1000
	MaxWholeBytes  int // default 40000
}

func (s Settings) guests() wasm.Limits {
	return wasm.Limits{Memory: s.GuestMemory, Time: s.GuestTime, Compile: s.CompileTime, Guests: s.Guests}
}

func (s Settings) calls() abi.GuestLimits {
	return abi.GuestLimits{MemoryBytes: s.GuestMemory, OutputBytes: s.Output, Sections: s.Sections, LLMRequests: s.LLMRequests}
}

func (s Settings) cache() cache.Options {
	return cache.Options{MaxBytes: s.CacheBytes, ModuleBytes: s.ModuleCache}
}

func (s Settings) originals() content.Options {
	return content.Options{MaxBytes: s.OriginalsBytes, TTL: s.OriginalsTTL}
}

func (s Settings) reading() section.Settings {
	return section.Settings{LeafSize: s.LeafSize, MaxLines: s.MaxLines, MaxIndexBytes: s.MaxIndexBytes,
		MaxIndexTokens: s.MaxIndexTokens, MaxWholeBytes: s.MaxWholeBytes}
}
