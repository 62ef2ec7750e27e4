package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Key describes one setting. Help, completion and the reference are generated from all
// Keys.
type Key struct {
	Name    string // on the command line: mcplocal-url
	Default string
	Help    string
	AtStart bool // a running daemon must be restarted to apply a change

	old      string // former name, still accepted, with a warning in the file
	noEnv    bool   // no environment variable sets it
	check    func(string) string
	checkUse func(string) error // checks a value when it is set, for what may change later; nil for most
}

// StageLevels is the group of settings that are named after a stage or controller.
const StageLevels = "log.stages"

const stageLevelHelp = "also write the log lines of this stage or controller, from this level, to the daemon's log"

var oneOfLevels = oneOf("debug", "info", "warn", "error")

// stageLevel returns the key log.stages.NAME; ok is false if name is not one.
func stageLevel(name string) (k Key, ok bool) {
	stage, ok := strings.CutPrefix(name, StageLevels+".")
	if !ok {
		return Key{}, false
	}
	_, err := object.ParseName(stage)
	return Key{Name: name, Help: stageLevelHelp, noEnv: true, check: oneOfLevels}, err == nil
}

// IsolationProcess is the value of the setting isolation that runs each local module in a
// process of its own.
const IsolationProcess = "process"

// RereadsAuto is the value of the setting sessions.rereads that observes each client.
const RereadsAuto = "auto"

// Keys are all settings except log.stages.NAME (see stageLevel).
var Keys = []Key{
	{Name: "mcplocal-url", Default: "http://127.0.0.1:3200", AtStart: true,
		Help: "where the daemon listens, for clients with an HTTP entry", old: "daemonUrl", check: loopbackURL},
	{Name: "mcpd-url", Help: "the team server; mcpctl login sets it", check: serverURL},
	{Name: "mcpd-ca", Help: "file of certificates (PEM) of the team server, trusted besides those of the system", check: absolutePath, checkUse: checkCertificates},
	{Name: "mcpd-insecure", Default: "false", check: oneOf("true", "false"),
		Help: "true sends the token to a team server on another machine over plain HTTP"},
	{Name: "mcpd-cache", Default: "read", check: oneOf("off", "read", "on"),
		Help: "results of stages in mcpd: off; read uses those of others; on stores own ones too"},
	{Name: "path", AtStart: true, check: searchPath,
		Help: "PATH of the daemon and its servers; by default that of the process that starts it"},

	{Name: "log.level", Default: "info", check: oneOfLevels,
		Help: "minimum level of the daemon's log: debug, info, warn or error"},

	{Name: "isolation", Default: IsolationProcess, AtStart: true, check: oneOf(IsolationProcess, "inprocess"),
		Help: "where local modules run: process, in confined processes of their own; or inprocess"},

	{Name: "dev", Default: "false", AtStart: true, check: oneOf("true", "false"),
		Help: "true loads local modules that stages.lock does not list, or that have changed"},

	{Name: "limits.frame", Default: "32MiB", AtStart: true, check: size(64<<10, 256<<20),
		Help: "largest message of a server or a client; a whole list may have a quarter of it"},
	{Name: "limits.memory", Default: "64MiB", AtStart: true, check: size(4<<20, 1<<30),
		Help: "memory of one run of a stage or hook; proxymodels can lower the limits of a run"},
	{Name: "limits.time", Default: "2s", AtStart: true, check: between(50*time.Millisecond, time.Minute),
		Help: "processor time of one run of a stage or hook"},
	{Name: "limits.compile", Default: "1m", AtStart: true, check: between(time.Second, 10*time.Minute),
		Help: "time to compile a local module, which has 30s of processor time and 2 GiB"},
	{Name: "limits.guests", Default: "16", AtStart: true, check: count(2, 1000),
		Help: "concurrent runs of built-in stages, and of local ones, half of them of one module"},
	{Name: "limits.output", Default: "64MiB", AtStart: true, check: size(64<<10, 64<<20),
		Help: "output of one run of a stage, which is also limited to 4 times its input plus 1 MiB"},
	{Name: "limits.sections", Default: "65536", AtStart: true, check: count(1, 65536),
		Help: "sections that stages may define in one content"},
	{Name: "limits.cache", Default: "64MiB", AtStart: true, check: size(64<<10, 1<<40),
		Help: "cache values of one module in all projects; a larger total is refused"},
	{Name: "limits.llm", Default: "32", AtStart: true, check: count(1, 1000),
		Help: "LLM requests of one run of a stage"},
	{Name: "cache.size", Default: "100MiB", AtStart: true, check: size(1<<20, 1<<40),
		Help: "cached results of stages; the least recently used is evicted first"},
	{Name: "originals.size", Default: "1GiB", AtStart: true, check: size(1<<20, 1<<40),
		Help: "stored originals for read_section, on disk; the project with the most is evicted first"},
	{Name: "originals.ttl", Default: "24h", AtStart: true, check: between(time.Minute, 30*24*time.Hour),
		Help: "how long an original is kept after its last use"},

	{Name: "recordings.size", Default: "256MiB", AtStart: true, check: size(1<<20, 1<<40),
		Help: "recordings of sessions, on disk; the oldest is deleted first"},
	{Name: "recordings.file", Default: "64MiB", AtStart: true, check: size(64<<10, 256<<20),
		Help: "one recording; it ends there"},
	{Name: "recordings.files", Default: "1000", AtStart: true, check: count(1, 100000),
		Help: "number of recordings"},

	{Name: "lists.wait", Default: "8s", AtStart: true, check: between(100*time.Millisecond, 5*time.Minute),
		Help: "time that a list waits for a server never listed; initialize of Claude Code at most 3s"},
	{Name: "sessions.rereads", Default: RereadsAuto, AtStart: true, check: oneOf(RereadsAuto, "yes", "no"),
		Help: "whether clients read their tools again after list_changed: auto, as observed; yes; or no"},
	{Name: "sessions.left", Default: "2m", AtStart: true, check: between(time.Second, 24*time.Hour),
		Help: "time after which a session without a stream, or idle since initialize, ends"},
	{Name: "sessions.release", Default: "5m", AtStart: true, check: between(time.Second, 24*time.Hour),
		Help: "time after which an idle session without a stream stops its servers until the next request"},
	{Name: "sessions.idle", Default: "30m", AtStart: true, check: between(time.Second, 24*time.Hour),
		Help: "time after which an idle session that never had a stream ends"},

	{Name: "otel.endpoint", AtStart: true, check: baseURL,
		Help: "OTLP over HTTP, such as http://localhost:4318: traces and metrics of requests"},
	{Name: "otel.headers", AtStart: true, check: headerList,
		Help: "headers sent to it: NAME=VALUE, NAME=VALUE; credentials only as ${NAME}"},
	{Name: "otel.timeout", Default: "10s", AtStart: true, check: between(100*time.Millisecond, time.Minute),
		Help: "time limit of one message to it"},
	{Name: "otel.service", Default: "mcpctl", AtStart: true, check: serviceName,
		Help: "service.name of the telemetry"},

	{Name: "leafSize", Default: "3000", AtStart: true, check: count(64, 1<<20),
		Help: "read_section: size of a window in bytes; a section up to twice as large is served whole"},
	{Name: "maxLines", Default: "24", AtStart: true, check: count(2, 1000),
		Help: "read_section: maximum lines of an index"},
	{Name: "maxIndexBytes", Default: "4096", AtStart: true, check: count(512, 1<<20),
		Help: "read_section: maximum bytes of an index"},
	{Name: "maxIndexTokens", Default: "1000", AtStart: true, check: count(150, 1<<20),
		Help: "read_section: maximum estimated tokens of an index"},
	{Name: "maxWholeBytes", Default: "40000", AtStart: true, check: count(3000, 1<<20),
		Help: "read_section: maximum bytes of one answer to ID!; clients truncate longer answers"},
}

