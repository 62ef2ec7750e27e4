package host

import (
	"slices"
	"testing"
)

// On Windows, the daemon gets its variables regardless of the case of their names.
func TestDaemonEnvironmentOfWindowsIgnoresCase(t *testing.T) {
	environ := []string{"Path=C:\\bin", "SystemRoot=C:\\Windows", "Https_Proxy=http://127.0.0.1:1", "Github_Token=t", "OTHER=o"}
	wanted := append([]string{"GITHUB_TOKEN"}, proxyVariables...)
	for _, tt := range []struct {
		goos string
		want []string
	}{
		{"windows", environ[:4]},
		{"linux", nil},
	} {
		if got := pickVariables(tt.goos, environ, wanted); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.goos, got, tt.want)
		}
	}
}
