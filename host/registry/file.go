package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/mcpctl/mcpctl/abi"
)

// File is the file of a module. It holds no content, which may be large and is often not
// needed.
type File struct {
	Hash string // hexadecimal SHA-256
	open func() (io.ReadCloser, error)
}

// NewFile returns a file whose content is in memory.
func NewFile(content []byte) File {
	sum := sha256.Sum256(content)
	return File{Hash: hex.EncodeToString(sum[:]), open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
}

// Read returns the content.
//
// Errors: abi.ErrUnavailable if it has changed since the hash was taken; those of the system.
func (f File) Read() ([]byte, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(io.LimitReader(r, abi.LimitModuleBytes+1))
	if err != nil {
		return nil, err
	}
	if NewFile(content).Hash != f.Hash {
		return nil, fmt.Errorf("%w: the file has changed while it was loaded", abi.ErrUnavailable)
	}
	return content, nil
}

// file returns the file of a name in root. Its content is only read if the index does not
// know its hash.
//
// Errors: abi.ErrConfig, abi.ErrLimit, or an error of the system.
func (x *index) file(root *os.Root, name string) (File, error) {
	f, info, err := openModule(root, name)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = f.Close() }()
	file := File{open: func() (io.ReadCloser, error) { return reopen(root.Name(), name) }}
	if file.Hash = x.find(name, info); file.Hash != "" {
		return file, nil
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, abi.LimitModuleBytes+1))
	if err == nil && n > abi.LimitModuleBytes {
		err = tooLargeError(n)
	}
	if err != nil {
		return File{}, err
	}
	file.Hash = hex.EncodeToString(h.Sum(nil))
	if after, err := f.Stat(); err == nil {
		x.add(name, info, after, file.Hash)
	}
	return file, nil
}

func reopen(dir, name string) (io.ReadCloser, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	f, _, err := openModule(root, name)
	return f, err
}

// openModule opens one regular file in root. It opens nothing that may block and
// follows no link out of root.
//
// Errors: as index.file.
func openModule(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if info, err = root.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%w: is a dangling symbolic link", abi.ErrConfig)
		} else if err != nil {
			return nil, nil, fmt.Errorf("%w: is a symbolic link out of %s/, copy the file there", abi.ErrConfig, stagesDir)
		}
	}
	if err := checkRegular(info); err != nil {
		return nil, nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0) // it may be a FIFO by now
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = checkRegular(info)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
