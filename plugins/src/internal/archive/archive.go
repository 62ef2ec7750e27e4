// Package archive reads and writes txtar files, the format of the examples of plugins: a
// comment, then files, each after a line "-- NAME --".
package archive

import "strings"

// File is one file of an archive.
type File struct{ Name, Text string }

// Parse splits an archive. Format reverses it.
func Parse(text string) (comment string, files []File) {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(name, " --\n") {
			files = append(files, File{Name: strings.TrimSuffix(name, " --\n")})
			continue
		}
		if len(files) == 0 {
			comment += line
			continue
		}
		files[len(files)-1].Text += line
	}
	return comment, files
}

// Format returns the text of an archive.
func Format(comment string, files []File) string {
	var b strings.Builder
	b.WriteString(comment)
	for _, f := range files {
		b.WriteString("-- " + f.Name + " --\n" + f.Text)
	}
	return b.String()
}
