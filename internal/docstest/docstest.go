// Package docstest reads a page of docs as one who follows it from top to bottom: the
// files it shows are written, its commands are run, and what it shows of their output
// is looked for in what they print.
//
// A page of this kind speaks to people of several languages. A code block of one of
// them, and a command with its name in a comment behind it, are for those alone:
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

// Languages are the names by which a page marks what is for one of them.
var Languages = []string{"Go", "Rust", "AssemblyScript", "C"}

// blocks are the languages of code blocks that are for one of Languages.
var blocks = map[string]string{"go": "Go", "rust": "Rust", "ts": "AssemblyScript", "c": "C"}

// Step is one thing that a page tells its reader to do.
type Step struct {
	Line int    // of the page, counted from 1
	Dir  string // where, relative to where the reader began

	File, Text string // the file to write, if it is one

	Command string   // else the command to run, for a shell
	Want    []string // lines of its output, in order, each from its start, word by word
}

// Fails reports whether the page shows that the command ends with an error.
func (s Step) Fails() bool {
	return slices.ContainsFunc(s.Want, func(line string) bool { return strings.HasPrefix(line, "error: ") })
}

// Write writes the file of a step below a folder. One that begins as the page shows
// stays as it is: the page may show the first part of what is there.
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

// Steps are those of a page for one language.
//
// Shape: a block "```LANGUAGE FILE" is a file; in a block "```sh" each line is a
// command; in a block without a language lines with mcpctl or a pipe into it are
// commands, what follows them is output. "cd FOLDER" is no step: it holds from there on.
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
			steps = append(steps, block(fence, body.String(), language, line-strings.Count(body.String(), "\n"), &dir)...)
		case open:
			body.WriteString(text)
		}
	}
	return steps
}

// block are the steps of one block whose text begins at a line.
func block(fence, text, language string, line int, dir *string) []Step {
	kind, file, _ := strings.Cut(fence, " ")
	if of, ok := blocks[kind]; ok && of != language {
		return nil
	}
	if file != "" {
		return []Step{{Line: line, Dir: *dir, File: file, Text: text}}
	}
	if kind != "sh" && kind != "" {
		return nil // an excerpt of something
	}
	return commands(text, language, kind == "sh", line, dir)
}

func commands(text, language string, all bool, line int, dir *string) []Step {
	var steps []Step
	mine := false // whether the last command was for this language
	for said := range strings.Lines(text) {
		command, of := forWhom(strings.TrimSpace(said))
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

// forWhom cuts the comment off a command; it may name the language of those whom the
// command is for.
func forWhom(said string) (command, language string) {
	command, comment, _ := strings.Cut(said, " # ")
	for _, l := range Languages {
		if comment == l || strings.HasPrefix(comment, l+":") {
			language = l
		}
	}
	return strings.TrimSpace(command), language
}

// Shown holds what a command has printed against what the page shows.
//
// Errors: the first line that is not there, or not in its order.
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

// Section is a page from a heading to the next of the same level, or to its end.
func Section(page, heading string) (string, bool) {
	_, text, ok := strings.Cut(page, "\n"+heading+"\n")
	level, _, _ := strings.Cut(heading, " ")
	text, _, _ = strings.Cut(text, "\n"+level+" ")
	return text, ok
}

// Row is one line of a table, without the cells' blanks.
type Row []string

// Table is the first table below a heading, its head left out.
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
