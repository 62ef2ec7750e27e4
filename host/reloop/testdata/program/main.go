// Program has control flow that is difficult to encode without jumps, and prints its results.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

func main() {
	fmt.Println("gotos", gotos(7), gotos(40), gotos(41))
	fmt.Println("twoDoors", twoDoors(0), twoDoors(1), twoDoors(9))
	fmt.Println("nest", nest(13))
	fmt.Println("switches", switches("a1+b22-(c*4)/'x y'"))
	fmt.Println("stacks", stacks(200))
	fmt.Println("deep", deep(20_000, 1))
	fmt.Println("channels", channels(50))
	fmt.Println("selects", selects())
	fmt.Println("yields", yields())
	fmt.Println("recovers", recovers())
	fmt.Println("defers", defers())
	fmt.Println("garbage", garbage())
	fmt.Println("closures", closures())
	fmt.Println("floats", floats())
	fmt.Println("where", where())
	if len(os.Args) > 1 {
		var none *struct{ a [4]int }
		fmt.Println(none.a[len(os.Args)])
	}
}

// gotos jumps forwards, backwards and out of loops.
func gotos(n int) (trace string) {
	i := 0
top:
	for i < n {
		switch {
		case i%7 == 3:
			i += 2
			trace += "a"
			goto top
		case i%11 == 5:
			trace += "b"
			goto bottom
		case i == 37:
			goto out
		}
		i++
		continue
	bottom:
		i += 3
		if i%2 == 0 {
			goto top
		}
	}
	trace += "c"
out:
	return fmt.Sprint(trace, i)
}

// twoDoors has a loop that is entered in two places.
func twoDoors(way int) (trace string) {
	n := 0
	if way == 1 {
		goto second
	}
first:
	trace += "1"
	if n++; n > 5 {
		return trace
	}
second:
	trace += fmt.Sprint("2:", n, " ")
	if n++; n > 8 {
		return trace
	}
	if way == 9 && n == 3 {
		goto second
	}
	goto first
}

// nest has loops in loops, each left and gone on with from inside.
func nest(n int) (sum int) {
outer:
	for i := range n {
		for j := 0; ; j++ {
			if j > i {
				continue outer
			}
			for k := j; k < n; k++ {
				if (i*j+k)%5 == 4 {
					break
				}
				if i*k > 90 {
					break outer
				}
				sum += helper(i, j, k)
			}
			if sum%17 == 3 {
				continue
			}
			sum++
		}
	}
	return sum
}

//go:noinline
func helper(i, j, k int) int { return i ^ j<<1 ^ k<<2 }

func switches(s string) (kinds string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			kinds += "l"
			fallthrough
		case c == '_':
			kinds += "_"
		case c >= '0' && c <= '9':
			for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				i++
				kinds += "."
			}
			kinds += "d"
		case c == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return kinds + "?"
			}
			i += end + 1
			kinds += "q"
		default:
			kinds += string(c)
		}
	}
	return kinds
}

// stacks grows the stack in the middle of loops, which leaves every function on it
// and enters it again.
func stacks(n int) (sum int) {
	var wg sync.WaitGroup
	results := make([]int, n)
	for i := range n {
		wg.Add(1)
		go func() { // with a small stack
			defer wg.Done()
			for j := range 5 {
				for k := range 3 {
					results[i] += deep((i*7+j*11+k)%300, i)
				}
			}
		}()
	}
	wg.Wait()
	for _, r := range results {
		sum += r
	}
	return sum
}

func deep(n, x int) int {
	var pad [24]int
	pad[n%24] = x
	for i := 0; i < 2; i++ {
		if n == 0 {
			return x
		}
		if i == n%2 {
			x = deep(n-1, x+pad[n%24]%3)
		}
	}
	return x + pad[(n+1)%24]
}

func channels(n int) (sum int) {
	first := make(chan int)
	from := first
	for i := range n {
		to := make(chan int, i%3)
		go func(from <-chan int, to chan<- int) {
			for v := range from {
				if v%2 == i%2 {
					v++
				}
				to <- v
			}
			close(to)
		}(from, to)
		from = to
	}
	go func() {
		for i := range n {
			first <- i
		}
		close(first)
	}()
	for v := range from {
		sum = sum*31%1_000_003 + v
	}
	return sum
}

