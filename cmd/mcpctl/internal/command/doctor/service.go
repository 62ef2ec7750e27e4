package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/object"
)

// maxProbes is the maximum number of servers started concurrently.
const maxProbes = 8

// maxRenamed is the maximum number of renamed tools per project that are reported individually.
const maxRenamed = 5

// place matches a file position at the end of a message.
var place = regexp.MustCompile(`\(([^()\s]+?):\d+(:\d+)?\)$`)

// ofModule matches an error of a file in stages/.
var ofModule = regexp.MustCompile(`\(stages/[^()]+\.wasm\)$`)

// unset matches an error about variables without a value and captures the first variable.
var unset = regexp.MustCompile(`\bneeds (?:\$\{)?(\w+)[^\s,]*, (?:\S+, )*(?:not set|set neither)`)

// repair captures the command of a message about something that is not approved, or not applied.
var repair = regexp.MustCompile(`: (mcpctl (?:(?:approve server|stage trust) [^\s,;()]+|daemon stop && mcpctl daemon start))`)

// weakened captures the setting of a message about a protection that it weakens.
var weakened = regexp.MustCompile(`^(isolation|dev) is `)

// checkObjects reports the problems in the files of the home.
func (e *exam) checkObjects(ctx context.Context, s api.Service) {
	status, err := s.Status(ctx)
	if err != nil {
		e.fail("files", err, "mcpctl status")
		return
	}
	for level, texts := range map[string][]string{levelError: status.Problems, levelWarning: status.Warnings} {
		for _, text := range texts {
			if unset.MatchString(text) || ofModule.MatchString(text) || e.isModeReported(text) {
				continue // reported by the probe of the server or LLM provider, by checkStages or by checkHome
			}
			e.add(level, "files", e.editCommand(text), "%s", text)
		}
	}
	if len(status.Problems)+len(status.Warnings) == 0 {
		e.add(levelOK, "files", "", "%s, %s", printer.Plural(len(status.Servers), "server"), printer.Plural(len(status.Projects), "project"))
	}
}

// editCommand returns the command that a message names, or one that opens the file that it
// names.
func (e *exam) editCommand(message string) string {
	if m := repair.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	if m := weakened.FindStringSubmatch(message); m != nil {
		return "mcpctl config set " + m[1] + " ''"
	}
	if m := place.FindStringSubmatch(message); m != nil {
		return "${EDITOR:-vi} " + problem.Arg(filepath.Join(e.home, filepath.FromSlash(m[1])))
	}
	return "mcpctl status"
}

// checkServers starts all servers, at most maxProbes at a time, and checks the names of their
// tools. It
// sets no time limit of its own: killing npx during an installation would leave a damaged package
// cache. Without hasTeam it does not call the servers of the team server.
func (e *exam) checkServers(ctx context.Context, s api.Service, hasTeam bool) {
	servers, err := s.Objects(ctx, "server", "")
	if err != nil {
		e.fail("servers", err, "mcpctl get servers")
		return
	}
	if !hasTeam {
		servers = e.withoutTeam(servers)
	}
	probes, errs := make([]api.ServerProbe, len(servers)), make([]error, len(servers))
	e.doing.Store("starting servers")
	var wait sync.WaitGroup
	slots := make(chan struct{}, maxProbes)
	pending := &pendingNames{total: len(servers)}
	for _, server := range servers {
		pending.names = append(pending.names, server.Name)
	}
	for i, server := range servers {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			probes[i], errs[i] = s.ProbeServer(ctx, server.Name)
			pending.remove(server.Name, &e.doing)
		})
	}
	wait.Wait()
	e.doing.Store("checking projects")
	tools := make(map[string][]string)
	for i, server := range servers {
		check := "server/" + server.Name
		if isTeam := server.Source == api.SourceTeam; isTeam && isWithoutRight(errs[i]) {
			e.add(levelOK, check, problem.From(errs[i]).Hint, "not checked: you have %s", problem.From(errs[i]).Message)
			continue
		}
		if errs[i] != nil {
			command := "mcpctl edit server " + problem.Arg(server.Name)
			if server.Source == api.SourceTeam { // its owner is another person, and mcpd has its credentials
				command = "mcpctl describe server " + problem.Arg(server.Name)
			}
			e.failProbe(check, errs[i], command)
			continue
		}
		tools[server.Name] = probes[i].Tools
		e.add(levelOK, check, "", "starts and lists %s", printer.Plural(len(probes[i].Tools), "tool"))
	}
	e.checkNames(ctx, s, tools)
}

// maxPendingText is the maximum length of the names in a progress line, because a line that wraps
// cannot be overwritten.
const maxPendingText = 30

// pendingNames is the set of servers that are still being probed. It is safe for concurrent use.
type pendingNames struct {
	mu    sync.Mutex
	names []string
	total int
}

// remove removes a name and stores the new description in doing.
func (p *pendingNames) remove(name string, doing *atomic.Value) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names = slices.DeleteFunc(p.names, func(n string) bool { return n == name })
	rest := strings.Join(p.names, ", ")
	if len(rest) > maxPendingText {
		rest = rest[:maxPendingText] + "..."
	}
	doing.Store(fmt.Sprintf("%d of %d servers done, waiting for %s", p.total-len(p.names), p.total, rest))
}

