package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

const wasmSuffix = ".wasm"

// scan offers every module file in stages/ and drops the slots of deleted files.
// Files with unchanged content are not loaded again.
func (r *Registry[M]) scan(ctx context.Context) {
	r.scanning.Lock()
	defer r.scanning.Unlock()
	root, err := os.OpenRoot(r.stages)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			r.keepOnly(nil)
		} else {
			r.log.Warn("directory of modules cannot be read, loaded modules stay in service", "directory", r.stages, "cause", err)
		}
		return
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		r.log.Warn("directory of modules cannot be read, loaded modules stay in service", "directory", r.stages, "cause", err)
		return
	}
	admit, present := r.admission(), make(map[string]bool)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), wasmSuffix)
		if !ok || name == "" || isTemporary(e.Name()) {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		file, err := r.index.file(root, e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted since ReadDir
		}
		present[e.Name()] = true
		if err != nil {
			r.recordError(name, e.Name(), fmt.Errorf("module %q: %w", name, err))
			continue
		}
		if err := admit(name, file); err != nil {
			r.hold(name, e.Name(), file, fmt.Errorf("module %q: %w", name, err))
			continue
		}
		r.offer(name, e.Name(), file)
	}
	r.index.keepOnly(present)
	r.keepOnly(present)
}

// keepOnly drops the slots of files that are not present.
func (r *Registry[M]) keepOnly(present map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, s := range r.slots {
		if !s.isBuiltin() && !present[s.file] {
			r.log.Info("module removed", "file", s.label())
			r.drop(key, s)
		}
	}
}

// checkRegular returns an error unless info describes a regular file within the size limit.
func checkRegular(info fs.FileInfo) error {
	kind := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		if info.Size() > abi.LimitModuleBytes {
			return tooLargeError(info.Size())
		}
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a FIFO"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	default:
		kind = "of mode " + mode.String()
	}
	return fmt.Errorf("%w: is %s, want a file", abi.ErrConfig, kind)
}

func tooLargeError(size int64) error {
	return fmt.Errorf("%w: file is %d bytes, limit %d", abi.ErrLimit, size, abi.LimitModuleBytes)
}
