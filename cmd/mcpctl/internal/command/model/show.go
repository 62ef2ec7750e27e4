package model

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/lab"
)

// show prints the answer to Out. It prints warnings, the reason why a content is shown
// whole and, for a person, a summary to ErrOut.
func show(opts *RunOptions, input []byte, res lab.ModelResult, tree []*node, whole string) error {
	streams := opts.F.IO
	for _, st := range res.Report.Stages {
		if st.Error != "" {
			fmt.Fprintf(streams.ErrOut, "warning: %s\n", iostreams.Line(st.Error))
		}
	}
	if opts.JSON {
		if err := printer.JSON(streams.Out, json.RawMessage(res.MCP)); err != nil {
			return err
		}
	}
	if err := fault(opts, res); err != nil || opts.JSON {
		return err
	}
	report := newRunReport(opts, input, res)
	switch opts.Output {
	case "json":
		return printer.JSON(streams.Out, report)
	case "yaml":
		return printer.YAML(streams.Out, report)
	}
	if streams.ErrTerminal {
		fmt.Fprintln(streams.ErrOut, note(report, res))
	}
	if whole != "" {
		fmt.Fprintln(streams.ErrOut, "note: "+iostreams.Line(whole))
	}
	if opts.Tree {
		return showTree(opts, res, tree)
	}
	_, err := io.WriteString(streams.Out, textFor(streams, res))
	return err
}

// fault returns the error of a failed answer: the client's text contains the reason.
func fault(opts *RunOptions, res lab.ModelResult) error {
	switch {
	case res.Withheld:
		p := problem.New(abi.ErrDenied, "a filter withheld the content")
		p.Cause = iostreams.Clean(string(res.Text))
		return p.WithHint("mcpctl describe proxymodel %s", opts.Model)
	case !res.IsError:
		return nil
	}
	p := problem.New(abi.ErrNotFound, "section %q not found", opts.Section)
	_, near, _ := strings.Cut(string(res.Text), "\n")
	p.Cause = strings.TrimSpace(iostreams.Clean(near))
	next := "?" + lastWord(opts.Section)
	if i := slices.IndexFunc(res.Meta.Offers, func(id string) bool { return id != "" }); i >= 0 { // "" is the content itself
		next = res.Meta.Offers[i]
	}
	file := ""
	if opts.File != "-" {
		file = " --file " + shell(opts.File)
	}
	return p.WithHint("mcpctl proxymodel run %s%s --section %s", opts.Model, file, shell(next))
}

// lastWord returns the end of a path, to search for it.
func lastWord(path string) string {
	path = strings.Trim(path, "/!? ")
	return path[strings.LastIndexAny(path, "/!?")+1:]
}

// shell quotes a word where a shell would read it otherwise.
func shell(word string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@=:+,%"
	if word != "" && strings.Trim(word, safe) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// note returns the summary for a person.
func note(r runReport, res lab.ModelResult) string {
	text := r.Report.summary()
	switch {
	case res.Meta.Kind == "": // the reason is printed separately
	case res.Meta.Bytes != nil:
		text += fmt.Sprintf("; %s, bytes [%d, %d)", res.Meta.Kind, res.Meta.Bytes[0], res.Meta.Bytes[1])
	default:
		text += "; " + string(res.Meta.Kind)
	}
	return iostreams.Line(text)
}

// textFor is the text as Out should have it: for a program the client's bytes, for
// a person nothing that moves the cursor, and an index in colours.
func textFor(streams *iostreams.Streams, res lab.ModelResult) string {
	text := string(res.Text)
	listing := res.Meta.Kind == flow.AnswerIndex || res.Meta.Kind == flow.AnswerSearch
	if streams.OutTerminal {
		text = iostreams.Clean(text)
		if listing && !strings.HasSuffix(text, "\n") {
			text += "\n" // the prompt of the shell comes next
		}
	}
	if listing && streams.OutColor {
		return painted(streams, text)
	}
	return text
}

func showTree(opts *RunOptions, res lab.ModelResult, tree []*node) error {
	streams := opts.F.IO
	if len(tree) == 0 {
		fmt.Fprintln(streams.ErrOut, "nothing to open: this is the whole text")
		_, err := io.WriteString(streams.Out, textFor(streams, res))
		return err
	}
	head := iostreams.Clean(headOf(flow.Answer{Text: res.Text}))
	if _, err := io.WriteString(streams.Out, painted(streams, head)+treeText(streams, tree)); err != nil {
		return err
	}
	if n := closedIn(tree); n > 0 {
		fmt.Fprintf(streams.ErrOut, "%s marked + not opened: a tree has %d lines at most; --section ID --tree shows one of them\n",
			printer.Plural(n, "section"), maxTreeLines)
	}
	return nil
}
