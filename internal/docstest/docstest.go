// Package docstest splits a page of docs into steps, so that a test can follow the page
// from top to bottom: write its files, run its commands, and compare their output with
// the page.
//
// A page may cover several languages. A code block in one of them, and a command
// followed by a comment with its name, apply only to that language:
//
//	cargo test --offline   # Rust
package docstest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Languages are the names that mark commands for one language.
var Languages = []string{"Go", "Rust", "AssemblyScript", "C"}

// blocks maps the info strings of code blocks to Languages.
var blocks = map[string]string{"go": "Go", "rust": "Rust", "ts": "AssemblyScript", "c": "C"}

// Step is one file to write, or one command to run.
type Step struct {
	Line int    // of the page, counted from 1
	Dir  string // working directory, relative to the initial one

	File, Text string // the file to write; empty for a command

	Command string   // the shell command to run
	Want    []string // lines of its output, in order; each is a prefix, compared word by word
}

// Fails reports whether the page shows that the command ends with an error.
func (s Step) Fails() bool {
	return slices.ContainsFunc(s.Want, func(line string) bool { return strings.HasPrefix(line, "error: ") })
}

// Write writes the file of a step into dir. A file that begins with the text of the page
// is not changed, because the page may show only its beginning.
func (s Step) Write(dir string) error {
	file := filepath.Join(dir, filepath.FromSlash(s.File))
	if old, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(old), s.Text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(s.Text), 0o644)
}

// Steps returns the steps of a page for one language.
//
// A block "```LANGUAGE FILE" is a file. In a block "```sh" each line is a command. In a
// block without a language, lines with mcpctl or a pipe into it are commands, followed by
// lines of their output. "cd DIR" is not a step; it changes the directory of later steps.
func Steps(page, language string) []Step {
	var steps []Step
	dir, fence, body := "", "", strings.Builder{}
	open := false
	line := 0
	for text := range strings.Lines(page) {
		line++
		head, isFence := strings.CutPrefix(text, "```")
		switch {
		case isFence && !open:
			open, fence = true, strings.TrimSpace(head)
			body.Reset()
		case isFence:
			open = false
			steps = append(steps, readBlock(fence, body.String(), language, line-strings.Count(body.String(), "\n"), &dir)...)
		case open:
			body.WriteString(text)
		}
	}
	return steps
}

// readBlock returns the steps of one block whose text begins at a line.
func readBlock(fence, text, language string, line int, dir *string) []Step {
	kind, file, _ := strings.Cut(fence, " ")
	if of, ok := blocks[kind]; ok && of != language {
		return nil
	}
	if file != "" {
		return []Step{{Line: line, Dir: *dir, File: file, Text: text}}
	}
	if kind != "sh" && kind != "" {
		return nil // an excerpt
	}
	return readCommands(text, language, kind == "sh", line, dir)
}

// readCommands returns the commands of a block. If all is set, each line is a command.
func readCommands(text, language string, all bool, line int, dir *string) []Step {
	var steps []Step
	mine := false // whether the last command was for this language
	for text := range strings.Lines(text) {
		command, of := cutLanguage(strings.TrimSpace(text))
		line++
		if !all && !strings.HasPrefix(command, "mcpctl ") && !strings.Contains(command, "| mcpctl ") {
			if mine && command != "" {
				last := &steps[len(steps)-1]
				last.Want = append(last.Want, command)
			}
			continue
		}
		if mine = of == "" || of == language; !mine {
			continue
		}
		if to, ok := strings.CutPrefix(command, "cd "); ok {
			*dir, mine = path.Join(*dir, to), false
			continue
		}
		steps = append(steps, Step{Line: line - 1, Dir: *dir, Command: command})
	}
	return steps
}

// cutLanguage splits a line into the command and the language in its comment, if any.
func cutLanguage(line string) (command, language string) {
	command, comment, _ := strings.Cut(line, " # ")
	for _, l := range Languages {
		if comment == l || strings.HasPrefix(comment, l+":") {
			language = l
		}
	}
	return strings.TrimSpace(command), language
}

// Shown returns an error with the first line of s.Want that printed does not contain in
// order.
func (s Step) Shown(printed string) error {
	rest := strings.Split(printed, "\n")
	for _, want := range s.Want {
		at := slices.IndexFunc(rest, func(got string) bool { return begins(strings.Fields(got), strings.Fields(want)) })
		if at < 0 {
			return fmt.Errorf("line %d: %s does not print %q, but\n%s", s.Line, s.Command, want, printed)
		}
		rest = rest[at+1:]
	}
	return nil
}

func begins(words, start []string) bool {
	return len(words) >= len(start) && slices.Equal(words[:len(start)], start)
}

// Section returns the text from a heading to the next one of the same level, or to the
// end of the page.
func Section(page, heading string) (string, bool) {
	_, text, ok := strings.Cut(page, "\n"+heading+"\n")
	level, _, _ := strings.Cut(heading, " ")
	text, _, _ = strings.Cut(text, "\n"+level+" ")
	return text, ok
}

// Row is one row of a table, with trimmed cells.
type Row []string

// Table returns the rows of the first table after a heading, without the header.
func Table(page, heading string) []Row {
	text, _ := Section(page, heading)
	var rows []Row
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if len(rows) > 0 {
				break
			}
			continue
		}
		var row Row
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), " | ") {
			row = append(row, strings.TrimSpace(cell))
		}
		rows = append(rows, row)
	}
	return rows[min(2, len(rows)):]
}
