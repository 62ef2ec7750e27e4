package release

import "testing"

func TestNewer(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"0.2.0", "0.1.9", true},
		{"0.10.0", "0.9.0", true},
		{"1.0.0", "1.0.0", false},
		{"1.0.0", "1.0.0-dev", true},
		{"1.0.0-dev", "1.0.0", false},
		{"1.0.0-rc.2", "1.0.0-rc.1", true},
		{"v2.0.0", "1.9.9", true},
		{"0.1.0-dev.100+gabc", "0.1.0-dev.99+gdef", true},
		{"0.1.0-dev.99+gdef", "0.1.0-dev.100+gabc", false},
		{"0.1.0-dev.99+ga", "0.1.0-dev", true},
		{"0.1.0-dev.99+gb", "0.1.0-dev.99+ga", false},
		{"0.1.0", "0.1.0-dev.99+ga", true},
		{"1.0.0-rc.a", "1.0.0-rc.9", true},
		{"0.1.9", "0.2.0", false},
		{"next", "0.1.0", false},
		{"0.1.0", "", false},
	} {
		if got := Newer(tc.a, tc.b); got != tc.want {
			t.Errorf("Newer(%q, %q) = %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
	if !Newer(Version, "0.0.0") {
		t.Errorf("Version %q cannot be compared", Version)
	}
}
