package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// engines calls f for SQLite, and for PostgreSQL if the flag says so.
func (b *bench) engines(ctx context.Context, f func(context.Context, *cluster) ([]figure, error)) ([]figure, error) {
	var all []figure
	for _, onPostgres := range []bool{false, true}[:1+count(b.postgres)] {
		c, err := b.start(ctx, onPostgres, 1)
		if err != nil {
			return nil, err
		}
		figures, err := f(ctx, c)
		c.stop()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.engine(), err)
		}
		for i := range figures {
			figures[i].text = c.engine() + " " + figures[i].text
		}
		all = append(all, figures...)
	}
	return all, nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// apply applies 1,000 objects of three kinds, and the same once more.
func (b *bench) apply(ctx context.Context) ([]figure, error) {
	return b.engines(ctx, func(ctx context.Context, c *cluster) ([]figure, error) {
		var yaml strings.Builder
		for i := range 50 {
			fmt.Fprintf(&yaml, "---\nkind: Server\nmetadata: {name: server-%d}\nspec: {url: \"https://server-%d.example.com/mcp\", headers: {Authorization: \"Bearer ${TOKEN}\"}}\n", i, i)
			fmt.Fprintf(&yaml, "---\nkind: Project\nmetadata: {name: project-%d}\nspec: {servers: [server-%d]}\n", i, i)
		}
		for i := range 900 {
			yaml.WriteString(promptYAML(fmt.Sprintf("project-%d", i%50), fmt.Sprintf("prompt-%d", i), i))
		}
		r := c.replicas[0]
		began := time.Now()
		var done []applied
		work, err := c.measure(func() (err error) { done, err = r.apply(ctx, yaml.String(), ""); return err })
		if err != nil {
			return nil, err
		}
		first := time.Since(began)
		before, err := r.version(ctx)
		if err != nil {
			return nil, err
		}
		began = time.Now()
		again, err := r.apply(ctx, yaml.String(), "")
		if err != nil {
			return nil, err
		}
		second := time.Since(began)
		after, err := r.version(ctx)
		if err != nil {
			return nil, err
		}
		written := 0
		for _, a := range again {
			written += count(a.Action != "unchanged")
		}
		return []figure{atMost(fmt.Sprintf("%d objects (processor %v)", len(done), round(work)), first, 2*time.Second),
			exactly(fmt.Sprintf("written by the second run in %v", round(second)), written+int(after-before), 0)}, nil
	})
}

// promptYAML returns a prompt of 600 bytes.
func promptYAML(project, name string, n int) string {
	return fmt.Sprintf("---\nkind: Prompt\nmetadata: {name: %s, project: %s}\nspec: {priority: %d, summary: \"Rules of part %d, which a model reads first.\", chapters: [Names, Errors, Tests], content: %q}\n",
		name, project, 1+n%10, n, fmt.Sprintf("Rules %d of %s. ", n, name)+strings.Repeat("Some words about names. ", 20))
}
