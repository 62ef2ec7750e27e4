package module

// WASINamespace is the part of WASI that language runtimes import.
const WASINamespace = "wasi_snapshot_preview1"

// WASI contains the signatures of all functions of preview 1. Each returns an error
// number, except proc_exit.
var WASI = parseSignatures(map[string]string{
	"args_get": "ii:i", "args_sizes_get": "ii:i", "environ_get": "ii:i", "environ_sizes_get": "ii:i",
	"clock_res_get": "ii:i", "clock_time_get": "iIi:i", "random_get": "ii:i", "poll_oneoff": "iiii:i",
	"proc_exit": "i:", "proc_raise": "i:i", "sched_yield": ":i",
	"fd_advise": "iIIi:i", "fd_allocate": "iII:i", "fd_close": "i:i", "fd_datasync": "i:i",
	"fd_fdstat_get": "ii:i", "fd_fdstat_set_flags": "ii:i", "fd_fdstat_set_rights": "iII:i",
	"fd_filestat_get": "ii:i", "fd_filestat_set_size": "iI:i", "fd_filestat_set_times": "iIIi:i",
	"fd_pread": "iiiIi:i", "fd_prestat_dir_name": "iii:i", "fd_prestat_get": "ii:i", "fd_pwrite": "iiiIi:i",
	"fd_read": "iiii:i", "fd_readdir": "iiiIi:i", "fd_renumber": "ii:i", "fd_seek": "iIii:i", "fd_sync": "i:i",
	"fd_tell": "ii:i", "fd_write": "iiii:i",
	"path_create_directory": "iii:i", "path_filestat_get": "iiiii:i", "path_filestat_set_times": "iiiiIIi:i",
	"path_link": "iiiiiii:i", "path_open": "iiiiiIIii:i", "path_readlink": "iiiiii:i", "path_remove_directory": "iii:i",
	"path_rename": "iiiiii:i", "path_symlink": "iiiii:i", "path_unlink_file": "iii:i",
	"sock_accept": "iii:i", "sock_recv": "iiiiii:i", "sock_send": "iiiii:i", "sock_shutdown": "ii:i",
})

// Abort is the signature of env.abort of AssemblyScript: message, file, line, column.
var Abort = parseSignature("iiii:")
