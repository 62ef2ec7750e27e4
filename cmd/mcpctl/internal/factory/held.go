package factory

import (
	"fmt"
	"path/filepath"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/trust"
)

// Held returns why the daemon does not load a module that was installed in the home, or "".
func (f *Factory) Held(name string, file []byte) string {
	home, err := f.Home()
	if err != nil {
		return err.Error()
	}
	dir := homedir.Dir(home)
	lock, exists, err := trust.Read(dir.StagesLock())
	if err != nil {
		return err.Error()
	}
	settings, err := f.Settings()
	if err != nil || !exists || settings.Get("dev") == "true" {
		return "" // invalid settings are another error, which the daemon reports
	}
	info, err := lab.InspectModule(name, file)
	if err != nil {
		return err.Error()
	}
	m, err := trust.OpenModule(filepath.Join(dir.Stages(), name+".wasm"), info.Hash, func() ([]byte, error) { return file, nil },
		func([]byte) (abi.Manifest, error) { return info.Manifest, nil })
	if err == nil {
		err = lock.Check(m, func() (trust.Accepted, error) { return trust.ReadAccepted(dir.TrustLog()) })
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// WarnHeld prints a warning if the daemon does not load a module that was installed.
func (f *Factory) WarnHeld(name, why string) {
	if why != "" {
		fmt.Fprintf(f.IO.ErrOut, "warning: the daemon does not load %s: %s; to load each build: mcpctl config set dev true && mcpctl daemon stop\n", name, why)
	}
}
