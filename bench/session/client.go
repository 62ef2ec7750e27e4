package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/bench/internal/count"
)

// Limits of Claude Code 2.1.
const (
	maxBash      = 30_000    // characters; longer output is kept in a file
	maxGrep      = 20_000    // characters
	maxGrepLines = 250       // lines without head_limit
	maxGlob      = 100       // names
	maxRead      = 25_000    // tokens, with the numbers of lines
	maxReadFile  = 256 << 10 // bytes
	maxMCP       = 50_000    // characters
	maxMCPTokens = 25_000    // above, not even the beginning is shown
	previewBytes = 2_000     // of a text that is kept in a file
)

// args are the arguments of a call.
type args map[string]any

// client runs the tools of Claude Code on a workspace.
type client struct {
	*workspace
	count *count.Counter
}

// outcome is the result of one of the client's tools, before a hook and before it is rendered.
type outcome struct {
	response []byte // the tool_response of a PostToolUse event
	plain    string // the text of a failed call or of Edit, for which the client calls no hook
	file     string // that contains the text, if the model reads only the beginning
}

// run runs a tool of the client.
func (c *client) run(ctx context.Context, tool string, a args) (outcome, error) {
	switch tool {
	case "Bash":
		return c.bash(ctx, a)
	case "Read":
		return c.read(a)
	case "Grep":
		return c.grep(a)
	case "Glob":
		return c.glob(a)
	case "Edit":
		return c.edit(a)
	}
	return outcome{}, fmt.Errorf("unknown tool %q", tool)
}

// render returns the text that the model reads of a response.
func (c *client) render(tool string, response []byte) (string, error) {
	switch tool {
	case "Bash":
		var r bashResponse
		err := json.Unmarshal(response, &r)
		return r.render(), err
	case "Read":
		var r readResponse
		err := json.Unmarshal(response, &r)
		return r.render(), err
	case "Grep":
		var r grepResponse
		if err := json.Unmarshal(response, &r); err != nil {
			return "", err
		}
		return c.limit(r.render(), maxGrep)
	}
	var r globResponse
	err := json.Unmarshal(response, &r)
	return r.render(), err
}

// limit keeps a text of more than limit characters in a file, and returns its beginning.
func (c *client) limit(text string, limit int) (string, error) {
	if utf8.RuneCountInString(text) <= limit {
		return text, nil
	}
	file, err := c.keep(text)
	return beginning(text, len(text), file), err
}

// beginning returns what the model reads of a text that is kept in a file.
func beginning(text string, size int, file string) string {
	return fmt.Sprintf("<persisted-output>\nOutput too large (%.1fKB). Full output saved to: %s\n\nPreview (first 2KB):\n%s\n...\n</persisted-output>",
		float64(size)/1024, file, strings.ToValidUTF8(text[:min(previewBytes, len(text))], ""))
}

// keptFile returns the file that a text of beginning or of resultText names, "" if there is none.
func keptFile(text string) string {
	m := keptIn.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

var keptIn = regexp.MustCompile(`(?:Full output|Output has been) saved to:? (\S+)`)

type bashResponse struct {
	Stdout      string `json:"stdout"`
	Stderr      string `json:"stderr"`
	Interrupted bool   `json:"interrupted"`
	IsImage     bool   `json:"isImage"`
	Path        string `json:"persistedOutputPath,omitempty"`
	Size        int    `json:"persistedOutputSize,omitempty"`
}

func (c *client) bash(ctx context.Context, a args) (outcome, error) {
	var stdout, stderr strings.Builder
	cmd := c.shell(ctx, fmt.Sprint(a["command"]))
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	r := bashResponse{Stdout: cleanOutput(stdout.String()), Stderr: cleanOutput(stderr.String())}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		text, err := c.limit(strings.TrimSpace(fmt.Sprintf("Exit code %d\n%s\n%s", exit.ExitCode(), r.Stdout, r.Stderr)), maxBash)
		return outcome{plain: text}, err
	}
	if err != nil {
		return outcome{}, err
	}
	if utf8.RuneCountInString(r.Stdout) > maxBash {
		r.Size = len(r.Stdout)
		if r.Path, err = c.keep(r.Stdout); err != nil {
			return outcome{}, err
		}
		r.Stdout = string([]rune(r.Stdout)[:maxBash])
	}
	return encode(r, r.Path)
}

