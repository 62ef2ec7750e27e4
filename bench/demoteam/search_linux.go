package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// processesWith returns the processes whose arguments contain a text.
func processesWith(text string) (found []string, err error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(text)) { // a process may have ended
			found = append(found, filepath.Base(filepath.Dir(file)))
		}
	}
	return found, nil
}

// memoryHas reports whether the memory of a process contains a text. It needs the right to trace
// the process.
func memoryHas(pid int, text string) (bool, error) {
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return false, err
	}
	defer maps.Close()
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return false, err
	}
	defer memory.Close()
	read := false
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		var from, to int64
		var mode string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &mode); err != nil || !strings.HasPrefix(mode, "rw") {
			continue
		}
		ok, err := rangeHas(io.NewSectionReader(memory, from, to-from), []byte(text))
		if ok {
			return true, nil
		}
		read = read || err == nil // some ranges are not readable
	}
	if !read {
		return false, fmt.Errorf("no memory of process %d can be read", pid)
	}
	return false, lines.Err()
}

func rangeHas(r io.Reader, text []byte) (bool, error) {
	const step = 1 << 20
	buf := make([]byte, 0, step+len(text))
	for {
		n, err := io.ReadFull(r, buf[len(buf):len(buf)+step])
		buf = buf[:len(buf)+n]
		if bytes.Contains(buf, text) {
			return true, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		buf = buf[:copy(buf, buf[len(buf)-len(text):])] // a text may cross the end of a step
	}
}