func selects() (n int) {
	ticks, quit := make(chan int), make(chan struct{})
	go func() {
		for i := range 20 {
			ticks <- i
			if i%4 == 0 {
				time.Sleep(time.Microsecond)
			}
		}
		close(quit)
	}()
	for {
		select {
		case v := <-ticks:
			if v%3 == 0 {
				continue
			}
			n += v
		case <-quit:
			return n
		case <-time.After(time.Minute):
			return -1
		}
	}
}

// yields leaves goroutines inside of nested loops, at every level.
func yields() string {
	var wg sync.WaitGroup
	sums := make([]int, 4)
	for g := range sums {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 6 {
				runtime.Gosched()
				for j := i; j < 9; j++ {
					if j%4 == g {
						runtime.Gosched()
						continue
					}
					for k := 0; k*k < i*j; k++ {
						if (i+j+k)%3 == 0 {
							runtime.Gosched()
						}
						sums[g] += k ^ g
					}
				}
			}
		}()
	}
	wg.Wait()
	return fmt.Sprint(sums)
}

func recovers() (trace string) {
	for i := range 6 {
		func() {
			defer func() {
				if r := recover(); r != nil {
					trace += fmt.Sprint("<", r, ">")
				}
			}()
			for j := range 4 {
				trace += fmt.Sprint(j)
				if j == i {
					var list []int
					_ = list[j]
				}
				if i == 4 && j == 2 {
					panic(errors.New("own"))
				}
				if i == 5 && j == 1 {
					var m map[string]int
					m["x"] = 1
				}
			}
		}()
	}
	return trace
}

func defers() (trace string) {
	for i := range 3 {
		func() {
			for j := range 3 {
				if j == i {
					defer func() { trace += fmt.Sprint("d", j) }()
					continue
				}
				defer func(k int) { trace += fmt.Sprint("e", k); runtime.Gosched() }(j)
			}
			trace += "|"
		}()
	}
	return trace
}

type tree struct {
	left, right *tree
	key         int
}

func (t *tree) insert(key int) *tree {
	at := &t
	for *at != nil {
		if key < (*at).key {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	*at = &tree{key: key}
	return t
}

func (t *tree) sum(depth int) int {
	if t == nil {
		return 0
	}
	return t.left.sum(depth+1) + t.key*depth + t.right.sum(depth+1)
}

// garbage allocates, so that collections happen between.
func garbage() (sum int) {
	byKey := map[string][]int{}
	for round := range 8 {
		var t *tree
		for i := range 2000 {
			t = t.insert((i*7919 + round) % 10007)
			if i%100 == 0 {
				k := fmt.Sprint(i % 700)
				byKey[k] = append(byKey[k], i)
			}
		}
		sum += t.sum(0)
		runtime.GC()
	}
	var keys []string
	for k, v := range byKey {
		keys = append(keys, fmt.Sprint(k, len(v)))
	}
	sort.Strings(keys)
	return sum + len(strings.Join(keys, ","))
}

func closures() (out string) {
	var fs []func(int) int
	for i := range 4 {
		fs = append(fs, func(n int) int {
			i += n
			for n > 0 {
				n -= i
			}
			return i ^ n
		})
	}
	for n, f := range fs {
		out += fmt.Sprint(f(n), f(2*n+5), " ")
	}
	for v := range func(yield func(int) bool) {
		for i := 0; ; i++ {
			if !yield(i * i) {
				return
			}
		}
	} {
		if v == 9 {
			continue
		}
		if v > 40 {
			break
		}
		out += fmt.Sprint(v, ";")
	}
	return out
}

func floats() string {
	x, n := 1.5, 0
	for x < 1e12 && n < 100 {
		if n%3 == 0 {
			x = x*x - 0.25
		} else if x > 1e6 {
			x /= 7
		} else {
			x += float64(n) * 1.25
		}
		n++
	}
	return fmt.Sprintf("%.6g %d", x, n)
}

// where asks for the call stack, which is made of the same program counters as a
// function is entered at.
func where() (lines []string) {
	for range 2 {
		pcs := make([]uintptr, 8)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
		for {
			f, more := frames.Next()
			if strings.HasPrefix(f.Function, "main.") {
				lines = append(lines, fmt.Sprint(f.Function, ":", f.Line))
			}
			if !more {
				break
			}
		}
	}
	return lines
}
