/* Notes, from outside, what a process has made durable: preloaded into it, this logs every sync, creation, renaming,
 * removal, truncation and overwriting below one directory, so that a power cut can be played afterwards.
 *
 * POWER_CUT_ROOT is the directory watched, POWER_CUT_LOG the log. Beside the log, LOG.undo takes the bytes that were
 * overwritten and LOG.N the files that were removed or replaced. Syncs of files take a random while longer than they
 * would, as on a slow disk, because what matters is what happens before they are done. A line of the log is one event,
 * fields split by tabs:
 *
 *   S path size             all of the file up to `size` is durable
 *   D path                  the names in the directory are durable
 *   C path                  a file or directory was made
 *   U path kept             a file was removed; `kept` still holds it
 *   R old new kept          a file was renamed; `kept` holds the one it replaced, if it is not "-"
 *   T path size             the file was cut to `size`
 *   W path offset size at   `size` bytes at `offset` were overwritten; the old ones lie in LOG.undo from `at` on
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOWEST 20000 /* microseconds */

#define REAL(name, result, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static const char *root, *log_path;
static int log_handle = -1, undo_handle = -1;
static unsigned int luck;
static pthread_mutex_t undoing = PTHREAD_MUTEX_INITIALIZER;

static int raw_open(const char *path, int flags, int mode) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

__attribute__((constructor)) static void begin(void) {
    char undo[PATH_MAX];
    root = getenv("POWER_CUT_ROOT");
    log_path = getenv("POWER_CUT_LOG");
    if (!root || !log_path) return;
    luck = (unsigned int)getpid();
    snprintf(undo, sizeof undo, "%s.undo", log_path);
    log_handle = raw_open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    undo_handle = raw_open(undo, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static void note(const char *format, ...) {
    char line[3 * PATH_MAX];
    va_list values;
    int saved = errno;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (write(log_handle, line, (size_t)length) != length) abort();
    errno = saved;
}

static int watched(const char *path) {
    return log_handle >= 0 && path[0] == '/' && strncmp(path, root, strlen(root)) == 0;
}

static int watched_handle(int handle, char *path) {
    char link[64];
    if (log_handle < 0 || handle == log_handle || handle == undo_handle) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return watched(path) && !strstr(path, " (deleted)");
}

static void keep(const char *path, char *kept) {
    static int number;
    snprintf(kept, PATH_MAX, "%s.%d.%d", log_path, (int)getpid(), __sync_add_and_fetch(&number, 1));
    if (link(path, kept) != 0) strcpy(kept, "-");
}

static int synced(int handle, int (*real)(int)) {
    char path[PATH_MAX];
    struct stat before;
    int mine = watched_handle(handle, path) && fstat(handle, &before) == 0;
    if (mine && !S_ISDIR(before.st_mode)) usleep((useconds_t)(rand_r(&luck) % SLOWEST));
    int result = real(handle);
    if (mine && result == 0) {
        if (S_ISDIR(before.st_mode)) note("D\t%s\n", path);
        else note("S\t%s\t%lld\n", path, (long long)before.st_size);
    }
    return result;
}

int fsync(int handle) {
    REAL("fsync", int, int);
    return synced(handle, real);
}

int fdatasync(int handle) {
    REAL("fdatasync", int, int);
    return synced(handle, real);
}

static int opened(int folder, const char *path, int flags, int mode) {
    int makes = (flags & O_CREAT) && watched(path) && access(path, F_OK) != 0;
    int handle = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (makes && handle >= 0) note("C\t%s\n", path);
    if ((flags & O_TRUNC) && handle >= 0 && watched(path)) note("T\t%s\t0\n", path);
    return handle;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list values; \
        va_start(values, flags); \
        int mode = va_arg(values, int); \
        va_end(values); \
        return opened(AT_FDCWD, path, flags, mode); \
    }

OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode) {
    REAL("mkdir", int, const char *, mode_t);
    int result = real(path, mode);
    if (result == 0 && watched(path)) note("C\t%s\n", path);
    return result;
}

int unlink(const char *path) {
    REAL("unlink", int, const char *);
    char kept[PATH_MAX] = "-";
    if (watched(path)) keep(path, kept);
    int result = real(path);
    if (result == 0 && watched(path)) note("U\t%s\t%s\n", path, kept);
    return result;
}

int rename(const char *old, const char *new) {
    REAL("rename", int, const char *, const char *);
    char kept[PATH_MAX] = "-";
    if (watched(new)) keep(new, kept);
    int result = real(old, new);
    if (result == 0 && watched(new)) note("R\t%s\t%s\t%s\n", old, new, kept);
    return result;
}

static void cut(int handle, off_t size) {
    char path[PATH_MAX];
    if (watched_handle(handle, path)) note("T\t%s\t%lld\n", path, (long long)size);
}

int ftruncate(int handle, off_t size) {
    REAL("ftruncate", int, int, off_t);
    int result = real(handle, size);
    if (result == 0) cut(handle, size);
    return result;
}

int ftruncate64(int handle, off64_t size) {
    return ftruncate(handle, size);
}

int truncate(const char *path, off_t size) {
    REAL("truncate", int, const char *, off_t);
    int result = real(path, size);
    if (result == 0 && watched(path)) note("T\t%s\t%lld\n", path, (long long)size);
    return result;
}

int truncate64(const char *path, off64_t size) {
    return truncate(path, size);
}

static void remember(int handle, size_t size, off_t offset) {
    char path[PATH_MAX];
    struct stat before;
    if (!watched_handle(handle, path) || fstat(handle, &before) != 0 || offset >= before.st_size) return;
    size_t over = offset + (off_t)size > before.st_size ? (size_t)(before.st_size - offset) : size;
    char *old = malloc(over);
    if (old && pread(handle, old, over, offset) == (ssize_t)over) {
        pthread_mutex_lock(&undoing);
        off_t at = lseek(undo_handle, 0, SEEK_END);
        if (write(undo_handle, old, over) != (ssize_t)over) abort();
        note("W\t%s\t%lld\t%zu\t%lld\n", path, (long long)offset, over, (long long)at);
        pthread_mutex_unlock(&undoing);
    }
    free(old);
}

ssize_t pwrite64(int handle, const void *data, size_t size, off64_t offset) {
    REAL("pwrite64", ssize_t, int, const void *, size_t, off64_t);
    int saved = errno;
    remember(handle, size, offset);
    errno = saved;
    return real(handle, data, size, offset);
}

ssize_t pwrite(int handle, const void *data, size_t size, off_t offset) {
    return pwrite64(handle, data, size, offset);
}
