/* Lets calls of the system fail, to see what a store makes of it. Loaded before libc.
 *
 * Counted are calls on files below QUIPU_FAULT_FOLDER. Without QUIPU_FAULT_CALL every call is
 * named on standard output; with it the call of that number fails as QUIPU_FAULT_KIND says, and
 * so do later ones if QUIPU_FAULT_LASTING is set:
 *
 *   eio      any call                                  (lasting: all calls)
 *   sync     a sync, with EIO                          (lasting: all syncs)
 *   enospc   what needs room                           (lasting: all that need room)
 *   short    a write writes half, the next one nothing (lasting: nothing needing room works)
 *
 * With QUIPU_FAULT_TRACE all that changes files is noted in the file of that name, in order, and
 * what is printed among it: a line `WHAT PATH AT COUNT`, then so many bytes, then a line's end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum call { OPEN, READ, WRITE, SYNC, FOLDER, SIZE, UNLINK, MAP };
static const char *const NAMES[] = {"open", "read",   "write", "sync",
                                    "folder", "size", "unlink", "map"};

enum { FILES = 4096, HALF = -1 };
static atomic_char ours[FILES];
static atomic_long calls;
static const char *folder, *kind;
static long failing;
static int lasting, trace = -1;
static char paths[FILES][512];

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("QUIPU_FAULT_CALL");
    failing = number ? atol(number) : 0;
    kind = getenv("QUIPU_FAULT_KIND");
    lasting = getenv("QUIPU_FAULT_LASTING") != NULL;
    folder = getenv("QUIPU_FAULT_FOLDER");
    const char *noted = getenv("QUIPU_FAULT_TRACE");
    if (noted) trace = open(noted, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

/* The worker has one thread, so that nothing comes between the parts of a note. */
static void note(const char *what, const char *path, off64_t at, const void *bytes, size_t count) {
    if (trace < 0) return;
    dprintf(trace, "%s %s %lld %zu\n", what, path, (long long)at, count);
    if (count && syscall(SYS_write, trace, bytes, count) < 0) abort();
    dprintf(trace, "\n");
}

static int is(const char *name) { return kind && strcmp(kind, name) == 0; }
static int needs_room(enum call call) { return call == WRITE || call == SIZE; }

/* What becomes of a call: 0 when it is made, HALF, or an error. */
static int fate(enum call call) {
    long number = atomic_fetch_add(&calls, 1) + 1;
    int error = 0;
    if (trace >= 0) {
        return 0;
    } else if (!failing) {
        dprintf(STDOUT_FILENO, "\n> call %s\n", NAMES[call]);
    } else if (number == failing) {
        error = is("short") && call == WRITE ? HALF : is("eio") || is("sync") ? EIO : ENOSPC;
    } else if (number > failing) {
        if (is("eio")) error = lasting ? EIO : 0;
        if (is("sync")) error = lasting && call == SYNC ? EIO : 0;
        if (is("enospc")) error = lasting && needs_room(call) ? ENOSPC : 0;
        int is_next = number == failing + 1;
        if (is("short")) error = needs_room(call) && (lasting || is_next) ? ENOSPC : 0;
    }
    if (error) dprintf(STDOUT_FILENO, "\n> fault %ld %s\n", number, NAMES[call]);
    return error;
}

static int is_below(const char *path) {
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}
static int is_ours(int file) { return file >= 0 && file < FILES && ours[file]; }

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL_IF(condition, call, failure)            \
    if (condition) {                                 \
        int error = fate(call);                      \
        if (error) return errno = error, (failure);  \
    }

