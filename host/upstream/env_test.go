package upstream

import (
	"slices"
	"testing"
)

// On Windows the names of variables ignore case: Path, SystemRoot and ComSpec reach the
// processes of servers. Elsewhere they are the names of other variables.
func TestEnvironmentNamesOfWindowsIgnoreCase(t *testing.T) {
	ours := []string{"=C:=C:\\work", "Path=C:\\bin", "SystemRoot=C:\\Windows", "ComSpec=cmd.exe", "windir=C:\\Windows", "Aws_Secret=s", "Token=ours", "Own=ours"}
	own := map[string]Secret{"OWN": NewSecret("own")}
	for _, tt := range []struct {
		goos string
		want []string
	}{
		{"windows", []string{"Path=C:\\bin", "SystemRoot=C:\\Windows", "ComSpec=cmd.exe", "windir=C:\\Windows", "Token=ours", "OWN=own"}},
		{"linux", []string{"OWN=own"}},
	} {
		if got := environment(tt.goos, ours, []string{"TOKEN", "own"}, own, ""); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.goos, got, tt.want)
		}
	}
}
