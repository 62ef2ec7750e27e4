package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host/object"
)

// EachFile calls run for each file, in order. If there are several files, an error of one is
// printed and
// does not stop the others; the returned error contains the number of failed files and the code of
// the
// first error. A file with an object of an earlier file fails without a call of run. done is the
// past
// participle for messages: "applied". output is the format of the command; "json" applies to errors
// too.
//
// The error of a single file is returned unchanged. EachFile stops early if ctx is canceled or the
// daemon
// does not answer; the remaining files then count as failed.
func EachFile(ctx context.Context, f *factory.Factory, files []api.ApplyRequest, done, output string, run func(api.ApplyRequest) error) error {
	failed, code := 0, ""
	second := findDuplicates(files)
	for i, file := range files {
		err := second[i]
		if err == nil {
			err = run(file)
		}
		switch {
		case err == nil:
			continue
		case len(files) == 1, ctx.Err() != nil:
			return err
		}
		p := *problem.From(err)
		if p.At == "" && len(p.Errors) == 0 {
			p.At = file.File
		}
		problem.Print(f.IO.ErrOut, &p, output == "json")
		if failed++; failed == 1 {
			code = p.Code
		}
		if errors.Is(err, abi.ErrUnavailable) {
			failed += len(files) - i - 1
			break
		}
	}
	switch failed {
	case 0:
		return nil
	case 1:
		return &problem.Problem{Code: code, Message: fmt.Sprintf("1 of %d files was not %s", len(files), done)}
	}
	return &problem.Problem{Code: code, Message: fmt.Sprintf("%d of %d files were not %s", failed, len(files), done)}
}

// findDuplicates returns an error for each file, by index, that contains an object of an earlier
// file.
// Otherwise the last one would silently replace the first.
func findDuplicates(files []api.ApplyRequest) map[int]error {
	first := make(map[object.Key]string)
	errs := make(map[int]error)
	for i, file := range files {
		objects, _, _ := object.Decode(file.File, []byte(file.YAML)) // run reports an invalid file
		for _, o := range objects {
			key := o.Key()
			if other, ok := first[key]; ok {
				errs[i] = problem.New(abi.ErrConflict, "%s: %s is also in %s, remove one of them", file.File, key, other)
				break
			}
			first[key] = file.File
		}
	}
	return errs
}
