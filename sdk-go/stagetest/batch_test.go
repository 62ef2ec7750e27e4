package stagetest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// batched is the function of the role "batch".
var batched func(*stage.Ctx) error

func init() {
	stage.Register("batch", func(c *stage.Ctx) error {
		if err := batched(c); err != nil {
			return err
		}
		return stage.Pass
	})
}

func runBatch(text string, do func(*stage.Ctx) error) stagetest.Result {
	batched = do
	return stagetest.Run("batch", stagetest.Call{Input: text})
}

// A batch adds the same Sections as Add, SetID and Group, in any number, at the positions
// that it returned.
func TestBatch(t *testing.T) {
	const many = 1000
	add := func(c *stage.Ctx, add func(parent, start, end int, id, title string) (int, error), group func(id, title string) (int, error)) error {
		at, err := group("@all", "All of them")
		if err != nil {
			return err
		}
		for i := range many {
			id := ""
			if i%3 > 0 {
				id = fmt.Sprintf("n%d", i)
			}
			if _, err := add(at, i*10, i*10+9, id, strings.Repeat("t", i%90)); err != nil {
				return err
			}
		}
		return nil
	}
	text := strings.Repeat("0123456789", many)
	want := runBatch(text, func(c *stage.Ctx) error {
		return add(c, func(parent, start, end int, id, title string) (int, error) {
			at, err := c.Sections.Add(parent, c.Input, start, end, title)
			if err == nil && id != "" {
				err = c.Sections.SetID(at, id)
			}
			return at, err
		}, func(id, title string) (int, error) {
			at, err := c.Sections.Group(stage.Top, title)
			return at, errors.Join(err, c.Sections.SetID(at, id))
		})
	})
	got := runBatch(text, func(c *stage.Ctx) error {
		b := c.Sections.Batch()
		err := add(c, func(parent, start, end int, id, title string) (int, error) {
			return b.Add(parent, c.Input, start, end, id, title)
		}, func(id, title string) (int, error) { return b.Group(stage.Top, id, title) })
		if b.Has(many) || !b.Has(0) {
			return fmt.Errorf("of %d the first is there: %t, the last: %t", many, b.Has(0), b.Has(many))
		}
		return errors.Join(err, b.Flush())
	})
	if len(want.Sections) != many+1 || !slices.Equal(got.Sections, want.Sections) {
		t.Errorf("%d sections (%s), want %d as added one by one", len(got.Sections), got.Reason, len(want.Sections))
	}
}

// A refusal names the record, and none of the waiting Sections is added.
func TestBatchIsRefused(t *testing.T) {
	r := runBatch("0123456789", func(c *stage.Ctx) error {
		b := c.Sections.Batch()
		if _, err := b.Add(stage.Top, c.Input, 3, 3, "", ""); !errors.Is(err, stage.BadArg) {
			t.Errorf("an empty span: %v", err)
		}
		if _, err := b.Add(stage.Top, c.Input, 0, 1, "", "first"); err != nil || b.Flush() != nil {
			t.Error(err)
		}
		for _, start := range []int{1, 5, 2, 7} {
			if _, err := b.Add(stage.Top, c.Input, start, start+2, "", strings.Repeat("x", 200)); err != nil {
				t.Error(err)
			}
		}
		if err := b.Flush(); !errors.Is(err, stage.BadArg) || !strings.Contains(err.Error(), "record 2: starts at 2") {
			t.Errorf("one that starts before its sibling ends: %v", err)
		}
		at, err := b.Add(stage.Top, c.Input, 1, 2, "", "second")
		if err != nil || at != 1 {
			t.Errorf("the next one is %d, %v, want 1", at, err)
		}
		if _, err := b.Group(stage.Top, "g", "third"); err != nil {
			t.Error(err)
		}
		return b.Flush()
	})
	if len(r.Sections) != 3 || r.Sections[1].Title != "second" || r.Sections[2].Title != "third" {
		t.Errorf("%+v, %s", r.Sections, r.Reason)
	}
}

// The limits of the texts are those of Sections that are added one by one.
func TestBatchIsLimited(t *testing.T) {
	r := runBatch("x", func(c *stage.Ctx) error {
		b := c.Sections.Batch()
		title := strings.Repeat("t", 256)
		for {
			if _, err := b.Group(stage.Top, "", title); err != nil {
				if !errors.Is(err, stage.Limit) {
					t.Error(err)
				}
				return nil
			}
		}
	})
	if n := len(r.Sections); n != 8<<20/256 {
		t.Errorf("%d sections with titles of 256 bytes", n)
	}
}

// An unknown buffer is refused; groups need no buffer.
func TestBatchOfNoBuffer(t *testing.T) {
	r := runBatch("x", func(c *stage.Ctx) error {
		b := c.Sections.Batch()
		if _, err := b.Add(stage.Top, stage.Buf{}, 0, 1, "", ""); err != nil {
			return err
		}
		if err := b.Flush(); !errors.Is(err, stage.BadArg) {
			t.Errorf("no buffer: %v", err)
		}
		view, err := c.Input.View(0, 1)
		if err != nil {
			return err
		}
		_, err = b.Add(stage.Top, view, 0, 1, "a", "")
		err = errors.Join(err, b.Flush())
		view.Free()
		_, bad := b.Group(stage.Top, "b", "")
		return errors.Join(err, bad, b.Flush())
	})
	if len(r.Sections) != 2 {
		t.Errorf("%+v, %s", r.Sections, r.Reason)
	}
}
