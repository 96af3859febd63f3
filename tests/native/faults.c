/* Fails, kills or interrupts at the n-th system call on the files of one directory: preloaded before libc.
 *
 * extpkg_arm(directory, call, n, action) arms it: `call` is a name below, or "any"; `action` is an errno, or
 * one of KILL, INTERRUPT and SHORT. extpkg_disarm() returns how many such calls were made since.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { KILL = -1, INTERRUPT = -2, SHORT = -3 };

static char directory[PATH_MAX];
static char wanted[32];
static long left, made;
static int action;

void extpkg_arm(const char *where, const char *call, long n, int what) {
    snprintf(wanted, sizeof wanted, "%s", call);
    snprintf(directory, sizeof directory, "%s", where);
    left = n;
    made = 0;
    action = what;
}

long extpkg_disarm(void) {
    directory[0] = 0;
    return made;
}

static int concerns(const char *path) {
    return directory[0] && path && strncmp(path, directory, strlen(directory)) == 0;
}

static int concerns_open(int descriptor) {
    char link[64], path[PATH_MAX];
    if (!directory[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return concerns(path);
}

/* Returns 0 where the call goes on, 1 where it fails with errno set, 2 where it is cut short. */
static int met(const char *call, int ours) {
    if (!ours || (strcmp(wanted, "any") && strcmp(wanted, call))) return 0;
    made++;
    if (--left) return 0;
    if (action == KILL) raise(SIGKILL);
    if (action == INTERRUPT) {
        raise(SIGINT);
        return 0;
    }
    if (action == SHORT) return 2;
    errno = action;
    return 1;
}

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                      \
    int name(const char *path, int flags, ...) {                       \
        va_list more;                                                   \
        va_start(more, flags);                                          \
        mode_t mode = va_arg(more, mode_t);                             \
        va_end(more);                                                   \
        if (met("open", concerns(path))) return -1;                     \
        return REAL(name)(path, flags, mode);                           \
    }
OPEN(open)
OPEN(open64)

#define WRITE(name, offset)                                             \
    ssize_t name(int file, const void *data, size_t size, offset at) {  \
        int how = met("write", concerns_open(file));                    \
        if (how == 1) return -1;                                        \
        return REAL(name)(file, data, how == 2 ? (size + 1) / 2 : size, at); \
    }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)

ssize_t write(int file, const void *data, size_t size) {
    int how = met("write", concerns_open(file));
    if (how == 1) return -1;
    return REAL(write)(file, data, how == 2 ? (size + 1) / 2 : size);
}

#define ON_FILE(name, call)                                             \
    int name(int file) {                                                \
        if (met(call, concerns_open(file))) return -1;                  \
        return REAL(name)(file);                                        \
    }
ON_FILE(fsync, "fsync")
ON_FILE(fdatasync, "fsync")

int close(int file) {
    int fails = met("close", concerns_open(file)), why = errno;
    int result = REAL(close)(file); /* as the kernel does: the descriptor is gone, whatever is said */
    if (!fails) return result;
    errno = why;
    return -1;
}

int ftruncate(int file, off_t size) {
    if (met("truncate", concerns_open(file))) return -1;
    return REAL(ftruncate)(file, size);
}

int ftruncate64(int file, off64_t size) {
    if (met("truncate", concerns_open(file))) return -1;
    return REAL(ftruncate64)(file, size);
}

int unlink(const char *path) {
    if (met("unlink", concerns(path))) return -1;
    return REAL(unlink)(path);
}

int mkdir(const char *path, mode_t mode) {
    if (met("mkdir", concerns(path))) return -1;
    return REAL(mkdir)(path, mode);
}

int rename(const char *from, const char *to) {
    if (met("rename", concerns(from))) return -1;
    return REAL(rename)(from, to);
}

int link(const char *from, const char *to) {
    if (met("link", concerns(from))) return -1;
    return REAL(link)(from, to);
}
