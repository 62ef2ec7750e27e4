package mcpctl

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mcpctl/mcpctl/"

// wall lists the imports that a package may have: packages of this module, relative to its
// root, and third-party modules. A trailing /... matches the packages below. Adding a row is a
// design decision: give the reason in the commit.
type wall struct {
	local []string
	third []string
}

var walls = map[string]wall{
	"":                 {},
	"internal/txtar":   {}, // one format for the kit's cases and authors' examples
	"internal/suggest": {}, // "did you mean": one edit distance for all error texts
	"abi":              {},
	"abi/gen":          {local: []string{"abi"}},
	"abi/tck/...":      {local: []string{"abi", "host/flow", "abi/tck/...", "host/wasm", "host/wasm/module", "host/hosttest", "internal/txtar"}}, // the kit: the host of mcpctl, with guests of all languages
	"plugins":          {},
	"host/jsonspan":    {}, // JSON as byte spans: one scanner for jsonrpc, wasm, section and proxy
	"host/jsonrpc":     {local: []string{"host/jsonspan"}},

	"host/flow":          {local: []string{"abi"}},                                                                                                                                                                       // types that host packages exchange
	"host/object":        {local: []string{"abi", "host/credential", "host/jsonschema", "host/secret", "host/strictyaml", "internal/suggest"}},                                                                           // kinds and their fields; the packages below know no kind
	"host/glob":          {},                                                                                                                                                                                             // the patterns of a project: for proxymodels, and for the choice of tools
	"host/credential":    {},                                                                                                                                                                                             // rules that recognise credentials
	"host/strictyaml":    {local: []string{"abi", "host/credential", "internal/suggest"}, third: []string{"github.com/goccy/go-yaml"}},                                                                                   // source lines in errors mask credentials
	"host/homedir":       {local: []string{"abi", "host/filelock"}},                                                                                                                                                      // paths, owner, mode, keys and the lock of a home
	"host/secret":        {local: []string{"abi", "host/credential", "host/filelock", "host/homedir", "host/strictyaml", "internal/atomicfile"}},                                                                         // credentials, secrets.yaml and ${VAR}
	"host/jsonschema":    {},                                                                                                                                                                                             // schemas that editors check files against
	"host/manifest":      {local: []string{"abi", "host/jsonschema", "host/object", "host/strictyaml", "internal/suggest"}},                                                                                              // plugin.yaml has names like objects
	"host/store":         {local: []string{"abi", "host/homedir", "host/object", "host/strictyaml", "internal/suggest"}},                                                                                                 // objects as files of the home
	"host/wasm":          {local: []string{"internal/atomicfile", "abi", "host/homedir", "host/jsonspan", "host/syntax", "host/wasm/..."}, third: []string{"github.com/tetratelabs/wazero", "github.com/extism/go-sdk"}}, // runs modules of the ABI of mcpctl, and modules built for Extism
	"host/wasm/fault":    {},                                                                                                                                                                                             // errors that modules and guests cause
	"host/wasm/binary":   {local: []string{"abi", "host/wasm/fault"}},                                                                                                                                                    // the only decoder of WebAssembly's binary format
	"host/wasm/fuel":     {local: []string{"host/wasm/binary"}},                                                                                                                                                          // module file -> module file with counters; runs no module
	"host/wasm/mapping":  {third: []string{"golang.org/x/sys"}},                                                                                                                                                          // memory that guests share copy-on-write
	"host/wasm/worker":   {local: []string{"abi", "host/jsonspan", "host/wasm/..."}, third: []string{"golang.org/x/sys"}},                                                                                                // guests in a process of their own; knows no engine
	"host/wasm/hostile":  {local: []string{"abi", "host/wasm/binary"}},                                                                                                                                                   // modules that attack the host, for tests and bench/hostile
	"host/wasm/module":   {local: []string{"abi", "host/jsonspan", "host/wasm/binary", "host/wasm/fault", "internal/suggest"}},                                                                                           // the file format and the contract; compiles no module
	"host/reloop":        {local: []string{"abi", "host/wasm/binary"}},                                                                                                                                                   // module file -> module file, when it is packed; runs no module
	"host/procgroup":     {third: []string{"golang.org/x/sys"}},                                                                                                                                                          // ends a program with its child processes: servers of MCP and of LLMs, compilers
	"host/llm":           {local: []string{"internal/atomicfile", "abi", "host/object", "host/jsonspan", "host/procgroup", "host/credential", "host/homedir", "host/llm/llmconfig", "host/secret"}},                      // settings and secrets are object's; JSON answers are checked
	"host/llm/llmconfig": {local: []string{"host/homedir", "host/object", "host/secret", "host/strictyaml", "internal/suggest"}},                                                                                         // the llm section of the settings, also for commands that start no LLM
	"host/loadmark":      {},                                                                                                                                                                                             // marks of modules that are being loaded; knows no module
	"host/trust":         {local: []string{"abi"}, third: []string{"aead.dev/minisign", "golang.org/x/mod"}},                                                                                                             // which local modules the user has approved
	"host/pin":           {local: []string{"abi", "host/filelock", "host/homedir", "host/object", "internal/atomicfile"}},                                                                                                // which definitions of tools the user has approved
	"host/filelock":      {third: []string{"golang.org/x/sys"}},                                                                                                                                                          // the lock of a home, on unix and Windows
	"host/cache":         {local: []string{"abi", "host/flow"}, third: []string{"go.etcd.io/bbolt"}},
	"host/registry":      {local: []string{"abi", "internal/atomicfile"}, third: []string{"github.com/fsnotify/fsnotify"}},
	"host/content":       {local: []string{"abi", "host/flow"}},
	"host/heading":       {},                                                 // headings as people type them
	"host/syntax":        {local: []string{"host/heading", "host/jsonspan"}}, // the rules that a stage declares; names no type of content but JSON
	"host/section":       {local: []string{"abi", "host/flow", "host/section/..."}},
	"host/event":         {local: []string{"abi", "host/flow"}},
	"host/event/query":   {local: []string{"abi", "host/event", "host/flow", "internal/suggest"}}, // one query language for listings, holds, export and the page; event does not know it
	"host/breaker":       {local: []string{"abi"}},                                                // disables stages and controllers that keep failing: one state machine for both
	"host/pipeline":      {local: []string{"abi", "host/flow", "host/breaker"}},
	"host/controller":    {local: []string{"abi", "host/flow", "host/breaker", "host/jsonspan"}},                                                                                                                                                                                                                                                                                   // edits definitions of tools as spans
	"host/live":          {local: []string{"internal/atomicfile", "abi", "host/controller", "host/event", "host/failure", "host/flow", "host/homedir", "host/llm", "host/llm/llmconfig", "host/object", "host/proxy", "host/proxy/choice", "host/proxymodel", "host/registry", "host/secret", "host/store", "host/strictyaml", "host/team", "host/transform", "internal/suggest"}}, // the configuration in use, and its reload
	"host/team":          {local: []string{"abi", "host/flow", "host/homedir", "host/jsonspan", "host/object", "host/secret", "host/strictyaml", "internal/atomicfile"}},                                                                                                                                                                                                           // the objects of mcpd; the only package that sends its token
	"host/sharedcache":   {local: []string{"abi", "host/credential", "host/flow"}},                                                                                                                                                                                                                                                                                                 // results of stages on mcpd; sends no token itself, and does not decode results
	"host/team/teamtest": {},                                                                                                                                                                                                                                                                                                                                                       // a fake of mcpd
	"host/telemetry":     {local: []string{"abi", "host/event", "host/flow"}},                                                                                                                                                                                                                                                                                                      // reads the events of the ring; nothing calls it on the way of a request
	"host/metrics":       {local: []string{"host/cache", "host/content", "host/event", "host/flow", "host/llm", "host/proxy", "host/sharedcache"}},                                                                                                                                                                                                                                 // the figures of all of these at /metrics
	"host/proxymodel":    {local: []string{"abi", "host/glob", "host/object", "host/manifest", "host/store", "host/strictyaml", "internal/suggest"}},
	"host/failure":       {local: []string{"abi", "host/flow"}},                                                                                                                                                                                       // failures of guests, for status and the log
	"host/guestlog":      {local: []string{"abi"}},                                                                                                                                                                                                    // lines of guests, for the log
	"host/pool":          {local: []string{"abi", "host/flow", "host/jsonrpc", "host/object", "host/proxy", "host/proxy/catalog", "host/upstream", "host/credential", "host/secret"}},                                                                 // connections of sessions to servers
	"host/prompt":        {local: []string{"abi", "host/flow", "host/object", "host/store"}},                                                                                                                                                          // the prompts of a project: index, summaries, links, proposals
	"host/hold":          {local: []string{"abi"}},                                                                                                                                                                                                    // answers that wait for a person; knows no protocol
	"host/correction":    {local: []string{"abi"}},                                                                                                                                                                                                    // edits of answers, as files
	"host/review":        {local: []string{"abi", "host/correction", "host/event", "host/flow", "host/hold", "host/proxy"}},                                                                                                                           // what a person sees of answers and does with them
	"host/transform":     {local: []string{"abi", "host/cache", "host/content", "host/credential", "host/event", "host/failure", "host/flow", "host/guestlog", "host/jsonspan", "host/pipeline", "host/proxymodel", "host/registry", "host/section"}}, // transforms the content of a result: filters, original, stages, sections
	"host/stateless":     {local: []string{"host/jsonrpc", "host/jsonspan", "host/proxy/jsonedit"}},                                                                                                                                                   // the protocol version without sessions, for both sides
	"host/upstream":      {local: []string{"abi", "host/flow", "host/jsonrpc", "host/jsonspan", "host/procgroup", "host/proxy/jsonedit", "host/stateless"}, third: []string{"golang.org/x/sys"}},
	"host/recording":     {local: []string{"abi", "host/credential", "host/flow"}},                       // sessions on disk; knows neither the proxy nor how they are played again
	"host/replay":        {local: []string{"host/flow", "host/jsonrpc", "host/proxy", "host/recording"}}, // answers for servers from a recording
	"host/proxy":         {local: []string{"abi", "host/flow", "host/jsonrpc", "host/jsonspan", "host/pin", "host/proxy/...", "host/stateless"}, third: []string{"golang.org/x/sync"}},

	"host/wasm/imports":   {local: []string{"abi", "host/jsonspan", "host/syntax", "host/wasm/..."}}, // the functions that guests call; knows no engine
	"host/wasm/tree":      {local: []string{"abi", "host/wasm/fault"}},                               // the sections that a guest adds
	"host/wasm/search":    {local: []string{"abi"}},                                                  // text and patterns in buffers
	"host/wasm/jsonindex": {local: []string{"host/jsonspan"}},                                        // JSON in buffers

	"host/lab": {local: []string{"abi", "host/controller", "host/failure", "host/flow", "host/jsonspan", "host/object", "host/proxymodel", "host/section", "host/section/crawl", "host/transform", "host/wasm", "host/wasm/module", "host/reloop", "host/manifest", "host/store", "host/strictyaml"}}, // stages and proxymodels as their authors run and check them, modules as they pack them

	"host/proxy/jsonedit":   {local: []string{"host/jsonspan"}},                                                                                                           // edits of one JSON text: every package of the proxy changes messages that it otherwise passes on
	"host/proxy/choice":     {local: []string{"host/glob"}},                                                                                                               // which tools of servers a project offers
	"host/proxy/names":      {},                                                                                                                                           // names that clients use for tools and prompts
	"host/proxy/stream":     {local: []string{"host/jsonrpc"}},                                                                                                            // frames to clients over streamable HTTP
	"host/proxy/greeting":   {local: []string{"host/jsonspan", "host/proxy/jsonedit"}},                                                                                    // capabilities and instructions of several servers as those of one
	"host/proxy/task":       {local: []string{"host/flow", "host/jsonspan", "host/proxy/jsonedit", "host/proxy/names"}},                                                   // whose task it is, and its id on both sides
	"host/proxy/result":     {local: []string{"abi", "host/flow", "host/jsonrpc", "host/jsonspan", "host/proxy/jsonedit"}},                                                // the parts of a result and how they are rebuilt
	"host/proxy/view":       {local: []string{"abi", "host/flow", "host/proxy/result"}},                                                                                   // runs the pipeline over the parts
	"host/proxy/catalog":    {local: []string{"abi", "host/flow", "host/jsonrpc", "host/jsonspan", "host/pin", "host/proxy/jsonedit", "host/proxy/names"}},                // the lists of servers
	"host/proxy/lists":      {local: []string{"abi", "host/flow", "host/jsonspan", "host/proxy/catalog", "host/proxy/jsonedit", "host/proxy/names", "host/proxy/result"}}, // the lists of a client
	"host/proxy/proxytest":  {local: []string{"host/flow", "host/jsonrpc", "host/jsonspan", "host/proxy/jsonedit", "host/stateless"}},                                     // for tests of both fronts a client can meet
	"host/section/display":  {local: []string{"abi"}},
	"host/section/tree":     {local: []string{"abi", "host/jsonspan"}},
	"host/section/language": {local: []string{"host/jsonspan", "host/section/tree", "host/syntax"}},
	"host/section/ids":      {local: []string{"abi", "host/section/tree"}},
	"host/section/printer":  {local: []string{"abi", "host/section/display", "host/section/ids", "host/section/tree"}},
	"host/section/find":     {local: []string{"abi", "host/heading", "host/jsonspan", "host/section/ids", "host/section/printer", "host/section/tree"}},
	"host/section/search":   {local: []string{"abi", "host/section/display", "host/section/find", "host/section/ids", "host/section/printer", "host/section/tree"}},
	"host/section/crawl":    {local: []string{"abi", "host/flow"}}, // drill-down from outside, as a check for authors and tests: independent of the implementation
	"host/hosttest":         {local: []string{"abi", "host/...", "plugins"}},
	"host":                  {local: []string{"internal/atomicfile", "abi", "host/...", "internal/suggest", "plugins"}},

	"cmd/internal/problem":    {local: []string{"abi", "cmd/internal/iostreams", "host/strictyaml"}}, // prints errors; errors of files keep their positions over the socket
	"cmd/internal/api":        {local: []string{"abi", "cmd/internal/problem"}},
	"cmd/internal/release":    {third: []string{"golang.org/x/mod"}},
	"cmd/internal/ui":         {}, // the files of the web page: served by the daemon, and written with their data by the CLI
	"internal/atomicfile":     {},
	"cmd/internal/process":    {third: []string{"golang.org/x/sys"}}, // processes by pid, on unix and Windows
	"cmd/internal/schemafile": {local: []string{"host/object", "internal/atomicfile", "host/jsonschema", "host/manifest"}},
	"cmd/internal/install":    {local: []string{"abi", "internal/atomicfile"}}, // modules of stages/ and where they were built
	"cmd/internal/cmdline":    {local: []string{"abi", "host/object", "cmd/internal/problem", "internal/suggest"}, third: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}},
	"cmd/internal/manpage":    {third: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}},                                                                                                                                                                                                             // manual pages of the programs
	"cmd/internal/manage":     {local: []string{"abi", "host", "host/homedir", "host/correction", "host/event", "host/hold", "host/object", "host/prompt", "host/review", "host/secret", "host/section", "host/team", "host/upstream", "cmd/internal/...", "host/store", "host/strictyaml", "internal/suggest"}}, // the host as an api.Service: daemon and offline CLI
	"cmd/internal/config":     {local: []string{"abi", "host/credential", "host/homedir", "host/llm/llmconfig", "host/object", "host/secret", "host/strictyaml", "internal/atomicfile", "cmd/internal/problem", "internal/suggest"}},
	"cmd/internal/iostreams":  {local: []string{"abi", "host/object"}, third: []string{"golang.org/x/term"}},
	"cmd/internal/demo":       {local: []string{"abi", "host/flow", "cmd/internal/..."}, third: []string{"github.com/mark3labs/mcp-go"}},

	"bench/internal/count": {third: []string{"github.com/tiktoken-go/tokenizer"}}, // one encoding for all benchmarks

	"bench":              {local: []string{"bench/internal/..."}},
	"bench/faults":       {},                                                                                                           // runs the tests that cause faults
	"bench/files":        {local: []string{"abi", "host/wasm", "plugins"}},                                                             // the cost of indexing real files in the guest
	"bench/crash":        {local: []string{"abi", "host/wasm", "bench/internal/..."}},                                                  // SIGKILL of processes in use
	"bench/guard":        {local: []string{"abi", "host/wasm"}},                                                                        // the counters of modules that are not trusted
	"bench/hostile":      {local: []string{"abi", "bench/internal/...", "host/hosttest", "host/wasm", "host/wasm/hostile", "plugins"}}, // modules that attack the host, beside a built-in stage
	"bench/languages":    {local: []string{"abi", "host/wasm"}},                                                                        // the same stage in each language, against a function of Go
	"bench/soak":         {local: []string{"bench/internal/..."}},                                                                      // a daemon under load for minutes
	"bench/studio":       {},                                                                                                           // drives the built program, and is its daemon
	"bench/internal/rig": {},                                                                                                           // a daemon, a client and a server for the benchmarks
	"bench/session":      {local: []string{"bench/internal/..."}},                                                                      // an agent's session, with the built programs
	"bench/demoteam":     {third: []string{"github.com/modelcontextprotocol/go-sdk"}},                                                  // the built programs, an MCP server and an agent
	"bench/team":         {third: []string{"github.com/anishathalye/porcupine"}},                                                       // the built mcpd, over HTTP; porcupine checks histories
	"bench/tokens":       {local: []string{"bench/internal/..."}, third: []string{"github.com/yuin/goldmark"}},
	"packaging/...":      {}, // archives and packages of a release
	"e2e":                {},
	"internal/tmux":      {},                                                                                     // a terminal with a program in it: for e2e and the pictures
	"docs/pictures":      {local: []string{"internal/tmux"}, third: []string{"github.com/charmbracelet/x/ansi"}}, // the width of characters
	"internal/docstest":  {},                                                                                     // runs the steps of a page: in tests of commands, and in e2e with real compilers

	"cmd/mcpctl/internal/command/mcp":    {local: []string{"abi", "host/jsonrpc", "host/jsonspan", "host/stateless", "cmd/internal/...", "cmd/mcpctl/internal/..."}, third: []string{"github.com/spf13/cobra"}},                                           // carries frames
	"cmd/mcpctl/internal/command/hook":   {local: []string{"abi", "host/jsonspan", "cmd/internal/...", "cmd/mcpctl/internal/..."}, third: []string{"github.com/spf13/cobra"}},                                                                             // replaces spans of a tool's result
	"cmd/mcpctl/internal/clientconfig":   {local: []string{"abi", "host/jsonspan", "internal/atomicfile", "cmd/internal/problem"}, third: []string{"github.com/pelletier/go-toml/v2"}},                                                                    // edits spans of JSON and TOML files
	"cmd/mcpctl/internal/toolchain":      {local: []string{"abi", "host/procgroup", "cmd/internal/..."}},                                                                                                                                                  // ends a cancelled compiler with its child processes
	"cmd/mcpctl/internal/studiomcp":      {local: []string{"abi", "cmd/internal/...", "cmd/mcpctl/internal/plugin", "cmd/mcpctl/internal/textdiff", "cmd/mcpctl/internal/toolchain", "internal/suggest"}, third: []string{"github.com/mark3labs/mcp-go"}}, // an MCP server; builds stages, but knows no command and no host
	"cmd/mcpctl/internal/printer":        {local: []string{"abi", "host/object", "cmd/internal/...", "host/store", "host/strictyaml", "internal/suggest"}, third: []string{"github.com/spf13/cobra", "github.com/itchyny/gojq"}},                          // get --jq
	"cmd/mcpctl/internal/textdiff":       {local: []string{"cmd/internal/iostreams"}, third: []string{"github.com/rogpeppe/go-internal"}},                                                                                                                 // differences of texts, printed
	"cmd/mcpctl/...":                     {local: []string{"internal/atomicfile", "abi", "host/flow", "host", "host/filelock", "host/object", "host/lab", "host/pin", "host/trust", "internal/txtar", "cmd/internal/...", "cmd/mcpctl/internal/...", "host/credential", "host/event/query", "host/homedir", "host/llm/llmconfig", "host/manifest", "host/secret", "host/store", "host/strictyaml", "internal/suggest"}, third: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}},
	"cmd/mcplocal/internal/pageaccess":   {}, // decides what the page may do; depends on no other rule
	"cmd/mcplocal/...":                   {local: []string{"abi", "host", "host/wasm", "host/event", "host/guestlog", "host/telemetry", "host/object", "cmd/internal/...", "cmd/mcplocal/internal/...", "host/homedir", "host/llm/llmconfig", "host/secret", "host/store"}, third: []string{"github.com/spf13/cobra", "golang.org/x/sys"}},
	"cmd/mcpctl/internal/studio":         {local: []string{"abi", "cmd/internal/...", "cmd/mcpctl/internal/studio/...", "internal/suggest"}, third: []string{"charm.land/bubbletea/v2"}},              // the terminal screen; the only package that drives a terminal
	"cmd/mcpctl/internal/studio/screen":  {local: []string{"cmd/internal/iostreams"}, third: []string{"github.com/charmbracelet/x/ansi"}},                                                             // the width of characters, by the tables of the library that draws them
	"cmd/mcpctl/internal/studio/compare": {local: []string{"cmd/mcpctl/internal/studio/screen"}, third: []string{"github.com/aymanbagabas/go-udiff"}},                                                 // differences as rows of a screen, which textdiff prints as text
	"cmd/mcpctl/internal/playback":       {local: []string{"abi", "host", "host/flow", "host/recording", "host/replay", "cmd/internal/...", "cmd/mcpctl/internal/..."}},                               // plays recordings
	"cmd/mcpctl/internal/command/replay": {local: []string{"internal/atomicfile", "abi", "host/recording", "cmd/internal/...", "cmd/mcpctl/internal/..."}, third: []string{"github.com/spf13/cobra"}}, // describes the recording that it plays

	// The team server. mcpctl and mcplocal import none of it, and none of its libraries.
	"cmd/mcpd":                        {local: []string{"cmd/internal/problem", "cmd/mcpd/internal/serve"}},
	"cmd/mcpd/internal/reference":     {local: []string{"cmd/internal/manpage", "cmd/mcpd/internal/serve"}},
	"cmd/mcpd/internal/serve":         {local: []string{"abi", "cmd/internal/cmdline", "cmd/internal/problem", "cmd/internal/release", "cmd/mcpd/internal/...", "host/homedir", "host/object", "host/secret"}, third: []string{"github.com/spf13/cobra"}},
	"cmd/mcpd/internal/web":           {local: []string{"abi", "cmd/internal/api", "cmd/internal/problem", "cmd/mcpd/internal/...", "host/glob", "host/object", "host/prompt", "host/secret", "host/strictyaml"}, third: []string{"github.com/google/jsonschema-go"}},
	"cmd/mcpd/internal/mcpdtest":      {local: []string{"cmd/internal/api", "cmd/mcpd/internal/...", "host/object", "host/secret"}}, // a whole team server in the process of a test
	"cmd/mcpd/internal/access":        {local: []string{"abi", "cmd/mcpd/internal/...", "host/object"}, third: []string{"github.com/google/uuid"}},
	"cmd/mcpd/internal/feed":          {local: []string{"abi", "cmd/mcpd/internal/store"}},
	"cmd/mcpd/internal/store":         {local: []string{"abi", "cmd/mcpd/internal/audit", "cmd/mcpd/internal/database/...", "cmd/mcpd/internal/keyring", "host/object", "host/prompt", "host/strictyaml"}, third: []string{"github.com/google/uuid"}},
	"cmd/mcpd/internal/backup":        {local: []string{"abi", "cmd/mcpd/internal/database/...", "cmd/mcpd/internal/password", "cmd/mcpd/internal/store", "host/object", "host/strictyaml"}, third: []string{"filippo.io/age", "github.com/google/uuid", "github.com/klauspost/compress"}}, // the format of backups; knows no HTTP
	"cmd/mcpd/internal/cache":         {local: []string{"abi", "cmd/mcpd/internal/database/...", "cmd/mcpd/internal/keyring"}},                                                                                                                                                             // results of stages that callers share; knows no rights
	"cmd/mcpd/internal/audit":         {local: []string{"abi", "cmd/mcpd/internal/database/...", "cmd/mcpd/internal/keyring"}},
	"cmd/mcpd/internal/keyring":       {local: []string{"abi", "internal/atomicfile"}},                                                                                                             // credentials, encrypted; knows no database
	"cmd/mcpd/internal/database/...":  {local: []string{"abi", "cmd/mcpd/internal/database/..."}, third: []string{"github.com/jackc/pgx/v5", "github.com/pressly/goose/v3", "modernc.org/sqlite"}}, // knows no object
	"cmd/mcpd/internal/oidc":          {local: []string{"abi", "host/credential", "host/object", "host/secret"}, third: []string{"github.com/coreos/go-oidc"}},                                     // an issuer and its identities; knows no user
	"cmd/mcpd/internal/password":      {local: []string{"abi"}, third: []string{"golang.org/x/crypto", "golang.org/x/sync"}},                                                                       // hashes of passwords; knows no database
	"cmd/mcpd/internal/token":         {local: []string{"abi"}},                                                                                                                                    // the form of API tokens; knows no user
	"cmd/mcpd/internal/rbac":          {local: []string{"host/glob", "host/object"}},                                                                                                               // what a caller of the team server may do; knows neither HTTP nor the database
	"cmd/mcpd/internal/devicelogin":   {local: []string{"abi", "cmd/mcpd/internal/keyring", "cmd/mcpd/internal/oidc", "host/secret"}},                                                              // logins that clients continue; knows no user
	"cmd/mcpd/internal/oidc/oidctest": {local: []string{"host/secret"}, third: []string{"github.com/coreos/go-oidc"}},                                                                              // a fake issuer
}