static int opened(int file, const char *path) {
    if (file < 0 || file >= FILES) return file;
    ours[file] = is_below(path);
    if (ours[file]) {
        snprintf(paths[file], sizeof paths[file], "%s", path);
        note("open", path, 0, NULL, 0);
    }
    return file;
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPENS(name)                                    \
    int name(const char *path, int flags, ...) {       \
        va_list rest;                                  \
        va_start(rest, flags);                         \
        mode_t mode = mode_of(flags, rest);            \
        va_end(rest);                                  \
        REAL(name);                                    \
        FAIL_IF(is_below(path), OPEN, -1)              \
        return opened(real(path, flags, mode), path);  \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                     \
    int name(int at, const char *path, int flags, ...) {   \
        va_list rest;                                      \
        va_start(rest, flags);                             \
        mode_t mode = mode_of(flags, rest);                \
        va_end(rest);                                      \
        REAL(name);                                        \
        FAIL_IF(is_below(path), OPEN, -1)                  \
        return opened(real(at, path, flags, mode), path);  \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

int close(int file) {
    REAL(close);
    if (file >= 0 && file < FILES) ours[file] = 0;
    return real(file);
}

ssize_t read(int file, void *bytes, size_t count) {
    REAL(read);
    FAIL_IF(is_ours(file), READ, -1)
    return real(file, bytes, count);
}

#define READS_AT(name, offset)                                      \
    ssize_t name(int file, void *bytes, size_t count, offset at) {  \
        REAL(name);                                                 \
        FAIL_IF(is_ours(file), READ, -1)                            \
        return real(file, bytes, count, at);                        \
    }
READS_AT(pread, off_t)
READS_AT(pread64, off64_t)

/* How many bytes a write may write; none when it fails. */
static size_t room(int file, size_t count) {
    int error = is_ours(file) ? fate(WRITE) : 0;
    if (error == HALF && count > 1) return count / 2;
    errno = error == HALF ? ENOSPC : error;
    return error ? 0 : count;
}

/* What became of a write. */
static ssize_t wrote(int file, const void *bytes, ssize_t count, off64_t at) {
    if (count > 0 && is_ours(file)) note("write", paths[file], at, bytes, (size_t)count);
    return count;
}

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    size_t some = room(file, count);
    if (count && !some) return -1;
    if (file == STDOUT_FILENO) note("say", "-", 0, bytes, count);
    off64_t at = is_ours(file) ? lseek64(file, 0, SEEK_CUR) : 0;
    return wrote(file, bytes, real(file, bytes, some), at);
}

#define WRITES_AT(name, offset)                                           \
    ssize_t name(int file, const void *bytes, size_t count, offset at) {  \
        REAL(name);                                                       \
        size_t some = room(file, count);                                  \
        if (count && !some) return -1;                                    \
        return wrote(file, bytes, real(file, bytes, some, at), at);       \
    }
WRITES_AT(pwrite, off_t)
WRITES_AT(pwrite64, off64_t)

static enum call sync_of(int file) {
    struct stat about;
    return fstat(file, &about) == 0 && S_ISDIR(about.st_mode) ? FOLDER : SYNC;
}

#define SYNCS(name)                                                              \
    int name(int file) {                                                         \
        REAL(name);                                                              \
        FAIL_IF(is_ours(file), sync_of(file), -1)                                \
        if (is_ours(file)) note(NAMES[sync_of(file)], paths[file], 0, NULL, 0);  \
        return real(file);                                                       \
    }
SYNCS(fsync)
SYNCS(fdatasync)

#define SIZES(name, offset)                                             \
    int name(int file, offset length) {                                 \
        REAL(name);                                                     \
        FAIL_IF(is_ours(file), SIZE, -1)                                \
        if (is_ours(file)) note("size", paths[file], length, NULL, 0);  \
        return real(file, length);                                      \
    }
SIZES(ftruncate, off_t)
SIZES(ftruncate64, off64_t)

int unlink(const char *path) {
    REAL(unlink);
    FAIL_IF(is_below(path), UNLINK, -1)
    if (is_below(path)) note("unlink", path, 0, NULL, 0);
    return real(path);
}

#define MAPS(name, offset)                                                                \
    void *name(void *to, size_t count, int protection, int flags, int file, offset at) {  \
        REAL(name);                                                                       \
        FAIL_IF(is_ours(file), MAP, MAP_FAILED)                                           \
        return real(to, count, protection, flags, file, at);                              \
    }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)
