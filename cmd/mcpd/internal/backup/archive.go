package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/mcpctl/mcpctl/abi"
)

// writer writes the entries of an archive and their hashes.
type writer struct {
	zip   *zstd.Encoder
	tar   *tar.Writer
	lines bytes.Buffer // hashes of entries since the last entry of sums
	total bytes.Buffer // hashes of the entries of sums
	count int          // lines
	sums  int          // entries of sums
}

// newWriter returns a writer. Its output depends on the entries only: the compressor does
// not use several processors, and entries have no time.
func newWriter(w io.Writer) (*writer, error) {
	zip, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(maxWindow))
	if err != nil {
		return nil, err
	}
	return &writer{zip: zip, tar: tar.NewWriter(zip)}, nil
}

// add writes an entry.
func (w *writer) add(name string, text []byte) error {
	if limit := limitOf(name); int64(len(text)) > limit {
		return fmt.Errorf("%w: %s has %d bytes, a backup can have %d", abi.ErrLimit, name, len(text), limit)
	}
	if err := w.write(name, text); err != nil {
		return err
	}
	w.lines.WriteString(sumLine(name, text))
	if w.count++; w.count == sumsOfEntry {
		return w.flush()
	}
	return nil
}

func sumLine(name string, text []byte) string {
	return fmt.Sprintf("%x  %s\n", sha256.Sum256(text), name)
}

func (w *writer) write(name string, text []byte) error {
	err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text)), ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg})
	if err != nil {
		return err
	}
	_, err = w.tar.Write(text)
	return err
}

// flush writes the hashes of the last entries.
func (w *writer) flush() error {
	if w.count == 0 {
		return nil
	}
	w.sums++
	name := sumsName(w.sums)
	if err := w.write(name, w.lines.Bytes()); err != nil {
		return err
	}
	w.total.WriteString(sumLine(name, w.lines.Bytes()))
	w.lines.Reset()
	w.count = 0
	return nil
}

// close ends the archive.
func (w *writer) close() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.write(totalName, w.total.Bytes()); err != nil {
		return err
	}
	if err := w.tar.Close(); err != nil {
		return err
	}
	return w.zip.Close()
}

// discard releases the memory of the compressor without ending the archive.
func (w *writer) discard() {
	w.zip.Reset(io.Discard)
	w.zip.Close()
}

// reader reads the entries of an archive and checks their hashes.
type reader struct {
	zip     *zstd.Decoder
	tar     *tar.Reader
	lines   bytes.Buffer
	total   bytes.Buffer
	count   int
	sums    int
	entries int
}

func newReader(r io.Reader) (*reader, error) {
	zip, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	return &reader{zip: zip, tar: tar.NewReader(&limited{zip, maxTotal})}, nil
}

func (r *reader) close() { r.zip.Close() }

// limited returns abi.ErrLimit after a number of bytes.
type limited struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("%w: the backup has over %d GiB", abi.ErrLimit, int64(maxTotal)>>30)
	}
	return n, err
}

// next returns the next entry, or io.EOF after the last one, when all hashes are checked.
func (r *reader) next() (name string, text []byte, err error) {
	for {
		name, text, err = r.read()
		switch {
		case err != nil:
			return "", nil, err
		case name == totalName:
			if r.count > 0 || !bytes.Equal(text, r.total.Bytes()) {
				return "", nil, damaged("the hashes of %s differ", totalName)
			}
			return "", nil, r.end()
		case strings.HasPrefix(name, sumsDir):
			if r.sums++; name != sumsName(r.sums) || !bytes.Equal(text, r.lines.Bytes()) {
				return "", nil, damaged("the hashes of %s differ", name)
			}
			r.total.WriteString(sumLine(name, text))
			r.lines.Reset()
			r.count = 0
		default:
			if r.count++; r.count > sumsOfEntry {
				return "", nil, damaged("hashes are missing before %.100q", name)
			}
			r.lines.WriteString(sumLine(name, text))
			return name, text, nil
		}
	}
}

// read reads one entry of the archive.
func (r *reader) read() (name string, text []byte, err error) {
	h, err := r.tar.Next()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "", nil, damaged("it ends too early")
	case errors.Is(err, abi.ErrLimit):
		return "", nil, err
	case err != nil:
		return "", nil, damaged("%v", err)
	case h.Typeflag != tar.TypeReg:
		return "", nil, damaged("%.100q is not a regular file", h.Name)
	case h.Size > limitOf(h.Name):
		return "", nil, fmt.Errorf("%w: %.100q has %d bytes, a backup can have %d", abi.ErrLimit, h.Name, h.Size, limitOf(h.Name))
	}
	if r.entries++; r.entries > maxEntries {
		return "", nil, fmt.Errorf("%w: the backup has over %d entries", abi.ErrLimit, maxEntries)
	}
	var b bytes.Buffer // grows with what is there, not with what the header promises
	if _, err := io.Copy(&b, r.tar); err != nil {
		if errors.Is(err, abi.ErrLimit) {
			return "", nil, err
		}
		return "", nil, damaged("%.100q: %v", h.Name, err)
	}
	return h.Name, b.Bytes(), nil
}

// end returns io.EOF if nothing follows.
func (r *reader) end() error {
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return damaged("entries follow %s", totalName)
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(r.zip, 1)); n > 0 || err != nil {
		return damaged("bytes follow the last entry")
	}
	return io.EOF
}
