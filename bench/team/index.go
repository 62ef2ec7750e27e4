package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Sizes of the projects of the goal index.
const (
	smallProject = 100
	largeProject = 5000
)

// index reads the prompt index of projects: of each small one once, again with the tag of
// what was read, and of a large one.
func (b *bench) index(ctx context.Context) ([]figure, error) {
	return b.engines(ctx, func(ctx context.Context, c *cluster) ([]figure, error) {
		r := c.replicas[0]
		small := max(1, (b.prompts-largeProject)/smallProject)
		began := time.Now()
		if err := fill(ctx, r, "large", largeProject); err != nil {
			return nil, err
		}
		for i := range small {
			if err := fill(ctx, r, fmt.Sprintf("small-%d", i), smallProject); err != nil {
				return nil, err
			}
			if i%200 == 199 {
				progress("index: %s: %d prompts stored in %v", c.engine(), largeProject+(i+1)*smallProject, round(time.Since(began)))
			}
		}
		nothing, err := times(200, func(int) error { return r.call(ctx, "GET", "/healthz", nil, nil) })
		if err != nil {
			return nil, err
		}
		tags := make([]string, small)
		cold, err := times(small, func(i int) (err error) {
			tags[i], err = readIndex(ctx, r, fmt.Sprintf("small-%d", i), "", smallProject)
			return err
		})
		if err != nil {
			return nil, err
		}
		unchanged, err := times(max(small, 1000), func(i int) error {
			_, err := readIndex(ctx, r, fmt.Sprintf("small-%d", i%small), tags[i%small], 0)
			return err
		})
		if err != nil {
			return nil, err
		}
		var large []time.Duration
		work, err := c.measure(func() (err error) {
			large, err = times(200, func(i int) error {
				if i%20 == 0 { // a change between some of the reads, so that not all are of the same version
					if _, err := r.apply(ctx, promptYAML("large", "prompt-1", i), ""); err != nil {
						return err
					}
				}
				_, err := readIndex(ctx, r, "large", "", largeProject)
				return err
			})
			return err
		})
		if err != nil {
			return nil, err
		}
		ratio := func(of []time.Duration) float64 {
			return float64(quantile(of, 0.5)) / float64(quantile(nothing, 0.5))
		}
		return []figure{
			note("%d prompts", largeProject+small*smallProject),
			atMost(fmt.Sprintf("first read of a project of %d p99 (median %.1fx of an empty request)", smallProject, ratio(cold)), quantile(cold, 0.99), 10*time.Millisecond),
			atMost(fmt.Sprintf("304 p99 (%.1fx)", ratio(unchanged)), quantile(unchanged, 0.99), time.Millisecond),
			atMost(fmt.Sprintf("project of %d p99 (%.1fx, processor %v)", largeProject, ratio(large), round(work/200)), quantile(large, 0.99), 50*time.Millisecond),
		}, nil
	})
}

// fill stores a project with prompts.
func fill(ctx context.Context, r *replica, project string, prompts int) error {
	const batch = 500
	for from := 0; from < prompts; from += batch {
		var yaml strings.Builder
		fmt.Fprintf(&yaml, "---\nkind: Project\nmetadata: {name: %s}\nspec: {}\n", project)
		for i := from; i < min(from+batch, prompts); i++ {
			yaml.WriteString(promptYAML(project, fmt.Sprintf("prompt-%d", i), i))
		}
		if _, err := r.apply(ctx, yaml.String(), ""); err != nil {
			return err
		}
	}
	return nil
}

// readIndex reads a prompt index and returns its tag. With a tag it expects that the index is
// unchanged.
func readIndex(ctx context.Context, r *replica, project, tag string, prompts int) (string, error) {
	header, want := http.Header{}, http.StatusOK
	if tag != "" {
		header.Set("If-None-Match", tag)
		want = http.StatusNotModified
	}
	status, got, text, err := r.do(ctx, "GET", "/api/v1/projects/"+project+"/prompt-index", header, nil)
	if err != nil {
		return "", err
	}
	if status != want {
		return "", statusError{status, string(text[:min(len(text), 200)])}
	}
	if n := strings.Count(string(text), `"summary":`); n != prompts {
		return "", fmt.Errorf("the index of %s has %d prompts, want %d", project, n, prompts)
	}
	return got.Get("ETag"), nil
}

// times calls f n times and returns the sorted durations.
func times(n int, f func(i int) error) ([]time.Duration, error) {
	var all []time.Duration
	for i := range n {
		began := time.Now()
		if err := f(i); err != nil {
			return nil, err
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return all, nil
}
