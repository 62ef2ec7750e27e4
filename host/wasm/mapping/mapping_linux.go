package mapping

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Image is the memory of a guest that has just started, in a file that exists in memory only.
// The mappings of guests share its pages until they write to them.
type Image struct {
	file  int
	Bytes []byte // read-only
}

// NewImage returns an image of memory, or nil if the system has no room for it.
func NewImage(memory []byte) *Image {
	if len(memory) == 0 {
		return nil
	}
	file, err := CreateFile("guest of mcpctl")
	if err != nil {
		return nil
	}
	im := &Image{file: file}
	if im.Bytes, err = fill(file, memory); err != nil {
		im.Close()
		return nil
	}
	return im
}

// CreateFile creates an empty file that exists in memory only and is closed when a program is
// executed.
func CreateFile(name string) (fd int, err error) {
	fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // before Linux 6.3
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	}
	return fd, err
}

// fill writes memory to an empty file and maps it. Pages of zeros, which are most pages of a guest
// written in Go, take no memory until they are read.
func fill(file int, memory []byte) ([]byte, error) {
	if err := unix.Ftruncate(file, int64(len(memory))); err != nil {
		return nil, err
	}
	var zeros [PageBytes]byte
	for at := 0; at < len(memory); at += PageBytes {
		page := memory[at:min(at+PageBytes, len(memory))]
		if bytes.Equal(page, zeros[:len(page)]) {
			continue
		}
		if err := writeAt(file, page, int64(at)); err != nil {
			return nil, err
		}
	}
	return unix.Mmap(file, 0, len(memory), unix.PROT_READ, unix.MAP_SHARED)
}

func writeAt(file int, b []byte, at int64) error {
	for len(b) > 0 {
		n, err := unix.Pwrite(file, b, at)
		if err != nil && err != unix.EINTR {
			return err
		}
		n = max(n, 0)
		b, at = b[n:], at+int64(n)
	}
	return nil
}

// Close frees the image. Mappings keep the pages that they share.
func (im *Image) Close() {
	if im.Bytes != nil {
		_ = unix.Munmap(im.Bytes)
	}
	_ = unix.Close(im.file)
}

// Mapping is the memory of a guest outside the heap. It may share its first pages with an
// image until the guest writes to them.
type Mapping struct {
	Bytes   []byte      // all that is reserved
	image   *Image      // nil: none
	known   []int       // the pages that were written when usage was read
	knownTo int         // known are those of the first knownTo bytes; 0: nothing is known
	usage   unix.Rusage // of this process: its faults
}

// New reserves memory, or returns nil if this process cannot find out which pages were written,
// or if there is no room.
func New(size int) *Mapping {
	if pageTable() < 0 {
		return nil
	}
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	// The system may replace small pages by a huge page, and a later write to it causes no page
	// fault, which Written needs. Systems without huge pages return an error.
	_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
	return &Mapping{Bytes: b}
}

// Close gives the memory back, which must not be used any more.
func (m *Mapping) Close() { _ = unix.Munmap(m.Bytes) }

// Share replaces the first pages by those of an image. After an error the memory must not be
// used any more.
func (m *Mapping) Share(im *Image) bool {
	_, err := unix.MmapPtr(im.file, 0, unsafe.Pointer(unsafe.SliceData(m.Bytes)), uintptr(len(im.Bytes)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	if err != nil {
		return false
	}
	m.image, m.known, m.knownTo = im, nil, 0
	return true
}

// Shares reports whether the first pages are those of an image, or copies of them.
func (m *Mapping) Shares(im *Image) bool { return m.image == im }

// Cool frees all pages that the guest does not share. Its memory must be equal to the image, and
// stays equal to it.
func (m *Mapping) Cool() {
	if m.image != nil && unix.Madvise(m.Bytes, unix.MADV_DONTNEED) == nil {
		m.known, m.knownTo = nil, 0
	}
}

// Written returns the pages among the first size bytes that were written since Share or Cool. It
// may also return pages after those of the image that were only read.
//
// The first write to a page causes a page fault, because there are no huge pages. If this process
// has had no page fault since the page table was last read, the result is the same as then: reading
// takes 20 ns a page.
func (m *Mapping) Written(size int) []int {
	var now unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &now)
	if size > m.knownTo || err != nil || now.Minflt != m.usage.Minflt || now.Majflt != m.usage.Majflt {
		m.known = readWritten(pageTable(), m.known[:0], m.Bytes[:size])
		m.usage, m.knownTo = now, size
		if err != nil {
			m.knownTo = 0
		}
	}
	end, _ := slices.BinarySearch(m.known, (size+PageBytes-1)/PageBytes)
	return m.known[:end]
}

// Bits of an entry of the page table.
const (
	pagePresent = 1 << 63
	pageSwapped = 1 << 62
	pageOfFile  = 1 << 61
)

// readWritten appends the numbers of those pages of b that are present, and not pages of a file
// that is mapped. table is the descriptor of the page table; if it cannot be read, the
// numbers of all pages are appended.
func readWritten(table int, pages []int, b []byte) []int {
	var entries [512][8]byte
	for first, count := 0, len(b)/PageBytes; first < count; {
		part := entries[:min(len(entries), count-first)]
		buf := unsafe.Slice(&part[0][0], len(part)*8)
		address := uintptr(unsafe.Pointer(unsafe.SliceData(b))) + uintptr(first*PageBytes)
		n, err := unix.Pread(table, buf, int64(address)/int64(PageBytes)*8)
		if err == unix.EINTR {
			continue
		}
		for i := range part {
			entry := binary.NativeEndian.Uint64(part[i][:])
			if err != nil || n != len(buf) || entry&pageSwapped != 0 || entry&pagePresent != 0 && entry&pageOfFile == 0 {
				pages = append(pages, first+i)
			}
		}
		first += len(part)
	}
	return pages
}

// pageTable returns the descriptor of the page table of this process, or -1 if the system has
// none, or one that does not show which pages were written.
var pageTable = sync.OnceValue(func() int {
	if os.Getpagesize() != PageBytes {
		return -1
	}
	table, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	if !showsWrites(table) {
		_ = unix.Close(table)
		return -1
	}
	return table
})

// showsWrites tries the page table: some systems have the file, but do not fill it in.
func showsWrites(table int) bool {
	im := NewImage(make([]byte, 4*PageBytes))
	if im == nil {
		return false
	}
	defer im.Close()
	b, err := unix.Mmap(im.file, 0, len(im.Bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Munmap(b) }()
	if b[0] != 0 { // a page that is only read
		return false
	}
	b[2*PageBytes] = 1
	return slices.Equal(readWritten(table, nil, b), []int{2})
}
