package worker

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/host/wasm/mapping"
)

func createArea() (file *os.File, mem []byte, err error) {
	const name = "contents of mcpctl"
	fd, err := mapping.CreateFile(name)
	if err != nil {
		return nil, nil, err
	}
	file = os.NewFile(uintptr(fd), name)
	if err = file.Truncate(areaBytes); err == nil {
		mem, err = unix.Mmap(fd, 0, areaBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		file.Close()
	}
	return file, mem, err
}

// openArea maps the area that the parent has passed to this process, and closes its file.
func openArea() ([]byte, error) {
	defer unix.Close(areaFile)
	return unix.Mmap(areaFile, 0, areaBytes, unix.PROT_READ, unix.MAP_SHARED)
}

func unmapArea(mem []byte) { _ = unix.Munmap(mem) }
