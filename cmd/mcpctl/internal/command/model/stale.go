package model

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/process"
)

// madeBy is the first line in the file of a project that a benchmark made for one
// of its proxymodels: the process that removes it when it ends.
const madeBy = "# made by mcpctl proxymodel benchmark, process %d, which removes it when it ends\n"

// clearStale removes the projects of benchmarks that were killed. Only the content of its
// file identifies such a project, so projects of users stay whatever their names are.
func clearStale(ctx context.Context, s api.Service, home string) error {
	projects, err := s.Objects(ctx, "project", "")
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range projects {
		if pid, ok := makerOf(filepath.Join(home, p.File)); ok && !process.IsAlive(pid) {
			errs = append(errs, s.Delete(ctx, "project", "", p.Name, true))
		}
	}
	return errors.Join(errs...)
}

func makerOf(file string) (pid int, ok bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	n, err := fmt.Fscanf(f, madeBy, &pid)
	return pid, n == 1 && err == nil
}
