package host

import (
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Settings are figures of a home that a person can set, in its config.yaml. The
// zero value takes the default of every field.
type Settings struct {
	FrameBytes     int           // of one message, of a client or a server; default 32 MiB
	CacheBytes     int64         // of the results of stages; default 100 MiB
	OriginalsBytes int64         // default 1 GiB
	OriginalsTTL   time.Duration // since the last use; default 24 h

	ListWait       time.Duration // of the first list for a server that was never listed; default 8 s
	AbandonedAfter time.Duration // of a session whose client closed its stream; default 2 min
	ReleaseAfter   time.Duration // of the servers of a session that never had a stream; default 5 min
	IdleAfter      time.Duration // of a session that never had a stream; default 30 min

	// Of each run of a stage; an entry of a ProxyModel can only narrow them.
	GuestMemory int           // bytes; default 64 MiB
	GuestTime   time.Duration // of a processor; default 2 s
	Output      int           // bytes; default 64 MiB
	Sections    int           // default 65,536
	LLMRequests int           // default 32

	ModuleCache int64 // bytes that one module keeps by cache_set; default 64 MiB

	// What read_section and indexes go by, whatever a ProxyModel says. Ids do not
	// depend on them.
	LeafSize       int // bytes; default 3000
	MaxLines       int // default 24
	MaxIndexBytes  int // default 4096
	MaxIndexTokens int // estimated; default 1000
	MaxWholeBytes  int // default 40000
}

func (s Settings) guests() wasm.Limits {
	return wasm.Limits{Memory: s.GuestMemory, Time: s.GuestTime}
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
