package connect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/textdiff"
	"github.com/mcpctl/mcpctl/host/credential"
)

// maxDiff is the maximum size of a printed diff in bytes. A client's file consisting of one long
// line
// would otherwise fill the screen twice.
const maxDiff = 128 << 10

// printDiff prints the changes to a client's file, with credentials masked.
func printDiff(io *iostreams.Streams, f *clientconfig.File) {
	diff := textdiff.Lines(f.Name, f.Name, string(f.Before), string(f.After))
	if len(diff) > maxDiff {
		diff = "--- " + f.Name + "\n+++ " + f.Name + "\n" + summary(f)
	}
	diff = masked(diff)
	textdiff.Print(io, diff, "", strings.Count(diff, "\n"))
}

// summary lists the changed entries, for a file whose lines are too long to print.
func summary(f *clientconfig.File) string {
	var b strings.Builder
	for _, c := range f.Changes {
		if c.Old != nil {
			fmt.Fprintf(&b, "-%q\n", c.Name)
		}
		if c.New != nil {
			fmt.Fprintf(&b, "+%q\n", c.Name)
		}
	}
	return b.String()
}

var (
	// literal matches a string of JSON or TOML.
	literal = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'[^'\n]*'`)
	// assigned matches the name before a value: "name": or name =.
	assigned = regexp.MustCompile(`(?:"((?:[^"\\\n]|\\.)*)"|([A-Za-z0-9_-]+))\s*[:=]\s*$`)
	// cutOff matches an argument at the start of a hunk, where the flag before it is not visible.
	cutOff = regexp.MustCompile(`(?m)(^@@ -\d+,\d+ \+\d+,\d+ @@\n[ +-]\s*)(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')(,?\s*)$`)
	// reference matches a value that is entirely a reference without a default.
	reference = regexp.MustCompile(`^(?:[A-Za-z]+ )?\$(?:[A-Za-z_]\w*|\{(?:[a-z]+:)?[A-Za-z_][\w.-]*\})$`)
)

const mask = "***"

// masked returns a diff with everything that looks like a credential masked: values whose name or
// form
// identifies them as credentials, and arguments of such flags.
func masked(text string) string {
	text = cutOff.ReplaceAllString(text, `${1}"`+mask+`"${2}`)
	places := literal.FindAllStringIndex(text, -1)
	args := make([]string, len(places)) // the literals as arguments of one program
	for i, at := range places {
		args[i] = unquote(text[at[0]:at[1]])
	}
	hidden := map[int]bool{}
	for _, c := range credential.Find(args...) {
		hidden[c.Arg] = true
	}
	var b strings.Builder
	end := 0
	for i, at := range places {
		b.WriteString(text[end:at[0]])
		end = at[1]
		value := text[at[0]:at[1]]
		if hidden[i] || isNamedCredential(text[:at[0]]) && args[i] != "" && !reference.MatchString(args[i]) {
			value = value[:1] + hideIn(args, i) + value[len(value)-1:]
		}
		b.WriteString(value)
	}
	b.WriteString(text[end:])
	return b.String()
}

// hideIn masks the credentials of one literal. If only its name identifies it as a credential, the
// whole literal is masked.
func hideIn(args []string, i int) string {
	shown := args[i]
	found := credential.Find(args[max(0, i-1) : i+1]...)
	found = slices.DeleteFunc(found, func(c credential.Match) bool { return c.Arg != min(i, 1) })
	if len(found) == 0 {
		return mask
	}
	for _, c := range slices.Backward(found) {
		shown = shown[:c.Start] + mask + shown[c.End:]
	}
	quoted := strconv.Quote(shown)
	return quoted[1 : len(quoted)-1]
}

func unquote(lit string) string {
	if s, err := strconv.Unquote(lit); err == nil {
		return s
	}
	return lit[1 : len(lit)-1]
}

// isNamedCredential reports whether the text ends with the name of a credential and an assignment
// sign.
func isNamedCredential(before string) bool {
	line := before[max(0, len(before)-200):]
	m := assigned.FindStringSubmatch(line)
	return m != nil && credential.IsName(m[1]+m[2])
}
