package narrow

import (
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// What is read of a tool: what is larger is left out, whatever a server sends.
const (
	maxProperties = 64 << 10 // bytes of all properties
	maxSchema     = 1000     // bytes of the schema of one
	maxOpen       = 24       // that are offered to the LLM
)

// parameter is a property of a tool's schema that a call left out.
type parameter struct {
	name   string // has no escapes, so it is its literal, too
	schema string
	isDate bool
}

// propertiesOf is the object of the parameters of a tool, ok if it has a size that is
// worth a look.
func propertiesOf(c *controller.Ctx, t controller.Tool) (properties stage.Buf, ok bool) {
	text, err := t.Field("/inputSchema/properties")
	if err != nil || len(text) > maxProperties || !strings.HasPrefix(text, "{") {
		return stage.Buf{}, false
	}
	properties, err = c.Put(text)
	return properties, err == nil
}

// openOf are the parameters that narrow what is fetched and that are not given.
func openOf(properties stage.Buf, given func(name string) bool) []parameter {
	var open []parameter
	seen := make(map[string]bool)
	text := properties.String()
	for _, child := range properties.JSON().Each("") {
		if child.Value.Len() > maxSchema || len(open) == maxOpen {
			continue
		}
		name := text[child.Key.Start+1 : child.Key.End-1]
		narrows, isDate := meaning(name)
		if !narrows || strings.Contains(name, `\`) || seen[name] || given(name) {
			continue
		}
		seen[name] = true
		open = append(open, parameter{name, text[child.Value.Start:child.Value.End], isDate})
	}
	return open
}

// Words of the names of parameters. What pages through results does not narrow them: it
// leaves out what comes first.
var (
	narrowing = wordSet("limit max maximum count size top first last per take head tail rows lines " +
		"filter filters where query q search pattern match contains keyword keywords only " +
		"field fields select columns exclude projection status state type kind level severity label labels category")
	dates  = wordSet("since until after before date day days hour hours minutes week weeks month time range period oldest newest latest")
	paging = wordSet("cursor token offset skip timeout retries")
)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// meaning tells by the words of a name whether a parameter narrows, and whether by date.
func meaning(name string) (narrows, isDate bool) {
	for _, w := range words(name) {
		if paging[w] {
			return false, false
		}
		isDate = isDate || dates[w]
		narrows = narrows || narrowing[w] || dates[w]
	}
	return narrows, isDate
}

// words splits pageSize, page_size and page-size.
func words(name string) []string {
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
