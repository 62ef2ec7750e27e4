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

// maxDiff bounds a difference in bytes. A client's file that is one long line would
// fill the screen with it twice.
const maxDiff = 128 << 10

// printDiff shows what changes in a client's file, with credentials masked.
func printDiff(io *iostreams.Streams, f *clientconfig.File) {
	diff := textdiff.Lines(f.Name, f.Name, string(f.Before), string(f.After))
	if len(diff) > maxDiff {
		diff = "--- " + f.Name + "\n+++ " + f.Name + "\n" + summary(f)
	}
	diff = masked(diff)
	textdiff.Print(io, diff, "", strings.Count(diff, "\n"))
}

// summary names the entries that change, for a file whose lines are too long to show.
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
	// cutOff matches an argument that begins a hunk: the flag before it is not shown.
	cutOff = regexp.MustCompile(`(?m)(^@@ -\d+,\d+ \+\d+,\d+ @@\n[ +-]\s*)(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')(,?\s*)$`)
	// reference matches a value that a client fills in, whole and without a default.
	reference = regexp.MustCompile(`^(?:[A-Za-z]+ )?\$(?:[A-Za-z_]\w*|\{(?:[a-z]+:)?[A-Za-z_][\w.-]*\})$`)
)

const mask = "***"

// masked returns a difference of a client's file with everything that looks like a credential masked:
// values whose name or form says so, and arguments after a flag that says so.
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

// hideIn masks the credentials of one literal; all of it, if its name is what tells.
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

// isNamedCredential reports whether the text ends with a name of a credential and the
// sign between a name and its value.
func isNamedCredential(before string) bool {
	line := before[max(0, len(before)-200):]
	m := assigned.FindStringSubmatch(line)
	return m != nil && credential.IsName(m[1]+m[2])
}
