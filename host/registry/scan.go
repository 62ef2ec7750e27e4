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

// scan reads every module file of stages/ and hands it in. What is unchanged,
// by its content, stays as it is.
func (r *Registry[M]) scan(ctx context.Context) {
	r.scanning.Lock()
	defer r.scanning.Unlock()
	root, err := os.OpenRoot(r.stages)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			r.keepOnly(nil)
		} else {
			r.log.Warn("folder of modules cannot be read, what was loaded stays", "folder", r.stages, "cause", err)
		}
		return
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		r.log.Warn("folder of modules cannot be read, what was loaded stays", "folder", r.stages, "cause", err)
		return
	}
	present := make(map[string]bool)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), wasmSuffix)
		if !ok || name == "" || temporary(e.Name()) {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		content, err := readModule(root, e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone since the listing
		}
		present[e.Name()] = true
		if err != nil {
			r.refuse(name, e.Name(), fmt.Errorf("module %q: %w", name, err))
			continue
		}
		r.offer(name, e.Name(), content)
	}
	r.keepOnly(present)
}

// keepOnly drops the slots of files that are gone.
func (r *Registry[M]) keepOnly(present map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, s := range r.slots {
		if !s.builtin() && !present[s.file] {
			r.log.Info("module removed", "file", s.label())
			r.drop(key, s)
		}
	}
}

// readModule reads one file of the folder, and only a file: nothing that blocks,
// and nothing outside the folder.
//
// Errors: abi.ErrConfig, abi.ErrLimit, or the system's.
func readModule(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if info, err = root.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: is a symbolic link to nothing", abi.ErrConfig)
		} else if err != nil {
			return nil, fmt.Errorf("%w: is a symbolic link out of %s/, copy the file there", abi.ErrConfig, folderStages)
		}
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0) // it may have become a FIFO since
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, abi.LimitModuleBytes+1))
	if err == nil && len(content) > abi.LimitModuleBytes {
		err = tooLarge(info.Size())
	}
	return content, err
}

func regular(info fs.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		if info.Size() > abi.LimitModuleBytes {
			return tooLarge(info.Size())
		}
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a FIFO"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	default:
		what = "of mode " + mode.String()
	}
	return fmt.Errorf("%w: is %s, want a file", abi.ErrConfig, what)
}

func tooLarge(size int64) error {
	return fmt.Errorf("%w: file is %d bytes, limit %d", abi.ErrLimit, size, abi.LimitModuleBytes)
}
