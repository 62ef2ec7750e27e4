package detect

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkDetect measures the detection of real texts, some of which have no proof.
func BenchmarkDetect(b *testing.B) {
	for _, name := range []string{"p-gson-guide.md", "m-k8s-hpa.md", "y-comply-tsc.yaml", "x-gson-parent-pom.xml", "h-lua-manual.html", "ja-kibana-cdc.json", "t-rg-runs.csv"} {
		text, err := os.ReadFile(filepath.Join(content, name))
		if err != nil {
			b.Fatal(err)
		}
		for _, hint := range []string{"", name} {
			o := options
			o.Hint = hint
			b.Run(name+map[bool]string{true: " named"}[hint != ""], func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					Detect(text, o)
				}
			})
		}
		for _, p := range proofs {
			b.Run(name+"/"+string(p.name), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					p.prove(&survey{b: text}, options)
				}
			})
		}
	}
}
