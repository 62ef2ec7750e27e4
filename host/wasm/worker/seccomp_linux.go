//go:build amd64 || arm64

package worker

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// computing are the system calls that a process needs to compute and to use its pipes.
// Those of the table arguments are allowed with some arguments only. Everything else, such
// as opening a file, a socket or a process, fails with EPERM.
var computing = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PWRITE64, unix.SYS_CLOSE, unix.SYS_FSTAT,
	unix.SYS_MEMFD_CREATE, unix.SYS_FTRUNCATE, // memory that guests share
	unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_SCHED_YIELD,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRUSAGE, unix.SYS_GETRANDOM,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// Offsets in struct seccomp_data.
const (
	dataNumber = 0
	dataArch   = 4
	dataArgs   = 16
)

// Confine leaves this process only what computing needs, for as long as it lives. Where the
// kernel has no filters of system calls, the other limits remain.
func Confine() {
	runtime.LockOSThread() // both calls must be of the same thread; the second one is for all
	defer runtime.UnlockOSThread()
	if unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != nil {
		return
	}
	program := filter(uint32(os.Getpid()))
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, _ = unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
}

// filter returns the program that decides about a system call of the process pid.
func filter(pid uint32) (program []unix.SockFilter) {
	add := func(code uint16, k uint32, jumpTrue, jumpFalse uint8) {
		program = append(program, unix.SockFilter{Code: code, Jt: jumpTrue, Jf: jumpFalse, K: k})
	}
	load := func(offset uint32) { add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }
	result := func(k uint32) { add(unix.BPF_RET|unix.BPF_K, k, 0, 0) }
	const equal, anyBit = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	const allow, refuse = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)

	load(dataArch)
	add(equal, auditArch, 1, 0)
	result(unix.SECCOMP_RET_KILL_PROCESS)
	load(dataNumber) // numbers of x32 are in no table
	for _, n := range computing {
		add(equal, n, 0, 1)
		result(allow)
	}
	// A call with an argument that passes a test: skip it if the number is another one, load
	// the argument, test it.
	when := func(n uint32, arg uint32, test uint16, k uint32, passed, failed uint32) {
		add(equal, n, 0, 4)
		load(dataArgs + 8*arg) // the low half: both architectures are little-endian
		add(test, k, 0, 1)
		result(passed)
		result(failed)
	}
	when(unix.SYS_FCNTL, 1, equal, unix.F_GETFL, allow, refuse)   // others can make the system send signals
	when(unix.SYS_MMAP, 2, anyBit, unix.PROT_EXEC, refuse, allow) // no new code
	when(unix.SYS_MPROTECT, 2, anyBit, unix.PROT_EXEC, refuse, allow)
	when(unix.SYS_CLONE, 0, anyBit, unix.CLONE_THREAD, allow, refuse) // no new process
	when(unix.SYS_TGKILL, 0, equal, pid, allow, refuse)               // no signal to another one
	add(equal, unix.SYS_CLONE3, 0, 1)                                 // its flags are in memory
	result(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	result(refuse)
	return program
}
