package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/cli"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// TestPrintedCommandsParse collects the commands that the sources print as hints and
// next steps, and parses each by the command tree. Values that are only known at run
// time are replaced by words.
func TestPrintedCommandsParse(t *testing.T) {
	found := 0
	for _, root := range []string{".", filepath.Join("..", "internal"), filepath.Join("..", "mcplocal"), filepath.Join("..", "..", "host")} {
		for at, c := range printedCommands(t, root) {
			found++
			if err := c.check(); err != nil {
				t.Errorf("%s: %s: %v", at, c.line, err)
			}
		}
	}
	if found < 150 {
		t.Errorf("%d commands found in the sources, want more than 150: the search is broken", found)
	}
}

// TestPastedCommandsAreChecked lists lines that checkPasted accepts and rejects.
func TestPastedCommandsAreChecked(t *testing.T) {
	for _, tc := range []struct {
		line string
		ok   bool
	}{
		{"mcpctl get servers", true},
		{"mcpctl get tools --project home | grep x", true},
		{"cd x; mcpctl apply -f try.yaml; mcpctl console --script s.yaml --project x", true},
		{"https://go.dev/dl, then mcpctl stage dev lead --once", true},
		{"mcpctl add docs -- npx -y server --flag", true},
		{"mcpctl config set path \"$PATH\"", true},
		{"mcpctl explain E_CONFLICT", true},
		{"mcpctl --help", true},
		{"export TOKEN=...", true},
		{"mcpctl gets servers", false},
		{"mcpctl stage tests x", false},
		{"mcpctl get servers --projects home", false},
		{"mcpctl get nosuchkind", false},
		{"mcpctl describe nosuchkind x", false},
		{"mcpctl use subindex and be glad", false},
		{"mcpctl explain E_NOSUCH", false},
		{"mcpctl explain nosuch.spec", false},
	} {
		if err := checkPasted(tc.line); (err == nil) != tc.ok {
			t.Errorf("%s: %v, want ok %v", tc.line, err, tc.ok)
		}
	}
}

// checkPasted parses each mcpctl command of a line that a user may paste into a shell.
func checkPasted(line string) error {
	for _, args := range pastedCommands(line) {
		if err := checkCommand(args); err != nil {
			return err
		}
	}
	return nil
}

// checkCommand parses a command like the program. It runs commands that print help or a page.
func checkCommand(args []string) error {
	streams, _, _, _ := iostreams.Test()
	root := cli.NewRoot(&factory.Factory{IO: streams, Env: func(string) string { return "" }})
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if cmd.Name() == "explain" || slices.Contains(args, "--help") {
		root.SetArgs(args)
		return root.ExecuteContext(context.Background())
	}
	if !cmd.Runnable() {
		return fmt.Errorf("%s needs a command", cmd.CommandPath())
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return err
	}
	if err := cmd.ValidateRequiredFlags(); err != nil {
		return err
	}
	return checkKind(cmd, cmd.Flags().Args())
}

// checkKind checks the first argument of a command that takes a kind by its completion,
// which lists the kinds.
func checkKind(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || cmd.ValidArgsFunction == nil || !strings.Contains(cmd.Use, "KIND") {
		return nil
	}
	kinds, _ := cmd.ValidArgsFunction(cmd, nil, "")
	kind, _, _ := strings.Cut(args[0], "/")
	for _, k := range kinds {
		k, _, _ = strings.Cut(k, "\t")
		if strings.TrimSuffix(k, "s") == strings.TrimSuffix(kind, "s") {
			return nil
		}
	}
	return fmt.Errorf("%s takes no kind %q, it takes %q", cmd.CommandPath(), kind, kinds)
}

// pastedCommands returns the arguments of each mcpctl command in a line of shell.
func pastedCommands(line string) (list [][]string) {
	var cur []string
	flush := func() {
		if len(cur) > 0 && cur[0] == "mcpctl" {
			list = append(list, cur[1:])
		}
		cur = nil
	}
	for _, w := range shellWords(line) {
		bare := strings.TrimRight(w, ";,")
		switch {
		case w == "|" || w == "&&" || w == "||" || w == "then":
			flush()
			continue
		case w == "<" || w == ">":
			flush()
			cur = []string{"file"}
			continue
		}
		cur = append(cur, bare)
		if bare != w {
			flush()
		}
	}
	flush()
	return list
}

