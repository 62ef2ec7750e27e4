package narrow

import (
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Limits on the schema of a tool; larger parts are ignored.
const (
	maxProperties = 64 << 10 // bytes of all properties
	maxSchema     = 1000     // bytes of the schema of one property
	maxOpen       = 24       // parameters that are offered to the LLM
)

// parameter is a property of a tool's schema that the call omits.
type parameter struct {
	name   string // without escapes, so it equals its literal
	schema string
	isDate bool
}

// readProperties returns the object of the parameters of a tool. ok is false if there is
// none or it is too large.
func readProperties(c *controller.Ctx, t controller.Tool) (properties stage.Buf, ok bool) {
	text, err := t.Field("/inputSchema/properties")
	if err != nil || len(text) > maxProperties || !strings.HasPrefix(text, "{") {
		return stage.Buf{}, false
	}
	properties, err = c.Put(text)
	return properties, err == nil
}

// findOpen returns the parameters that can narrow a result and are not given.
func findOpen(properties stage.Buf, given func(name string) bool) []parameter {
	var open []parameter
	seen := make(map[string]bool)
	text := properties.String()
	for _, child := range properties.JSON().Each("") {
		if child.Value.Len() > maxSchema || len(open) == maxOpen {
			continue
		}
		name := text[child.Key.Start+1 : child.Key.End-1]
		narrows, isDate := classify(name)
		if !narrows || strings.Contains(name, `\`) || seen[name] || given(name) {
			continue
		}
		seen[name] = true
		open = append(open, parameter{name, text[child.Value.Start:child.Value.End], isDate})
	}
	return open
}

// Words in names of parameters. Parameters that page through results do not narrow
// them: they would leave out the first results.
var (
	narrowing = newWordSet("limit max maximum count size top first last per take head tail rows lines " +
		"filter filters where query q search pattern match contains keyword keywords only " +
		"field fields select columns exclude projection status state type kind level severity label labels category")
	dates  = newWordSet("since until after before date day days hour hours minutes week weeks month time range period oldest newest latest")
	paging = newWordSet("cursor token offset skip timeout retries")
)

func newWordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// classify reports, by the words of a name, whether a parameter narrows and whether it is a date.
func classify(name string) (narrows, isDate bool) {
	for _, w := range splitName(name) {
		if paging[w] {
			return false, false
		}
		isDate = isDate || dates[w]
		narrows = narrows || narrowing[w] || dates[w]
	}
	return narrows, isDate
}

// splitName splits names such as pageSize, page_size and page-size.
func splitName(name string) []string {
	var spaced strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}
