// Package trust decides which local modules are loaded. The file stages.lock lists the
// modules that the user has approved and their permissions. Without the file, all are loaded.
//
// A module that a signer publishes is approved once: a later version of it with a valid signature
// of the same key is loaded, unless it asks for more or is older than one that was loaded before.
// Signatures have the format of minisign and are in a file beside the module: NAME.wasm.minisig.
package trust

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"aead.dev/minisign"
	"golang.org/x/mod/semver"

	"github.com/mcpctl/mcpctl/abi"
)

// SignatureSuffix follows the name of a module in the name of its signature.
const SignatureSuffix = ".minisig"

// Lock is the content of stages.lock.
type Lock struct {
	Stages map[string]Entry `json:"stages"` // by the name of the file without .wasm
}

// Entry is an approved module.
type Entry struct {
	SHA256  string    `json:"sha256"`            // of the file, hexadecimal
	Grants  []string  `json:"grants"`            // see Grants
	Module  string    `json:"module,omitempty"`  // name in the manifest
	Version string    `json:"version,omitempty"` // in the manifest
	Source  string    `json:"source,omitempty"`
	Signer  string    `json:"signer,omitempty"` // public key in the format of minisign; empty: a new version has to be approved
	Time    time.Time `json:"time"`             // of the approval
}

// maxLock and maxSignature limit the files that are read.
const (
	maxLock      = 4 << 20
	maxSignature = 4 << 10
)

// Read reads a lock once, like a Reader.
func Read(path string) (l Lock, ok bool, err error) { return NewReader(path).Read() }

func parse(path string, text []byte) (l Lock, ok bool, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return Lock{}, false, fmt.Errorf("%w: %s: %v; correct it (without the file all modules are loaded)", abi.ErrConfig, path, err)
	}
	return l, true, nil
}

// Reader reads a lock for each of many modules. It decodes the file only when it has changed.
// Safe for concurrent use. The locks that it returns must not be modified.
type Reader struct {
	path string

	mu   sync.Mutex
	text []byte // of lock
	lock Lock
}

// NewReader returns a Reader of the file at path.
func NewReader(path string) *Reader { return &Reader{path: path} }

// Read reads the lock. ok is false if there is none.
//
// Errors: abi.ErrConfig for an invalid file.
func (r *Reader) Read() (l Lock, ok bool, err error) {
	text, err := readLimited(r.path, maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return Lock{}, false, nil
	}
	if err != nil {
		return Lock{}, false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(text) > 0 && bytes.Equal(text, r.text) {
		return r.lock, true, nil
	}
	if l, ok, err = parse(r.path, text); err == nil {
		r.text, r.lock = text, l
	}
	return l, ok, err
}

// checkRegular returns an error if path exists and is not a regular file: to open a FIFO would
// wait for another process. info is nil if nothing exists at path.
func checkRegular(path string) (info fs.FileInfo, err error) {
	info, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%w: %s is not a regular file", abi.ErrConfig, path)
	}
	return info, err
}