// failProbe adds the error of a probe. For an unset variable, the suggested command sets it.
func (e *exam) failProbe(check string, err error, command string) {
	p := problem.From(err)
	switch {
	case p.Code == "E_TIMEOUT":
		e.add(levelError, check, command, "no answer within %v", e.Timeout)
	case unset.MatchString(p.Message):
		message, _, _ := strings.Cut(p.Message, ": see mcpctl ")
		e.add(levelError, check, "mcpctl config set-secret "+unset.FindStringSubmatch(p.Message)[1], "%s", message)
	default:
		e.fail(check, err, command)
	}
}

// checkNames reports tools that are renamed for clients, and choices of tools without effect.
func (e *exam) checkNames(ctx context.Context, s api.Service, tools map[string][]string) {
	projects, err := s.Objects(ctx, "project", "")
	if err != nil {
		e.fail("projects", err, "mcpctl get projects")
		return
	}
	for _, p := range projects {
		var d api.ProjectDetails
		if err := json.Unmarshal(p.Details, &d); err != nil || d.ProxyMode == object.ModeDirect {
			continue // missing details are reported as an invalid file
		}
		e.checkChoice(p.Name, d, tools)
		renamed := host.RenamedTools(p.Name, d.ToolNames == "bare", d.Servers, tools)
		for i, r := range renamed {
			why := "another tool has the same name"
			if r.Long {
				why = "its name is longer than clients allow"
			}
			if i == maxRenamed {
				e.add(levelWarning, "project/"+p.Name, "mcpctl get tools --project "+p.Name, "%s renamed too", printer.Plural(len(renamed)-i, "tool"))
				break
			}
			e.add(levelWarning, "project/"+p.Name, "mcpctl get tools --project "+p.Name, "tool %s is renamed to %s: %s; use a shorter name for the project or server", r.Label, r.Wire, why)
		}
	}
}

// checkChoice reports patterns of a project's choice of tools that match no tool. It reports
// none if a server could not be listed.
func (e *exam) checkChoice(project string, d api.ProjectDetails, tools map[string][]string) {
	var labels []string
	for _, server := range d.Servers {
		if len(tools[server]) == 0 {
			return
		}
		for _, tool := range tools[server] {
			labels = append(labels, server+"/"+tool)
		}
	}
	for _, p := range (host.ToolChoice{Allow: d.AllowTools, Deny: d.DenyTools}).Unmatched(labels) {
		e.add(levelWarning, "project/"+project, "mcpctl get tools --project "+project, "%s has %q, which matches no tool", p.Field, p.Text)
	}
}

func (e *exam) checkStages(ctx context.Context, s api.Service) {
	e.doing.Store("checking stages")
	stages, err := s.Stages(ctx)
	if err != nil {
		e.fail("stages", err, "mcpctl get stages")
		return
	}
	ready := 0
	for _, st := range stages {
		check, command := "stage/"+st.Name, "mcpctl describe stage "+problem.Arg(st.Name)
		switch {
		case strings.HasPrefix(st.Status, "failed"):
			if m := repair.FindStringSubmatch(st.Status); m != nil {
				command = m[1]
			}
			e.add(levelError, check, command, "%s", st.Status)
		case st.LastError != nil && st.LastError.Now:
			e.add(levelWarning, check, command, "its last run failed: %s", st.LastError.Cause)
		case st.Plugin != nil && st.Plugin.Problem != "":
			e.add(levelWarning, check, command, "%s", st.Plugin.Problem)
		default:
			ready++
		}
	}
	if ready == len(stages) { // otherwise there is a finding for each of the others
		e.add(levelOK, "stages", "", "%d ready", ready)
	}
}

// checkLLMs sends one short request to each provider.
func (e *exam) checkLLMs(ctx context.Context, s api.Service) {
	providers, err := s.LLMProviders(ctx)
	if err != nil {
		e.fail("llm", err, "mcpctl get llmproviders")
		return
	}
	e.doing.Store("asking LLM providers")
	errs := make([]error, len(providers))
	var wait sync.WaitGroup
	for i, p := range providers {
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, e.Timeout)
			defer cancel()
			errs[i] = s.ProbeLLM(ctx, p.Name)
		})
	}
	wait.Wait()
	for i, p := range providers {
		check := "llmprovider/" + p.Name
		if errs[i] != nil {
			e.failProbe(check, errs[i], "mcpctl describe llmprovider "+problem.Arg(p.Name))
			continue
		}
		e.add(levelOK, check, "", "%s", probedAs[p.Type])
	}
}

// probedAs describes the result of a successful probe, by type of provider.
var probedAs = map[string]string{
	llmconfig.OpenAI: "answers", llmconfig.Anthropic: "answers", llmconfig.Fake: "answers from its script",
	llmconfig.GeminiCLI: "its program is installed; it was not queried", llmconfig.Managed: "its program is installed; it was not started",
}
