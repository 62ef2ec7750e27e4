package printer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/itchyny/gojq"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// CheckJQ returns an error for an invalid jq expression.
func CheckJQ(expression string) error {
	_, err := compileJQ(expression)
	return err
}

// JQ writes each result of a jq expression applied to v on its own line: strings unquoted, other
// values
// as JSON. The expression cannot access the environment or files. Canceling ctx stops an endless
// expression.
//
// Errors: problem.ErrUsage for an invalid expression, abi.ErrConfig if the expression does not fit
// the
// value.
func JQ(ctx context.Context, to *iostreams.Streams, expression string, v any) error {
	code, err := compileJQ(expression)
	if err != nil {
		return err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // keep large integers exact
	var input any
	if err := d.Decode(&input); err != nil {
		return err
	}
	results := code.RunWithContext(ctx, input)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			return resultError(ctx, err)
		}
		if err := printResult(to, result); err != nil {
			return err
		}
	}
}

func compileJQ(expression string) (*gojq.Code, error) {
	query, err := gojq.Parse(expression)
	var code *gojq.Code
	if err == nil {
		code, err = gojq.Compile(query)
	}
	if err != nil {
		p := problem.Usagef("--jq: %v", err)
		p.Cause = "in " + expression
		return nil, p.WithHint("mcpctl get servers --jq '.[].metadata.name'")
	}
	return code, nil
}

// resultError returns the error of a run; halt without a value is not an error.
func resultError(ctx context.Context, err error) error {
	var halt *gojq.HaltError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &halt) && halt.Value() == nil:
		return nil
	}
	return problem.New(abi.ErrConfig, "--jq: %v", err).WithHint("run the command with -o json to see the value")
}

// printResult prints one result. Strings are printed raw into files and pipes; on a
// terminal, control characters of servers are escaped.
func printResult(to *iostreams.Streams, result any) error {
	text, isString := result.(string)
	if isString && to.OutTerminal {
		text = iostreams.Clean(text)
	}
	if !isString {
		b, err := gojq.Marshal(result)
		if err != nil {
			return err
		}
		text = iostreams.CleanJSON(string(b))
	}
	_, err := fmt.Fprintln(to.Out, text)
	return err
}