// TestWalls verifies that all imports are in the import table.
func TestWalls(t *testing.T) {
	for _, file := range goFiles(t) {
		dir := filepath.ToSlash(filepath.Dir(file))
		if dir == "." {
			dir = ""
		}
		w, ok := wallOf(dir)
		if !ok {
			t.Errorf("%s: package %q has no row in the import table", file, dir)
			continue
		}
		for _, imp := range imports(t, file) {
			if !w.allows(imp) {
				t.Errorf("%s: must not import %s", file, imp)
			}
		}
	}
}

func (w wall) allows(imp string) bool {
	if local, ok := strings.CutPrefix(imp, module); ok {
		return matches(w.local, local)
	}
	first, _, _ := strings.Cut(imp, "/")
	if !strings.Contains(first, ".") {
		return true // standard library
	}
	return slices.ContainsFunc(w.third, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") })
}

func wallOf(dir string) (wall, bool) {
	if w, ok := walls[dir]; ok {
		return w, true
	}
	for p, w := range walls {
		if matches([]string{p}, dir) {
			return w, true
		}
	}
	return wall{}, false
}

func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if base, ok := strings.CutSuffix(p, "/..."); ok {
			return path == base || strings.HasPrefix(path, base+"/")
		}
		return path == p
	})
}

// goFiles lists the non-test Go files of the root module.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipDir(path, d.Name())
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// skipDir skips directories without packages of this module: other modules, hidden
// directories, test data, build output.
func skipDir(path, name string) error {
	if path == "." {
		return nil
	}
	if strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "node_modules" {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
		return filepath.SkipDir
	}
	return nil
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, s := range f.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}