func readLimited(path string, limit int64) ([]byte, error) {
	info, err := checkRegular(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	if info != nil {
		text.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
	}
	_, err = text.ReadFrom(io.LimitReader(f, limit+1))
	if err == nil && int64(text.Len()) > limit {
		err = fmt.Errorf("%w: %s has more than %d bytes", abi.ErrConfig, path, limit)
	}
	return text.Bytes(), err
}

// Text returns the content of the file.
func (l Lock) Text() ([]byte, error) {
	text, err := json.MarshalIndent(l, "", "  ")
	return append(text, '\n'), err
}

// Grants returns what a module may use: the kinds and the capabilities of its roles, sorted.
func Grants(m abi.Manifest) []string {
	grants := []string{}
	for _, r := range m.Roles {
		grants = append(append(grants, string(r.Kind)), r.Capabilities...)
	}
	slices.Sort(grants)
	return slices.Compact(grants)
}

// Module is a file that may be loaded.
type Module struct {
	Name      string // of the file, without .wasm
	SHA256    string
	Signature []byte // the content of the file beside it; nil: none

	// The content, and the manifest in it. They are read for a signed module that has changed.
	File     func() ([]byte, error)
	Manifest func(file []byte) (abi.Manifest, error)
}

// OpenModule returns the module of a file in stages/. Its signature is in the file beside it.
//
// Errors: those of ReadSignature.
func OpenModule(path, sha256 string, file func() ([]byte, error), manifest func(file []byte) (abi.Manifest, error)) (Module, error) {
	signature, err := ReadSignature(path)
	name := strings.TrimSuffix(filepath.Base(path), ".wasm")
	return Module{Name: name, SHA256: sha256, Signature: signature, File: file, Manifest: manifest}, err
}

// Held is the reason for which a module is not loaded.
type Held struct {
	Name   string
	Why    string
	Grants []string // that it asks for beyond those that it has; only for a signed module
}

// Error implements error.
func (h *Held) Error() string {
	return fmt.Sprintf("not trusted: %s; to load it: mcpctl stage trust %s", h.Why, h.Name)
}

// Unwrap makes a Held an abi.ErrUnavailable: it is checked again when files are read again.
func (h *Held) Unwrap() error { return abi.ErrUnavailable }

// Check returns a *Held if a module is not approved. accepted returns the signed versions that
// were loaded before.
//
// Other errors: those of accepted, Module.File and Module.Manifest.
func (l Lock) Check(m Module, accepted func() (Accepted, error)) error {
	e, known := l.Stages[m.Name]
	switch {
	case !known:
		return &Held{Name: m.Name, Why: "it is not in stages.lock"}
	case e.Signer == "" && e.SHA256 == m.SHA256:
		return nil
	}
	newest := e.Version
	if e.Signer != "" {
		before, err := accepted()
		if err != nil {
			return err
		}
		newest = before.newest(m.Name, e)
	}
	switch {
	case e.SHA256 == m.SHA256:
		return checkVersion(m.Name, e.Version, newest)
	case e.Signer == "":
		return &Held{Name: m.Name, Why: "it has changed since it was approved"}
	case m.Signature == nil:
		return &Held{Name: m.Name, Why: "it has changed and is not signed"}
	}
	file, err := m.File()
	if err != nil {
		return err
	}
	if err := Verify(e.Signer, file, m.Signature); err != nil {
		return &Held{Name: m.Name, Why: "it has changed and " + err.Error()}
	}
	manifest, err := m.Manifest(file)
	if err != nil {
		return err
	}
	if e.Module != "" && manifest.Name != e.Module {
		return &Held{Name: m.Name, Why: fmt.Sprintf("it has changed to the module %q, and %q was approved", manifest.Name, e.Module)}
	}
	if err := checkVersion(m.Name, manifest.Version, newest); err != nil {
		return err
	}
	more := slices.DeleteFunc(Grants(manifest), func(g string) bool { return slices.Contains(e.Grants, g) })
	if len(more) > 0 {
		return &Held{Name: m.Name, Why: "the new version asks for " + strings.Join(more, ", "), Grants: more}
	}
	return nil
}

// checkVersion returns a *Held for a version older than the newest one that was loaded: an
// attacker could replace a module with an old version that has a known weakness. A version
// that is not of the form 1.2.3 is older than any other.
func checkVersion(name, version, newest string) error {
	if semver.Compare("v"+version, "v"+newest) >= 0 {
		return nil
	}
	return &Held{Name: name, Why: fmt.Sprintf("its version %q is older than %s, which was loaded before", version, newest)}
}

// ParseKey checks a public key in the format of minisign and returns it in one line.
//
// Errors: abi.ErrConfig.
func ParseKey(text string) (string, error) {
	var k minisign.PublicKey
	if err := k.UnmarshalText([]byte(strings.TrimSpace(text))); err != nil {
		return "", fmt.Errorf("%w: %q is no public key of minisign", abi.ErrConfig, text)
	}
	return k.String(), nil
}

// Verify checks the signature of a file.
func Verify(key string, file, signature []byte) error {
	var k minisign.PublicKey
	if err := k.UnmarshalText([]byte(key)); err != nil {
		return errors.New("the key in stages.lock is damaged")
	}
	if len(signature) > maxSignature || !minisign.Verify(k, file, signature) {
		return errors.New("its signature is not valid for the key " + key)
	}
	return nil
}

// ReadSignature reads the signature beside the file of a module, nil if there is none.
func ReadSignature(module string) ([]byte, error) {
	text, err := readLimited(module+SignatureSuffix, maxSignature)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// Accepted are the decisions to load a signed version without another approval.
type Accepted []Decision

// newest returns the newest version of a module that was approved, or accepted after that.
func (a Accepted) newest(name string, e Entry) string {
	newest := e.Version
	for _, d := range a {
		if d.Name == name && d.Signer == e.Signer && !d.Time.Before(e.Time) && semver.Compare("v"+d.Version, "v"+newest) > 0 {
			newest = d.Version
		}
	}
	return newest
}

// ReadAccepted reads the decisions from the record at path. Lines that are damaged are skipped:
// the process can have ended while it wrote.
func ReadAccepted(path string) (a Accepted, err error) {
	if _, err := checkRegular(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var d Decision
		if json.Unmarshal(lines.Bytes(), &d) == nil && d.Action == ActionAccept {
			a = append(a, d)
		}
	}
	return a, lines.Err()
}

// Decision is a line of the record of decisions.
type Decision struct {
	Time    time.Time `json:"time"`
	Action  string    `json:"action"`         // trust, untrust, hold, accept; of tools: pin, change, hold, approve; of objects: created, configured, deleted; of answers: edit
	Name    string    `json:"name"`           // of a module, an object, or SERVER/TOOL
	Kind    string    `json:"kind,omitempty"` // KindTool, KindAnswer, or the kind of an object such as KindServer; empty: a module
	SHA256  string    `json:"sha256,omitempty"`
	Grants  []string  `json:"grants,omitempty"`
	Signer  string    `json:"signer,omitempty"`
	Version string    `json:"version,omitempty"` // of a module that was accepted
	Why     string    `json:"why,omitempty"`
}

// ActionAccept is the Decision.Action of a signed version that is loaded without another approval.
const ActionAccept = "accept"

// Values of Decision.Kind.
const (
	KindServer = "server"
	KindTool   = "tool"
	KindAnswer = "answer" // that a person has edited before the client got it
)

// Record appends decisions to the record, which is never changed otherwise. It returns when
// they are on disk.
func Record(path string, decisions ...Decision) error {
	var lines []byte
	for _, d := range decisions {
		d.Time = time.Now().UTC().Truncate(time.Second)
		line, err := json.Marshal(d)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if _, err := checkRegular(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	return errors.Join(err, f.Sync(), f.Close())
}
