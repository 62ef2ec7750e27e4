// Command dist builds the files of a release: an archive per system and processor, deb and
// rpm packages for Linux, and SHA-256 checksums. The team server, mcpd, has archives and packages
// of its own, for Linux. The build is reproducible.
//
// It must be run at the root of the repository.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const allTargets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// release describes a build.
type release struct {
	version string
	out     string    // output directory
	work    string    // directory of the trees to pack
	time    time.Time // modification time of all packed files
}

// target is a GOOS and a GOARCH.
type target struct{ os, arch string }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("dist", flag.ContinueOnError)
	version := flags.String("version", "", "version of the release")
	out := flags.String("out", "dist", "directory to write to")
	list := flags.String("targets", allTargets, "systems and processors, separated by commas")
	packagers := flags.String("packages", "deb,rpm", "formats of packages for Linux, separated by commas")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *version == "" {
		return fmt.Errorf("no version: want -version X.Y.Z")
	}
	targets, err := parseTargets(*list)
	if err != nil {
		return err
	}
	built, err := sourceTime(os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mcpctl-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := release{version: *version, out: *out, work: work, time: built}
	return r.build(ctx, targets, split(*packagers))
}

// build builds the archives and packages of all products, and checksums.
func (r release) build(ctx context.Context, targets []target, packagers []string) error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	var files []string
	for _, p := range products {
		built, err := r.buildProduct(ctx, p, targets, packagers)
		if err != nil {
			return err
		}
		files = append(files, built...)
	}
	return writeSums(filepath.Join(r.out, "SHA256SUMS"), files)
}

// buildProduct builds shared files, and for each target that the product supports a tree, an archive
// and packages. It returns the files that it wrote.
func (r release) buildProduct(ctx context.Context, p product, targets []target, packagers []string) ([]string, error) {
	targets = slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return !slices.Contains(p.systems, t.os) })
	if len(targets) == 0 {
		return nil, nil
	}
	shared := filepath.Join(r.work, p.name()+"-shared")
	if err := r.writeShared(ctx, p, shared); err != nil {
		return nil, err
	}
	var files []string
	for _, t := range targets {
		tree, err := r.writeTree(ctx, p, t, shared)
		if err != nil {
			return nil, err
		}
		archive, err := r.writeArchive(p, t, tree)
		if err != nil {
			return nil, err
		}
		files = append(files, archive)
		if t.os != "linux" {
			continue
		}
		for _, packager := range packagers {
			file, err := r.writePackage(ctx, packager, p, t, tree)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// fileName returns the name of an archive or package without its suffix.
func (r release) fileName(p product, t target) string {
	return fmt.Sprintf("%s_%s_%s_%s", p.name(), r.version, t.os, t.arch)
}

func parseTargets(list string) ([]target, error) {
	var targets []target
	for _, name := range split(list) {
		if name == "host" {
			name = runtime.GOOS + "/" + runtime.GOARCH
		}
		goos, arch, ok := strings.Cut(name, "/")
		if !ok || goos == "" || arch == "" {
			return nil, fmt.Errorf("target %q: want SYSTEM/PROCESSOR, such as linux/amd64, or host", name)
		}
		targets = append(targets, target{goos, arch})
	}
	return targets, nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// sourceTime parses SOURCE_DATE_EPOCH in seconds. If it is empty, sourceTime returns the
// earliest time that a zip archive can contain.
func sourceTime(epoch string) (time.Time, error) {
	if epoch == "" {
		return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH %q: want seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
