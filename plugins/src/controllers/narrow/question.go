package narrow

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

const (
	llmWait        = 3000 // milliseconds
	llmTokens      = 300  // limit for the answer
	maxDescription = 1500 // bytes
)

const instructions = "A program is about to call a tool that may fetch far more than it needs. " +
	"You get the tool, its parameters that the call left out, each with its schema, and the arguments of the call. " +
	"Say which of these parameters to add, so that less is fetched and what the call is plainly after is still among it: " +
	"a limit, a filter, fields, a date. Add only what follows from the arguments and the description; if in doubt, add nothing. " +
	"Never guess ids, names or cursors, never add what widens the call. " +
	`Answer with JSON only: {"add":{"parameter":value}}, or {"add":{}}.` + rewrite.Data

// askLLM lets the fast LLM propose arguments. ok is false if the call is too large or
// there is no answer in time.
//
// The host caches answers by the whole question, so an equal call causes no second LLM
// call. A late answer serves the next equal call.
func askLLM(c *controller.Ctx, t controller.Tool, open []parameter) (answer stage.Buf, ok bool) {
	tool, parameters, date := describe(c, t, open)
	of, err := c.Put(tool)
	if err != nil {
		return stage.Buf{}, false
	}
	choice, err := c.Put(parameters)
	if err != nil {
		return stage.Buf{}, false
	}
	if n := of.Tokens(0, -1) + choice.Tokens(0, -1) + c.Input.Tokens(0, -1); n > c.Int("maxTokens", 2000) {
		c.Log.Info("call is too large to ask about, passed on", "tokens", n)
		return stage.Buf{}, false
	}
	a, err := c.LLM.Send(stage.Request{
		Tier: stage.Fast, MaxTokens: llmTokens, System: instructions, JSON: true, Background: true,
		Parts: []stage.Text{
			stage.Words("Tool:\n"), stage.Quote(of, 0, -1),
			stage.Words("\nParameters that the call left out:\n"), stage.Quote(choice, 0, -1),
			stage.Words("\nArguments of the call:\n"), stage.Quote(c.Input, 0, -1), stage.Words(date),
		},
	})
	if err == nil {
		err = a.Wait(llmWait)
	}
	if err == nil {
		answer, err = a.Result()
	}
	if err != nil {
		c.Log.Info("no answer of the LLM, call passed on", "because", err)
		return stage.Buf{}, false
	}
	return answer, true
}

// describe returns the texts for the LLM about a tool and its open parameters. date is
// empty unless a parameter is a date, because the date makes the question a new one
// every day.
func describe(c *controller.Ctx, t controller.Tool, open []parameter) (tool, parameters, date string) {
	description, _ := t.Field("/description")
	var b strings.Builder
	for _, p := range open {
		b.WriteString(`"` + p.name + `": ` + p.schema + "\n")
		if p.isDate {
			date = "\nToday is " + formatDay(c.TimeMillis()) + ", UTC."
		}
	}
	return t.Name + ": " + caption.Of([]byte(description), maxDescription), b.String(), date
}

// formatDay formats the UTC date of a Unix time, e.g. 2025-11-21. Package time would add a
// quarter of a megabyte to the module.
//
// Source: H. Hinnant, chrono-compatible low-level date algorithms, civil_from_days.
func formatDay(unixMillis int64) string {
	days := int(unixMillis/86_400_000) + 719_468 // since 0000-03-01
	era := days / 146_097
	ofEra := days % 146_097
	year := (ofEra - ofEra/1460 + ofEra/36_524 - ofEra/146_096) / 365
	ofYear := ofEra - (365*year + year/4 - year/100)
	march := (5*ofYear + 2) / 153 // months since March
	month, dayOfMonth := march+3, ofYear-(153*march+2)/5+1
	year += 400 * era
	if month > 12 {
		month, year = month-12, year+1
	}
	return strconv.Itoa(year) + "-" + twoDigits(month) + "-" + twoDigits(dayOfMonth)
}

func twoDigits(n int) string { return strconv.Itoa(n + 100)[1:] }
