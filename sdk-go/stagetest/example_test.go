package stagetest_test

import (
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func init() { stage.Register("lead", lead) }

func lead(c *stage.Ctx) error {
	if at := c.Input.Find(c.String("rule", "\n---\n")); at >= 0 {
		return c.Out.Span(c.Input, 0, at)
	}
	return stage.Pass
}

func ExampleRun() {
	got := stagetest.Run("lead", stagetest.Call{
		Input:  "summary\n***\nthe rest",
		Config: `{"rule":"\n***\n"}`,
	})
	fmt.Println(got.Outcome, got.Output)
	// Output: done summary
}

func init() { stage.Register("chapters", chapters) }

// chapters adds a Section for each line that begins with # and the text below it.
func chapters(c *stage.Ctx) error {
	heads, err := c.Input.Grep(0, "^# .*", stage.ByLine)
	if err != nil {
		return err
	}
	for i, head := range heads {
		end := c.Input.Len()
		if i+1 < len(heads) {
			end = heads[i+1].Start
		}
		section, err := c.Sections.Add(stage.Top, c.Input, head.Start, end, "")
		if err != nil {
			return err
		}
		if err := c.Sections.SetTitleSpan(section, c.Input, head.Start+2, head.Len()-2); err != nil {
			return err
		}
	}
	return c.Out.Index(stage.Top, 0, 0)
}

func ExampleRun_sections() {
	got := stagetest.Run("chapters", stagetest.Call{Input: "# Setup\nplug in\n# Use\npress\n"})
	for _, s := range got.Sections {
		fmt.Printf("%s %q\n", s.ID, s.Text)
	}
	fmt.Println("indexes:", len(got.Marks))
	// Output:
	// setup "# Setup\nplug in\n"
	// use "# Use\npress\n"
	// indexes: 1
}

func TestChapters(t *testing.T) {
	stagetest.RunArchives(t, "chapters", "testdata/chapters/*.txtar")
}
