package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	present := make(map[string]bool)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), wasmSuffix)
		if !ok || name == "" || isTemporary(e.Name()) {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		content, err := readModule(root, e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted since ReadDir
		}
		present[e.Name()] = true
		if err != nil {
			r.recordError(name, e.Name(), fmt.Errorf("module %q: %w", name, err))
			continue
		}
		if r.admit != nil {
			hash := hashOf(content)
			if err := r.admit(name, hash, content); err != nil {
				r.hold(name, e.Name(), hash, fmt.Errorf("module %q: %w", name, err))
				continue
			}
		}
		r.offer(name, e.Name(), content)
	}
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

// readModule reads one regular file in root. It opens nothing that may block and
// follows no link out of root.
//
// Errors: abi.ErrConfig, abi.ErrLimit, or an error of the system.
func readModule(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if info, err = root.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: is a dangling symbolic link", abi.ErrConfig)
		} else if err != nil {
			return nil, fmt.Errorf("%w: is a symbolic link out of %s/, copy the file there", abi.ErrConfig, stagesDir)
		}
	}
	if err := checkRegular(info); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0) // it may be a FIFO by now
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := checkRegular(info); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, abi.LimitModuleBytes+1))
	if err == nil && len(content) > abi.LimitModuleBytes {
		err = tooLargeError(info.Size())
	}
	return content, err
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