// shellWords splits at blanks outside of quotes.
func shellWords(line string) []string {
	var list []string
	var word strings.Builder
	quote, in := rune(0), false
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, in = r, true
		case quote == 0 && r == ' ':
			if in {
				list = append(list, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if in {
		list = append(list, word.String())
	}
	return list
}

// printedCommands returns the commands in the texts of the sources below a directory, by
// their position: hints, and texts that begin with a command or name one after "next:".
func printedCommands(t *testing.T, dir string) map[string]command {
	t.Helper()
	list := map[string]command{}
	files := token.NewFileSet()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, ok := textOf(e)
			if !ok {
				return true
			}
			for i, c := range commandsIn(text) {
				list[fmt.Sprintf("%s, command %d", files.Position(e.Pos()), i+1)] = c
			}
			return false
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// textOf returns a text of the source; a value that is added to it becomes %s.
func textOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, isText := textOf(e.X)
		right, ok := textOf(e.Y)
		if !isText && !ok {
			return "", false
		}
		if !isText {
			left = "%s"
		}
		if !ok {
			right = "%s"
		}
		return left + right, true
	}
	return "", false
}

var (
	printed = regexp.MustCompile(`(?:^|next: |hint: |; then |: )(mcpctl [a-z%-][^\n;)]*)|"(mcpctl [a-z][^"]*)"`)
	prose   = regexp.MustCompile(`^mcpctl (%|on |stands |knows |guest |ref )|[.\n]$`)
	mention = regexp.MustCompile(` (shows|starts|runs|takes|sets) .*`) // the command of a sentence
	verb    = regexp.MustCompile(`%[a-z]`)
	// Words for values that the command tree knows.
	known = strings.NewReplacer(
		"mcpctl get %ss", "mcpctl get servers", "mcpctl get %s ", "mcpctl get server ",
		"mcpctl describe %s %s", "mcpctl describe server x", "mcpctl delete %s %s", "mcpctl delete server x",
		"mcpctl edit %s", "mcpctl edit server", "mcpctl patch %s", "mcpctl patch server",
		"mcpctl explain %s.%s", "mcpctl explain server.spec", "mcpctl explain %s.spec", "mcpctl explain server.spec", "mcpctl explain %s", "mcpctl explain server",
		"mcpctl %s %s", "mcpctl connect cursor", "mcpctl connect %s", "mcpctl connect cursor", "mcpctl add %s %s", "mcpctl add x https://h/mcp",
		"%s--force", "--force",
	)
)

// command is a command line in a source. In a sentence the arguments are left out.
type command struct {
	line       string
	inSentence bool
}

func (c command) check() error {
	if !c.inSentence {
		return checkPasted(c.line)
	}
	root := cli.NewRoot(&factory.Factory{IO: &iostreams.Streams{}, Env: func(string) string { return "" }})
	cmd, rest, err := root.Find(strings.Fields(c.line)[1:])
	if err != nil || !cmd.HasSubCommands() || len(rest) == 0 {
		return err
	}
	return fmt.Errorf("%s has no command %s", cmd.CommandPath(), rest[0])
}

// commandsIn returns the commands in a text of the source, with words for its verbs.
// Prose that begins with the name of the program is not a command.
func commandsIn(text string) (list []command) {
	for _, m := range printed.FindAllStringSubmatch(text, -1) {
		line := known.Replace(m[1] + strings.ReplaceAll(m[2], "\n", " "))
		if prose.MatchString(line) {
			continue
		}
		c := command{verb.ReplaceAllString(mention.ReplaceAllString(line, ""), "x"), m[2] != ""}
		c.inSentence = c.inSentence || mention.MatchString(line)
		list = append(list, c)
	}
	return list
}

// printedCommand returns the command in a line that the program prints for pasting.
func printedCommand(line string) (string, bool) {
	for _, label := range []string{"hint: ", "next: "} {
		if command, ok := strings.CutPrefix(line, label); ok {
			return command, true
		}
	}
	_, command, ok := strings.Cut(line, ": mcpctl ")
	return "mcpctl " + command, ok && strings.HasPrefix(line, "warning: ")
}

// printedFile is the file to which the programs of scripts append the commands that they
// print.
const printedFile = "TEST_PRINTED"

// runRecorded is main for scripts: it records the commands that the program prints.
func runRecorded() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	streams := iostreams.System(os.Getenv)
	streams.ErrOut = &recorder{out: streams.ErrOut}
	return run(ctx, streams, os.Args[1:])
}

// recorder forwards an error output and records the commands in it.
type recorder struct {
	out  io.Writer
	line []byte // incomplete line
}

func (r *recorder) Write(p []byte) (int, error) {
	r.line = append(r.line, p...)
	if end := bytes.LastIndexByte(r.line, '\n') + 1; end > 0 {
		recordPrinted(string(r.line[:end]))
		r.line = append(r.line[:0], r.line[end:]...)
	}
	return r.out.Write(p)
}

// recordPrinted appends the commands of an error output to the file of the test.
func recordPrinted(text string) {
	path := os.Getenv(printedFile)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	for line := range strings.Lines(text) {
		if command, ok := printedCommand(line); ok {
			fmt.Fprint(f, command)
		}
	}
}

// checkPrinted parses every command that the scripts made the program print.
func checkPrinted(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return // no script printed one
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		if err := checkPasted(line); err != nil {
			t.Errorf("the program printed the command %q: %v", line, err)
		}
	}
}

// paste runs the command that the last program printed as its next step or hint.
func paste(ts *testscript.TestScript, neg bool, _ []string) {
	for _, line := range slices.Backward(strings.Split(strings.TrimSpace(ts.ReadFile("stderr")), "\n")) {
		command, ok := printedCommand(line)
		if !ok {
			continue
		}
		err := ts.Exec("sh", "-c", command)
		if neg && err == nil {
			ts.Fatalf("%s: succeeded", command)
		}
		if !neg {
			ts.Check(err)
		}
		return
	}
	ts.Fatalf("no hint and no next step in:\n%s", ts.ReadFile("stderr"))
}