// Field returns the name of the key in the file: mcplocalUrl for mcplocal-url, otherwise
// the same name.
func (k Key) Field() string {
	if strings.HasPrefix(k.Name, StageLevels+".") {
		return k.Name
	}
	head, rest, ok := strings.Cut(k.Name, "-")
	if !ok {
		return k.Name
	}
	return head + strings.ToUpper(rest[:1]) + rest[1:]
}

// Env returns the environment variable that overrides the file: MCPCTL_MCPLOCAL_URL,
// MCPCTL_LIMITS_FRAME, MCPCTL_MAX_LINES. It is "" for log.stages.NAME.
func (k Key) Env() string {
	if k.noEnv {
		return ""
	}
	var b strings.Builder
	b.WriteString("MCPCTL_")
	for _, r := range k.Name {
		switch {
		case r == '-' || r == '.':
			r = '_'
		case unicode.IsUpper(r):
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// Variables returns the environment variables of all settings.
func Variables() []string {
	names := make([]string, len(Keys))
	for i, k := range Keys {
		names[i] = k.Env()
	}
	return names
}

// Reference returns the table of all settings for help and manual.
func Reference() string {
	var b strings.Builder
	for _, k := range Keys {
		def := k.Default
		if def == "" {
			def = "none"
		}
		fmt.Fprintf(&b, "  %-16s %s (default %s)\n", k.Name, k.Help, def)
		if k.Name == "log.level" {
			fmt.Fprintf(&b, "  %-16s %s\n", StageLevels+".NAME", stageLevelHelp)
		}
	}
	return b.String()
}

func absolutePath(s string) string {
	if !filepath.IsAbs(s) {
		return fmt.Sprintf("is %q, want an absolute path", s)
	}
	return ""
}

func searchPath(s string) string {
	for _, dir := range filepath.SplitList(s) {
		if !filepath.IsAbs(dir) {
			return fmt.Sprintf("contains %q, want absolute directories, such as those of $PATH", dir)
		}
	}
	return ""
}

func oneOf(words ...string) func(string) string {
	return func(s string) string {
		if !slices.Contains(words, s) {
			return fmt.Sprintf("is %q, want one of %s", s, strings.Join(words, ", "))
		}
		return ""
	}
}

func size(least, most strictyaml.Bytes) func(string) string {
	return func(s string) string {
		if n, ok := strictyaml.ParseBytes(s); !ok || n < least || n > most {
			return fmt.Sprintf("is %q, want %v to %v, such as %d or %v", s, least, most, least, least)
		}
		return ""
	}
}

func between(least, most time.Duration) func(string) string {
	return func(s string) string {
		if d, err := time.ParseDuration(s); err != nil || d < least || d > most {
			return fmt.Sprintf("is %q, want %v to %v, such as %v", s, strictyaml.Duration(least), strictyaml.Duration(most), strictyaml.Duration(least))
		}
		return ""
	}
}

func count(least, most int) func(string) string {
	return func(s string) string {
		if n, err := strconv.Atoi(s); err != nil || n < least || n > most {
			return fmt.Sprintf("is %q, want a number from %d to %d", s, least, most)
		}
		return ""
	}
}
