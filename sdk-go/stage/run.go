package stage

import (
	"errors"
	"runtime"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

func init() { entry.Stage = run }

// call is the state of one call; all parts of a Ctx share it.
type call struct {
	misuse error            // the first one
	bytes  map[int32][]byte // by buffer, read by Bytes
	pages  [][]byte         // free memory for records
	config int              // length of the config, 0 if unknown
}

// run runs the stage of the current role and returns its return code.
func run() int32 {
	k := &call{}
	return k.finish(k.guard(func() error {
		c := newCtx(k)
		f, err := lookup(c.Role)
		if err != nil {
			return err
		}
		return f(c)
	}))
}

// guard runs f and turns a panic into an error.
func (k *call) guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if at := panicPlace(); at != "" {
				raw.Log(raw.LogError, "panic at "+at)
			}
			err = errors.New("panic: " + format(r))
		}
	}()
	return f()
}

// panicPlace returns the file and line of the code that panicked, for the deferred
// function that has recovered; empty if they are unknown.
func panicPlace() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	panicked := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !strings.HasPrefix(f.Function, "runtime."): // runtime checks indexes and pointers
			return f.File + ":" + strconv.Itoa(f.Line)
		}
		if !more {
			return ""
		}
	}
}

// finish returns the return code for the error of a role. A misuse makes it FAIL, unless
// it failed for another reason.
func (k *call) finish(err error) int32 {
	if (err == nil || err == Pass) && k.misuse != nil {
		err = k.misuse
	}
	switch {
	case err == nil:
		return raw.ReturnDone
	case errors.Is(err, Pass):
		return raw.ReturnPass
	}
	raw.Fail(err.Error())
	return raw.ReturnFail
}

// misused records a misuse with the code that an import returned. A zero Buf has no
// call to fail.
func (k *call) misused(code int32) {
	if k != nil && k.misuse == nil {
		k.misuse = newError(code)
	}
}

// page returns memory for records, which returnPage returns to the call. Nested
// iterations have separate pages.
//
// k may be nil: a zero Buf has no call.
func (k *call) page() []byte {
	if k == nil {
		return make([]byte, pageSize)
	}
	if n := len(k.pages); n > 0 {
		p := k.pages[n-1]
		k.pages = k.pages[:n-1]
		return p
	}
	return make([]byte, pageSize)
}

func (k *call) returnPage(p []byte) {
	if k != nil {
		k.pages = append(k.pages, p)
	}
}

// pageSize is a multiple of every record's size.
const pageSize = 4096
