// Package correction stores the edits that people make to held answers. A Correction
// has the original of the server, the output of the stages and the edited text, from
// which an author can generate a test of a stage.
package correction

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Correction is one edit of one text.
type Correction struct {
	ID          string          `json:"id"` // set by Add; sorts by time
	Project     string          `json:"project"`
	Session     string          `json:"session"`
	ContentType abi.ContentType `json:"contentType"`
	Source      string          `json:"source"` // server/tool, prompt name or URI
	Hint        string          `json:"hint,omitempty"`
	Original    string          `json:"original"` // after the filters; empty if it was not stored
	Transformed string          `json:"transformed"`
	Edited      string          `json:"edited"`
	Model       string          `json:"model"`
	Stages      []Stage         `json:"stages,omitempty"` // that took part in Transformed
	Time        time.Time       `json:"time"`
}

// Stage is a stage that took part in a result.
type Stage struct {
	Role       string `json:"role"`
	ModuleHash string `json:"moduleHash"`
	Outcome    string `json:"outcome"`
	Changed    bool   `json:"changed"` // its output differs from its input
}

// Limits of a Store. The oldest corrections are removed first.
const (
	maxFiles = 1000
	maxBytes = 256 << 20
)

// Store keeps corrections in a directory, one file each. It is safe for concurrent use.
type Store struct {
	dir string
	mu  sync.Mutex
}

// NewStore returns the Store of a directory, which Add creates.
func NewStore(dir string) *Store { return &Store{dir: dir} }

// Add stores a correction. Its ID is set.
func (s *Store) Add(c Correction) error {
	c.Time = c.Time.UTC()
	c.ID = c.Time.Format("20060102-150405.000") + "-" + strings.ToLower(rand.Text()[:6])
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	path := s.path(c.ID)
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o600); err != nil {
		return errors.Join(err, os.Remove(path+".new"))
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return s.makeRoom()
}

func (s *Store) path(id string) string { return filepath.Join(s.dir, id+".json") }

// makeRoom removes the oldest corrections above the limits.
func (s *Store) makeRoom() error {
	ids, err := s.ids()
	if err != nil {
		return err
	}
	var bytes int64
	for i, id := range slices.Backward(ids) { // newest first
		info, err := os.Stat(s.path(id))
		if err != nil {
			continue
		}
		bytes += info.Size()
		if newer := len(ids) - 1 - i; newer >= maxFiles || newer > 0 && bytes > maxBytes {
			if err := os.Remove(s.path(id)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ids returns the ids of the stored corrections, oldest first.
func (s *Store) ids() (ids []string, err error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries { // sorted by name
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// List returns the corrections of a project and a session, oldest first; "" means all. A
// file that is damaged is skipped.
func (s *Store) List(project, session string) (list []Correction, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		c, err := s.read(id)
		if err == nil && (project == "" || c.Project == project) && (session == "" || c.Session == session) {
			list = append(list, c)
		}
	}
	return list, nil
}

// Get returns a correction. An id may be abbreviated to its unique start.
//
// Errors: abi.ErrNotFound.
func (s *Store) Get(id string) (Correction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids, err := s.ids()
	if err != nil {
		return Correction{}, err
	}
	var found []string
	for _, known := range ids {
		if strings.HasPrefix(known, id) && id != "" {
			found = append(found, known)
		}
	}
	switch {
	case slices.Contains(found, id):
		return s.read(id)
	case len(found) == 1:
		return s.read(found[0])
	case len(found) > 1:
		return Correction{}, fmt.Errorf("%w: correction %.60q, %d ids begin with it", abi.ErrNotFound, id, len(found))
	}
	return Correction{}, fmt.Errorf("%w: correction %.60q", abi.ErrNotFound, id)
}

func (s *Store) read(id string) (c Correction, err error) {
	text, err := os.ReadFile(s.path(id))
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%w: corrections/%s.json: %v", abi.ErrConfig, id, err)
	}
	c.ID = id
	return c, nil
}
