package wasm

import (
	"bufio"
	le "encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// codeRepair repairs a cache of compiled code. wazero returns an error for a damaged file
// instead of compiling again, and for a full disk after compiling. Any number of goroutines
// and processes may repair the same cache at the same time.
type codeRepair struct {
	dir      string // empty: there is no cache on disk
	log      *slog.Logger
	mustKeep bool // code that cannot be kept is an error
}

func (r *Runtime) codeRepair() codeRepair { return codeRepair{dir: r.opts.CacheDir, log: r.log} }

// compileAttempts limits the attempts to compile a module. Two suffice unless files are damaged
// meanwhile.
const compileAttempts = 5

// withRepair calls compile again after each error that only the cache has caused.
//
// Errors: abi.ErrUnavailable if the cache cannot be repaired; those of compile.
func withRepair[M any](c codeRepair, compile func() (M, error)) (compiled M, err error) {
	for attempt := range compileAttempts {
		if compiled, err = compile(); err == nil || c.dir == "" {
			return compiled, err
		}
		switch {
		case isDamage(err):
			c.log.Warn("compiled code is damaged, compiling again", "err", err)
			c.repair(err, attempt >= compileAttempts/2)
		case isFileError(err) && !c.mustKeep:
			c.log.Warn("compiled code cannot be kept", "err", err) // but it is in memory now
		default:
			return compiled, err
		}
	}
	return compiled, fault.New(abi.ErrUnavailable, "the cache of compiled code cannot be repaired (%s), try again with `mcpctl reload`", firstLine(err))
}

// isDamage reports whether compiled code could not be read.
func isDamage(err error) bool {
	return strings.Contains(err.Error(), "compilationcache:") || unreadable(err) != ""
}

// unreadable returns the path of a file that could not be opened.
func unreadable(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) && path.Op == "open" && !isBeingWritten(path.Path) {
		return path.Path
	}
	return ""
}

// isFileError reports whether the system refused to read, write or rename a file.
func isFileError(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	return errors.As(err, &path) || errors.As(err, &link)
}

// repair removes the files that are damaged. all removes the others, too, because the damage
// was not found.
func (c codeRepair) repair(cause error, all bool) {
	var err error
	switch path := unreadable(cause); {
	case path != "":
		err = os.RemoveAll(path)
	case all:
		err = emptyCodeCache(c.dir)
	default:
		err = removeDamaged(c.dir)
	}
	if err != nil {
		c.log.Warn("compiled code cannot be removed", "err", err)
	}
}

// removeDamaged removes the damaged files of compiled code. The error of a module does not
// contain the name of its file, so it reads all of them.
func removeDamaged(dir string) error {
	paths, err := codeCacheFiles(dir, compiledFiles)
	for _, p := range paths {
		if !isBeingWritten(p) && !isIntact(p) {
			err = errors.Join(err, os.RemoveAll(p))
		}
	}
	return err
}

// isIntact reports whether a file has the format of compiled code, and the code its checksum.
func isIntact(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) // another process has removed it
	}
	defer f.Close()
	c := codeFile{in: bufio.NewReaderSize(f, 64<<10)}
	c.check()
	return c.err == nil
}

// codeMagic is at the start of compiled code.
const codeMagic = "WAZEVO"

var (
	codeTable    = crc32.MakeTable(crc32.Castagnoli)
	errCodeValue = errors.New("invalid compiled code")
)

// codeFile reads a file of wazero 1.12. A file of another format seems to be damaged, which
// only means that it is compiled again.
type codeFile struct {
	in  *bufio.Reader
	err error // the first one
}

// check reads the whole file.
func (c *codeFile) check() {
	c.require(string(c.bytes(len(codeMagic))) == codeMagic)
	c.bytes(int(c.number(1))) // version
	functions := c.number(4)
	c.skip(functions, 8) // offsets in the code
	if size := c.number(8); size > 0 {
		sum := crc32.New(codeTable)
		c.copy(sum, size)
		c.require(c.number(4) == uint64(sum.Sum32()))
	}
	if hasSourceMap := c.number(1); hasSourceMap == 1 {
		c.skip(c.number(8), 16)
	} else {
		c.require(hasSourceMap == 0)
	}
	for tables := c.number(4); tables > 0 && c.err == nil; tables-- {
		c.skip(c.number(4), 5) // catch clauses
	}
	_, end := c.in.ReadByte()
	c.require(end == io.EOF)
}

func (c *codeFile) require(ok bool) {
	if !ok && c.err == nil {
		c.err = errCodeValue
	}
}

// bytes reads at most 255 bytes.
func (c *codeFile) bytes(n int) []byte {
	b := make([]byte, n)
	if c.err == nil {
		_, c.err = io.ReadFull(c.in, b)
	}
	return b
}

// number reads a number of 1 to 8 bytes.
func (c *codeFile) number(size int) uint64 {
	var b [8]byte
	copy(b[:], c.bytes(size))
	if c.err != nil {
		return 0
	}
	return le.LittleEndian.Uint64(b[:])
}

func (c *codeFile) skip(count uint64, size uint64) {
	c.require(count < 1<<40)
	c.copy(io.Discard, count*size)
}

func (c *codeFile) copy(to io.Writer, n uint64) {
	c.require(n < 1<<50)
	if c.err == nil {
		_, c.err = io.CopyN(to, c.in, int64(n))
	}
}