func (r bashResponse) render() string {
	out := r.Stdout
	if r.Path != "" {
		out = beginning(out, r.Size, r.Path)
	}
	if out == "" && r.Stderr == "" {
		return "(Bash completed with no output)"
	}
	return strings.Trim(out+"\n"+r.Stderr, "\n")
}

// cleanOutput removes carriage returns, and line ends at the end.
func cleanOutput(s string) string {
	return strings.ToValidUTF8(strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\uFFFD")
}

type readResponse struct {
	Type string   `json:"type"`
	File readFile `json:"file"`
}

type readFile struct {
	Path       string `json:"filePath"`
	Content    string `json:"content"`
	NumLines   int    `json:"numLines"`
	StartLine  int    `json:"startLine"`
	TotalLines int    `json:"totalLines"`
	Truncated  bool   `json:"truncatedByTokenCap,omitempty"`
}

func (c *client) read(a args) (outcome, error) {
	name := fmt.Sprint(a["file_path"])
	b, err := os.ReadFile(name)
	if err != nil {
		return outcome{}, err
	}
	offset, isPart := a["offset"].(int)
	if !isPart && len(b) > maxReadFile {
		return outcome{plain: fmt.Sprintf("File content (%dKB) exceeds maximum allowed size (256KB). Use offset and limit parameters to read specific portions of the file, or search for specific content instead of reading the whole file.", len(b)>>10), file: name}, nil
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	r := readResponse{Type: "text", File: readFile{Path: name, StartLine: 1, TotalLines: len(lines)}}
	if isPart {
		r.File.StartLine = min(max(offset, 1), len(lines))
		lines = lines[r.File.StartLine-1:]
		if limit, ok := a["limit"].(int); ok {
			lines = lines[:min(limit, len(lines))]
		}
	}
	tokens, file := 0, ""
	for i, line := range lines {
		if tokens += c.count.Tokens(fmt.Sprintf("%d\t%s\n", r.File.StartLine+i, line)); tokens > maxRead {
			lines, r.File.Truncated, file = lines[:i], true, name
			break
		}
	}
	r.File.Content, r.File.NumLines = strings.Join(lines, "\n"), len(lines)
	return encode(r, file)
}

// render numbers the lines.
func (r readResponse) render() string {
	var b strings.Builder
	for i, line := range strings.Split(r.File.Content, "\n") {
		fmt.Fprintf(&b, "%d\t%s\n", r.File.StartLine+i, line)
	}
	if r.File.Truncated {
		fmt.Fprintf(&b, "\n[Truncated: lines %d to %d of %d are shown. Use offset and limit to read other lines.]\n", r.File.StartLine, r.File.StartLine+r.File.NumLines-1, r.File.TotalLines)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

type grepResponse struct {
	Mode      string   `json:"mode"`
	NumFiles  int      `json:"numFiles"`
	Filenames []string `json:"filenames"`
	Content   string   `json:"content,omitempty"`
	NumLines  int      `json:"numLines,omitempty"`
	Limit     int      `json:"appliedLimit,omitempty"`
}

// grep searches like ripgrep, in files that are not hidden, in the order of their names.
func (c *client) grep(a args) (outcome, error) {
	pattern, err := regexp.Compile(fmt.Sprint(a["pattern"]))
	if err != nil {
		return outcome{}, err
	}
	path, _ := a["path"].(string)
	glob, _ := a["glob"].(string)
	around, _ := a["-C"].(int)
	names, err := c.names(cmp.Or(path, "."), glob)
	if err != nil {
		return outcome{}, err
	}
	r := grepResponse{Mode: "files_with_matches", Filenames: []string{}}
	if mode, ok := a["output_mode"].(string); ok {
		r.Mode = mode
	}
	var lines []string
	for _, name := range names {
		b, err := os.ReadFile(c.absolute(name))
		if err != nil {
			return outcome{}, err
		}
		prefix := name
		if c.absolute(name) == c.absolute(path) {
			prefix = "" // ripgrep prints no name if it searches one file
		}
		found := matches(string(b), pattern, around, prefix)
		if len(found) == 0 {
			continue
		}
		lines = append(lines, found...)
		if r.Mode == "files_with_matches" {
			r.Filenames = append(r.Filenames, name)
		}
	}
	r.NumFiles = len(r.Filenames)
	if r.Mode == "content" {
		if len(lines) > maxGrepLines {
			lines, r.Limit = lines[:maxGrepLines], maxGrepLines
		}
		r.Content, r.NumLines = strings.Join(lines, "\n"), len(lines)
	}
	return encode(r, "")
}

// matches returns the lines of a text that match, with lines around them.
func matches(text string, pattern *regexp.Regexp, around int, prefix string) (out []string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	last := -1
	for i, line := range lines {
		if !pattern.MatchString(line) {
			continue
		}
		from := max(i-around, last+1)
		if around > 0 && last >= 0 && from > last+1 {
			out = append(out, "--")
		}
		for j := from; j <= min(i+around, len(lines)-1); j++ {
			separator := "-"
			if pattern.MatchString(lines[j]) {
				separator = ":"
			}
			if prefix == "" {
				out = append(out, fmt.Sprintf("%d%s%s", j+1, separator, lines[j]))
			} else {
				out = append(out, fmt.Sprintf("%s%s%d%s%s", prefix, separator, j+1, separator, lines[j]))
			}
			last = j
		}
	}
	return out
}

func (r grepResponse) render() string {
	if r.Mode == "content" {
		if r.Limit > 0 {
			return fmt.Sprintf("%s\n\n[Showing results with pagination = limit: %d]", r.Content, r.Limit)
		}
		return cmp.Or(r.Content, "No matches found")
	}
	return fmt.Sprintf("Found %d files\n%s", r.NumFiles, strings.Join(r.Filenames, "\n"))
}

type globResponse struct {
	Filenames  []string `json:"filenames"`
	DurationMs int      `json:"durationMs"`
	NumFiles   int      `json:"numFiles"`
	Truncated  bool     `json:"truncated"`
}

func (c *client) glob(a args) (outcome, error) {
	names, err := c.names(".", fmt.Sprint(a["pattern"]))
	r := globResponse{Filenames: names[:min(len(names), maxGlob)], DurationMs: 5, Truncated: len(names) > maxGlob}
	r.NumFiles = len(r.Filenames)
	if err != nil {
		return outcome{}, err
	}
	return encode(r, "")
}

func (r globResponse) render() string {
	text := strings.Join(r.Filenames, "\n")
	if r.Truncated {
		text += "\n(Results are truncated. Consider using a more specific path or pattern.)"
	}
	return text
}

// edit replaces a text that occurs once.
func (c *client) edit(a args) (outcome, error) {
	name, before, after := fmt.Sprint(a["file_path"]), fmt.Sprint(a["old_string"]), fmt.Sprint(a["new_string"])
	b, err := os.ReadFile(name)
	if err != nil {
		return outcome{}, err
	}
	if n := strings.Count(string(b), before); n != 1 {
		return outcome{}, fmt.Errorf("%s contains %q %d times", name, before, n)
	}
	text := strings.Replace(string(b), before, after, 1)
	return outcome{plain: fmt.Sprintf("The file %s has been updated successfully.", name)}, os.WriteFile(name, []byte(text), 0o600)
}

// names returns the files below a path that match a glob pattern, relative to the repository, in
// order. A pattern without a slash matches in every directory.
func (c *client) names(path, glob string) ([]string, error) {
	if glob == "" {
		glob = "**"
	} else if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	pattern := regexp.QuoteMeta(glob)
	for _, r := range [][2]string{{`\*\*/`, `(?:.*/)?`}, {`\*\*`, `.*`}, {`\*`, `[^/]*`}} {
		pattern = strings.ReplaceAll(pattern, r[0], r[1])
	}
	match, err := regexp.Compile("^" + pattern + "$")
	if err != nil {
		return nil, err
	}
	names := []string{}
	err = filepath.WalkDir(c.absolute(path), func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if err == nil && len(e.Name()) > 1 && e.Name()[0] == '.' {
				return filepath.SkipDir
			}
			return err
		}
		name := file
		if rel, err := filepath.Rel(c.repo(), file); err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
		}
		if e.Name()[0] != '.' && (match.MatchString(name) || file == c.absolute(path)) {
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// absolute returns a path of the repository as an absolute one.
func (c *client) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.repo(), filepath.FromSlash(path))
}

func encode(r any, file string) (outcome, error) {
	b, err := json.Marshal(r)
	return outcome{response: b, file: file}, err
}
