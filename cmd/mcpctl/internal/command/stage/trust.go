package stage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/trust"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// NewCmdTrust makes the command.
func NewCmdTrust(f *factory.Factory) *cobra.Command {
	var key string
	var all bool
	cmd := &cobra.Command{
		Use:   "trust NAME...|--all",
		Short: "Approve modules in stages/ as they are now",
		Long: `Write modules to stages.lock in the home: the hash of the file and what it may use. From the first approval on, the
daemon loads only local modules that the file lists. A file that is new or has changed is not loaded until you approve
it; until the daemon stops, the version that was approved before stays in use. With --key, a later version is loaded
without another approval if it is signed with that key of minisign, is the same module, is not older than one that was
loaded before, and does not ask for more; its signature is the file NAME.wasm.minisig. Each decision is added to
logs/trust.jsonl. "mcpctl config set dev true" loads all modules. NAME is the name of the file without .wasm.`,
		Example: `  mcpctl stage trust shout
  mcpctl stage trust --all
  mcpctl stage trust shout --key RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: f.Names("stage"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) != all {
				return problem.Usagef("want the names of modules, or --all").WithHint("mcpctl stage trust --help")
			}
			return withLock(cmd.Context(), f, func(l *lockFile) (func(), error) { return l.trust(args, key) })
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "public `KEY` of minisign that signs later versions")
	cmd.Flags().BoolVar(&all, "all", false, "all modules in stages/")
	return cmd
}

// NewCmdUntrust makes the command.
func NewCmdUntrust(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "untrust NAME...",
		Short: "Withdraw the approval of modules",
		Long: `Remove modules from stages.lock, so that the daemon does not load them any more. The files stay. To load all local
modules again without approval, remove stages.lock from the home.`,
		Example: `  mcpctl stage untrust shout
  mcpctl stage untrust shout whisper`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: f.Names("stage"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return warnOfEffect(cmd.Context(), f, func() error {
				return withLock(cmd.Context(), f, func(l *lockFile) (func(), error) { return l.untrust(args) })
			})
		},
	}
}

// warnOfEffect prints the proxymodels that are invalid after change and were not before, and how
// their content is handled. Without a running daemon it prints nothing: the next one will report
// them.
func warnOfEffect(ctx context.Context, f *factory.Factory, change func() error) error {
	daemon, err := f.Daemon()
	if err != nil {
		return err
	}
	before, _ := daemon.Status(ctx)
	if err := change(); err != nil || !before.Running {
		return err
	}
	after, err := daemon.Status(ctx)
	if err != nil {
		return err
	}
	for _, text := range after.Problems {
		if strings.HasPrefix(text, "proxymodel ") && !slices.Contains(before.Problems, text) {
			fmt.Fprintf(f.IO.ErrOut, "warning: %s\n", iostreams.Line(text))
		}
	}
	return nil
}

// NewCmdVerify makes the command.
func NewCmdVerify(f *factory.Factory) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "verify [NAME...]",
		Short: "Compare modules in stages/ with stages.lock",
		Long: `Check for each module in stages/, and each in stages.lock, whether the daemon may load it: the hash, or the signature
and what the new version asks for. Nothing is run. The exit status is 4 if a module is missing or not approved.`,
		Example: `  mcpctl stage verify
  mcpctl stage verify shout -o json`,
		ValidArgsFunction: f.Names("stage"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := printer.Check(output); err != nil {
				return err
			}
			l, err := openLock(f)
			if err != nil {
				return err
			}
			return l.verify(args, output)
		},
	}
	printer.AddFlag(cmd, f.Env, &output)
	return cmd
}

// lockFile is stages.lock of a home.
type lockFile struct {
	f      *factory.Factory
	home   homedir.Dir
	lock   trust.Lock
	exists bool
}

func openLock(f *factory.Factory) (*lockFile, error) {
	home, err := f.Home()
	if err != nil {
		return nil, err
	}
	l := &lockFile{f: f, home: homedir.Dir(home)}
	if l.lock, l.exists, err = trust.Read(l.home.StagesLock()); err != nil {
		return nil, err
	}
	if l.lock.Stages == nil {
		l.lock.Stages = make(map[string]trust.Entry)
	}
	return l, nil
}

// withLock changes the lock, writes it, and makes a running daemon use it. change returns a
// function that prints the changes; it is called after the lock was written.
func withLock(ctx context.Context, f *factory.Factory, change func(l *lockFile) (report func(), err error)) error {
	l, err := openLock(f)
	if err != nil {
		return err
	}
	report, err := change(l)
	if err != nil {
		return err
	}
	text, err := l.lock.Text()
	if err != nil {
		return err
	}
	if err := atomicfile.Write(l.home.StagesLock(), text, 0o600); err != nil {
		return err
	}
	report()
	return f.ReloadDaemon(ctx)
}

// files returns the names of the modules in stages/.
func (l *lockFile) files() (names []string, err error) {
	entries, err := os.ReadDir(l.home.Stages())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".wasm"); ok && name != "" && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	return names, nil
}

// module reads a module in stages/.
func (l *lockFile) module(name string) (m trust.Module, info lab.ModuleInfo, err error) {
	path := filepath.Join(l.home.Stages(), name+".wasm")
	if name != filepath.Base(name) {
		return m, info, problem.New(abi.ErrConfig, "%q is no name of a module in stages/", name)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // to open a FIFO would wait for a writer
		return m, lab.ModuleInfo{}, problem.New(abi.ErrConfig, "%s is not a regular file", path)
	}
	file, err := l.f.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, info, problem.New(abi.ErrNotFound, "no module %s.wasm in %s", name, l.home.Stages()).WithHint("mcpctl get stages")
	}
	if err != nil {
		return m, info, err
	}
	if info, err = lab.InspectModule(name, file); err != nil {
		return m, info, problem.FromFile(err, path)
	}
	m, err = trust.OpenModule(path, info.Hash, func() ([]byte, error) { return file, nil },
		func([]byte) (abi.Manifest, error) { return info.Manifest, nil })
	return m, info, err
}

// trust approves modules, all without names. It returns a function that prints them.
func (l *lockFile) trust(names []string, key string) (report func(), err error) {
	if key != "" {
		if key, err = trust.ParseKey(key); err != nil {
			return nil, err
		}
	}
	files, err := l.files()
	if err != nil {
		return nil, err
	}
	all := len(names) == 0
	if all {
		names = files
	}
	approved := make(map[string]trust.Entry)
	var decisions []trust.Decision
	for _, name := range names { // all are checked before one is approved
		if _, ok := approved[name]; ok {
			continue
		}
		m, info, err := l.module(name)
		if err != nil && all {
			fmt.Fprintf(l.f.IO.ErrOut, "warning: %s is not approved: %s\n", iostreams.Line(name), iostreams.Line(err.Error()))
			continue
		}
		if err != nil {
			return nil, err
		}
		if key != "" && m.Signature != nil {
			file, err := m.File()
			if err == nil {
				err = trust.Verify(key, file, m.Signature)
			}
			if err != nil {
				return nil, problem.New(abi.ErrConfig, "module %s: %v", name, err)
			}
		}
		e := trust.Entry{
			SHA256: m.SHA256, Grants: trust.Grants(info.Manifest), Module: info.Manifest.Name, Version: info.Manifest.Version,
			Signer: key, Time: time.Now().UTC().Truncate(time.Second),
		}
		if r, ok, err := install.Of(l.home.Stages(), name+".wasm"); err == nil && ok {
			e.Source = r.Dir
		}
		approved[name] = e
		decisions = append(decisions, trust.Decision{Action: "trust", Name: name, SHA256: e.SHA256, Grants: e.Grants, Signer: key})
	}
	if err := trust.Record(l.home.TrustLog(), decisions...); err != nil {
		return nil, err
	}
	maps.Copy(l.lock.Stages, approved)
	return func() { l.reportTrusted(decisions, files) }, nil
}

// reportTrusted prints the approved modules, and those of files that a new lock does not list.
func (l *lockFile) reportTrusted(decisions []trust.Decision, files []string) {
	for _, d := range decisions {
		fmt.Fprintf(l.f.IO.Out, "%s trusted: sha256 %s, may use: %s\n", iostreams.Line(d.Name), d.SHA256, strings.Join(d.Grants, ", "))
	}
	if l.exists {
		return
	}
	fmt.Fprintln(l.f.IO.ErrOut, "stages.lock was created: from now on only modules that it lists are loaded")
	var others []string
	for _, name := range files {
		if _, ok := l.lock.Stages[name]; !ok {
			others = append(others, problem.Arg(name))
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(l.f.IO.ErrOut, "others are not loaded any more; to approve them: mcpctl stage trust %s\n", strings.Join(others, " "))
	}
}

// untrust withdraws approvals. It returns a function that prints them.
func (l *lockFile) untrust(names []string) (report func(), err error) {
	var decisions []trust.Decision
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) { // all are checked before one approval is withdrawn
		e, ok := l.lock.Stages[name]
		if !ok {
			return nil, problem.New(abi.ErrNotFound, "stages.lock does not list %q", name).WithHint("mcpctl stage verify")
		}
		decisions = append(decisions, trust.Decision{Action: "untrust", Name: name, SHA256: e.SHA256})
	}
	if err := trust.Record(l.home.TrustLog(), decisions...); err != nil {
		return nil, err
	}
	for _, d := range decisions {
		delete(l.lock.Stages, d.Name)
	}
	return func() {
		for _, d := range decisions {
			fmt.Fprintf(l.f.IO.Out, "%s not trusted any more\n", iostreams.Line(d.Name))
		}
	}, nil
}

// verified is a row of verify.
type verified struct {
	Name    string    `json:"name"`
	OK      bool      `json:"ok"`
	Status  string    `json:"status"` // trusted, signed, held: why, invalid: why, missing; untrusted if there is no stages.lock
	SHA256  string    `json:"sha256,omitempty"`
	Grants  []string  `json:"grants,omitempty"`
	Signer  string    `json:"signer,omitempty"`
	Approve time.Time `json:"approved,omitzero"`
}

const statusMissing = "missing"

// verify prints the state of modules, all without names.
func (l *lockFile) verify(names []string, output string) error {
	if len(names) == 0 {
		files, err := l.files()
		if err != nil {
			return err
		}
		names = slices.Sorted(maps.Keys(l.lock.Stages))
		names = append(names, files...)
		slices.Sort(names)
		names = slices.Compact(names)
	}
	rows := []verified{}
	var missing, held []string
	for _, name := range names {
		row := l.verifyOne(name)
		switch {
		case row.OK:
		case row.Status == statusMissing:
			missing = append(missing, problem.Arg(name))
		default:
			held = append(held, problem.Arg(name))
		}
		rows = append(rows, row)
	}
	list := printer.Listing{Value: rows, Table: func(bool) *iostreams.Table {
		t := iostreams.NewTable("NAME", "STATUS", "GRANTS")
		for _, r := range rows {
			t.Row(iostreams.Line(r.Name), iostreams.Line(r.Status), strings.Join(r.Grants, ","))
		}
		return t
	}}
	for _, r := range rows {
		list.Names = append(list.Names, "stage/"+r.Name)
	}
	if err := printer.Print(l.f.IO, output, list); err != nil {
		return err
	}
	switch {
	case !l.exists:
		fmt.Fprintln(l.f.IO.ErrOut, "there is no stages.lock: all modules are loaded")
	case len(held) > 0:
		return problem.New(abi.ErrDenied, "not approved: %s", strings.Join(held, ", ")).WithHint("mcpctl stage trust %s", strings.Join(held, " "))
	case len(missing) > 0:
		return problem.New(abi.ErrDenied, "approved, but without a file: %s", strings.Join(missing, ", ")).WithHint("mcpctl stage untrust %s", strings.Join(missing, " "))
	}
	return nil
}

func (l *lockFile) verifyOne(name string) verified {
	e := l.lock.Stages[name]
	row := verified{Name: name, Signer: e.Signer, Grants: e.Grants, Approve: e.Time}
	m, info, err := l.module(name)
	var p *problem.Problem
	switch {
	case errors.As(err, &p) && errors.Is(err, abi.ErrNotFound):
		row.Status = statusMissing
		return row
	case err != nil:
		row.Status = "invalid: " + err.Error()
		return row
	}
	row.SHA256, row.Grants = m.SHA256, trust.Grants(info.Manifest)
	var held *trust.Held
	switch err := l.lock.Check(m, func() (trust.Accepted, error) { return trust.ReadAccepted(l.home.TrustLog()) }); {
	case !l.exists:
		row.Status = "untrusted"
	case errors.As(err, &held):
		row.Status = "held: " + held.Why
	case err != nil:
		row.Status = "invalid: " + err.Error()
	case e.SHA256 == m.SHA256:
		row.OK, row.Status = true, "trusted"
	default:
		row.OK, row.Status = true, "signed"
	}
	return row
}
