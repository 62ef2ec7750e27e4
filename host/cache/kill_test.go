package cache

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// helperEnv is the environment variable that names the job of the test binary when
// tests run it as a helper.
const helperEnv = "CACHE_TEST_HELPER"

func TestMain(m *testing.M) {
	switch job := os.Getenv(helperEnv); job {
	case "":
		os.Exit(m.Run())
	case "write":
		writeUntilKilled(os.Args[1], os.Args[2])
	default:
		helper(job)
	}
}

// writeUntilKilled puts values in an endless loop. After each flush it prints the
// number of the last value, which is then committed.
func writeUntilKilled(path, from string) {
	c, err := Open(path, Options{MaxBytes: 8 << 20})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	n, _ := strconv.Atoi(from)
	for ; ; n++ {
		fill(c, n, n+1)
		_ = c.KV(home, nil).Set([]byte("name"), valueOf(n))
		if n%7 == 0 {
			c.Flush()
			fmt.Println(n)
		}
	}
}

// After kill -9, no committed value is lost or wrong, and the file is not locked.
func TestKill9(t *testing.T) {
	kills := 25
	if testing.Short() {
		kills = 5
	}
	path := filepath.Join(t.TempDir(), "cache.db")
	next, committed := 0, -1
	var slowest time.Duration
	for range kills {
		cmd := exec.Command(os.Args[0], path, strconv.Itoa(next))
		cmd.Env = append(os.Environ(), helperEnv+"=write")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 3 + next%5 {
			if !lines.Scan() {
				t.Fatal("the writer has exited")
			}
			if committed, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(lines.Text())
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()

		start := time.Now()
		c := open(t, path, Options{MaxBytes: 8 << 20})
		slowest = max(slowest, time.Since(start))
		from := max(0, committed-100) // older ones may have been evicted
		if got, want := countServed(t, c, from, committed+1), committed+1-from; got != want {
			t.Fatalf("%d of %d committed values are served", got, want)
		}
		countServed(t, c, 0, committed+100)
		if f := c.Stats().Faults; f.SetAside != 0 || f.Damaged != 0 {
			t.Fatalf("faults after kill -9: %+v", f)
		}
		_ = c.Close()
		next = committed + 1
	}
	t.Logf("%d kills, %d values committed, none lost or wrong, slowest open %v", kills, committed+1, slowest)
}
