package describe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

func stageText(w io.Writer, width int, st api.Stage, settings config.Settings) error {
	field(w, "name", st.Name)
	field(w, "kind", string(st.Kind))
	field(w, "source", st.Source)
	field(w, "status", st.Status)
	field(w, "requires LLM", st.RequiresLLM)
	field(w, "file", st.File)
	field(w, "directory", formatPluginDir(st.Plugin, time.Now()))
	if why, failed := strings.CutPrefix(st.Status, "failed: "); failed {
		p := problem.From(errors.New(why))
		field(w, "cause", p.Cause)
		field(w, "hint", p.Hint)
	}
	if st.Role == nil {
		return nil
	}
	field(w, "summary", st.Role.Summary)
	field(w, "transforms", fmt.Sprint(st.Role.Transforming()))
	if err := moduleText(w, st, settings); err != nil {
		return err
	}
	field(w, "examples", strings.Join(st.Role.Examples, ", "))
	if len(st.Role.Config) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := iostreams.NewTable("CONFIG", "TYPE", "DEFAULT", "HELP")
	for _, c := range st.Role.Config {
		t.Row(c.Name, c.Type, string(c.Default), help(c))
	}
	return t.Wrap(width).Fprint(w)
}

// moduleText prints the properties, capabilities and limits of the module.
func moduleText(w io.Writer, st api.Stage, settings config.Settings) error {
	var info struct {
		Imports  []string
		Size     int
		Language string
		Format   string
	}
	if err := json.Unmarshal(st.Module, &info); err != nil {
		return err
	}
	language := info.Language
	if language == "" {
		language = "language unknown"
	}
	builtFor := "ABI " + st.ABI
	if info.Format == st.ABI {
		builtFor = "format " + info.Format
	}
	field(w, "module", fmt.Sprintf("%s, %s bytes, %s, %s", st.Hash[:min(12, len(st.Hash))], printer.Count(info.Size), language, builtFor))
	if st.Kind == abi.KindController {
		field(w, "hooks", hooks(st.Role.Hooks))
		field(w, "gated only", gatedOnly(st.Role.GatedOnly))
	}
	field(w, "grants", grants(st.Role.Capabilities))
	field(w, "imports", imports(info.Imports))
	field(w, "limits", fmt.Sprintf("%d ms and %d MiB a call; output: %d times the input and %d MiB more, %d MiB at most",
		settings.Duration("limits.time").Milliseconds(), settings.Bytes("limits.memory")>>20, abi.LimitOutputFactor, abi.LimitOutputExtraBytes>>20, abi.LimitOutputBytes>>20))
	return nil
}

// hooks lists the hooks that call a controller.
func hooks(wanted []abi.Hook) string {
	if len(wanted) == 0 {
		return "all that its module exports"
	}
	names := make([]string, len(wanted))
	for i, h := range wanted {
		names[i] = string(h)
	}
	return strings.Join(names, ", ")
}

func gatedOnly(only bool) string {
	if only {
		return "yes: not used in projects with gated: false"
	}
	return "no"
}

// grants describes the capabilities of a stage: those requested in its manifest, and log, which
// every
// stage has.
func grants(asked []string) string {
	if len(asked) == 0 {
		return "log only"
	}
	return strings.Join(asked, ", ") + " (from the manifest), and log"
}

// formatPluginDir describes the directory with the manifest, the source and the tests of a stage.
func formatPluginDir(p *api.PluginDir, now time.Time) string {
	switch {
	case p == nil:
		return ""
	case p.Path == "":
		return p.Problem
	case p.Problem != "":
		return p.Path + ": " + p.Problem
	}
	return fmt.Sprintf("%s, installed %s ago", p.Path, printer.Age(now.Sub(p.Installed)))
}

// help returns the description of a key with its valid values.
func help(c abi.ConfigField) string {
	text := c.Help
	if len(c.Values) > 0 {
		text += ": " + strings.Join(c.Values, ", ")
	}
	switch {
	case c.Min != nil && c.Max != nil:
		text += fmt.Sprintf("; %s to %s", number(*c.Min), number(*c.Max))
	case c.Min != nil:
		text += fmt.Sprintf("; at least %s", number(*c.Min))
	case c.Max != nil:
		text += fmt.Sprintf("; at most %s", number(*c.Max))
	}
	return text
}

func number(f float64) string {
	if n := int(f); float64(n) == f {
		return printer.Count(n)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// imports counts the imported functions by namespace.
func imports(names []string) string {
	var order []string
	counts := make(map[string]int)
	for _, n := range names {
		space := n[:max(0, strings.LastIndex(n, "."))]
		if counts[space] == 0 {
			order = append(order, space)
		}
		counts[space]++
	}
	for i, space := range order {
		order[i] = fmt.Sprintf("%s (%d)", space, counts[space])
	}
	return strings.Join(order, ", ")
}
