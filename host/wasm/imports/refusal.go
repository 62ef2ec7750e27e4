package imports

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
)

// badArg is returned if the refusal was recorded where the error was found.
const badArg = int32(abi.CodeBadArg)

// refusals holds the text that last_error returns.
type refusals struct {
	function string // the name of the one that is running or ran last
	text     string
}

// refuse records the text and returns the code.
func (r *refusals) refuse(code abi.ErrCode, format string, a ...any) int32 {
	r.text = fmt.Sprintf(format, a...)
	return int32(code)
}

// FuncName returns the name of the function that runs or ran last.
func (r *refusals) FuncName() string {
	return cmp.Or(r.function, "no import")
}

// refuseSpan refuses a span that is outside of a buffer of size bytes.
func (r *refusals) refuseSpan(start, end, size int) int32 {
	return r.refuse(abi.CodeBadArg, "%s: span %d to %d is outside of the buffer of %d bytes", r.FuncName(), start, end, size)
}

// refuseNotFound returns NOT_FOUND, which needs no text, and clears an earlier text.
func (r *refusals) refuseNotFound() int32 {
	r.text = ""
	return int32(abi.CodeNotFound)
}

// refuseError records an error of the host with the code for its kind.
func (r *refusals) refuseError(err error) int32 {
	code := abi.CodeUnavailable
	for _, k := range []struct {
		kind error
		code abi.ErrCode
	}{{abi.ErrNotFound, abi.CodeNotFound}, {abi.ErrConfig, abi.CodeBadArg}, {abi.ErrLimit, abi.CodeLimit},
		{abi.ErrConflict, abi.CodeConflict}, {abi.ErrDenied, abi.CodeDenied}} {
		if errors.Is(err, k.kind) {
			code = k.code
			break
		}
	}
	return r.refuse(code, "%v", err)
}
