#define _GNU_SOURCE
#include "imgc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __APPLE__
#include <sys/clonefile.h>
#endif
#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#endif
#if defined(__linux__) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

#ifdef O_TMPFILE
#define CREATING (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
#else
#define CREATING O_CREAT
#endif

#ifdef O_PATH
#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)
#else
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif

// MARK: paths without symbolic links

/// Walks a path component by component; where the system has no call that does it at once.
static int open_by_walking(int from, const char *path, int flags, uint32_t mode) {
    int folder = openat(from, path[0] == '/' ? "/" : ".", FOLDER_FLAGS);
    while (folder >= 0) {
        while (*path == '/') path++;
        size_t length = strcspn(path, "/");
        if (length >= NAME_MAX + 1) {
            close(folder);
            errno = ENAMETOOLONG;
            return -1;
        }
        char name[NAME_MAX + 1];
        memcpy(name, path, length);
        name[length] = 0;
        path += length;
        bool is_last = path[strspn(path, "/")] == 0;
        int next = is_last ? openat(folder, length ? name : ".", flags | O_NOFOLLOW, mode)
                           : openat(folder, name, FOLDER_FLAGS | O_NOFOLLOW);
        int reason = errno;
        struct stat status;
        // A link that is opened as a folder fails with ENOTDIR: say what it is.
        if (next < 0 && reason == ENOTDIR &&
            fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode)) {
            reason = ELOOP;
        }
        close(folder);
        errno = reason;
        if (is_last) return next;
        folder = next;
    }
    return -1;
}

static int open_strictly_from(int from, const char *path, int flags, uint32_t mode) {
#if defined(SYS_openat2) && defined(RESOLVE_NO_SYMLINKS)
    struct open_how how = {
        .flags = (unsigned)flags, .mode = flags & CREATING ? mode : 0, .resolve = RESOLVE_NO_SYMLINKS};
    long file = syscall(SYS_openat2, from, path, &how, sizeof how);
    // Older kernels lack the call, and filters of system calls refuse what they do not know.
    if (file >= 0 || (errno != ENOSYS && errno != EPERM)) return (int)file;
#endif
    return open_by_walking(from, path, flags, mode);
}

static int open_strictly(const char *path, int flags, uint32_t mode) {
    return open_strictly_from(AT_FDCWD, path, flags, mode);
}

int imgc_file_open_from(int folder, const char *path, int flags, uint32_t mode) {
    flags |= O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    int file;
    do {
        file = open_strictly_from(folder, path, flags, mode);
    } while (file < 0 && errno == EINTR);
    return file;
}

int imgc_file_open(const char *path, int flags, uint32_t mode) {
    return imgc_file_open_from(AT_FDCWD, path, flags, mode);
}

int imgc_file_open_below(int folder, const char *path) {
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    struct open_how how = {.flags = flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    // EAGAIN: something was renamed meanwhile.
    for (int attempt = 0; attempt < 100; attempt++) {
        long file = syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (file >= 0) return (int)file;
        if (errno == ENOSYS || errno == EPERM) break;
        if (errno != EAGAIN && errno != EINTR) return -1;
    }
    if (errno == EAGAIN) return -1;
#endif
    return open_by_walking(folder, path, flags, 0);
}

int imgc_folder_open(const char *path) { return open_strictly(path, FOLDER_FLAGS, 0); }

/// Opens the folder of a path; `name` is then its last component. -1 with errno set.
static int open_folder(const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    if (!slash) return open(".", FOLDER_FLAGS);
    size_t length = slash == path ? 1 : (size_t)(slash - path);
    char folder[PATH_MAX];
    if (length >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(folder, path, length);
    folder[length] = 0;
    return open_strictly(folder, FOLDER_FLAGS, 0);
}

/// Closes a folder and passes on the result of a call, errno included.
static int closing(int folder, int result) {
    int reason = errno;
    close(folder);
    errno = reason;
    return result;
}

int imgc_file_status(const char *path, struct stat *status) {
    const char *name;
    int folder = open_folder(path, &name);
    if (folder < 0) return -1;
    return closing(folder, fstatat(folder, *name ? name : ".", status, AT_SYMLINK_NOFOLLOW));
}

int imgc_file_exists(const char *path) {
#ifdef O_PATH
    int file = open_strictly(path, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
    if (file >= 0) return closing(file, 1);
#else
    struct stat status;
    if (imgc_file_status(path, &status) == 0) return 1;
#endif
    return errno == ENOENT ? 0 : -1;
}

int imgc_file_remove(const char *path) {
    const char *name;
    int folder = open_folder(path, &name);
    if (folder < 0) return -1;
    return closing(folder, unlinkat(folder, name, 0));
}

int imgc_folder_remove(const char *path) {
    const char *name;
    int folder = open_folder(path, &name);
    if (folder < 0) return -1;
    return closing(folder, unlinkat(folder, name, AT_REMOVEDIR));
}

int imgc_file_open_unnamed(const char *folder, uint32_t mode) {
#ifdef O_TMPFILE
    // Without /proc it could not be given a name.
    static atomic_bool has_proc;
    if (!has_proc) has_proc = access("/proc/self/fd", X_OK) == 0;
    if (has_proc) {
        int file = imgc_file_open(folder, O_TMPFILE | O_RDWR, mode);
        // A kernel or a file system that knows no such files, in its own words.
        if (file < 0 && (errno == EISDIR || errno == EINVAL)) errno = EOPNOTSUPP;
        return file;
    }
#endif
    errno = EOPNOTSUPP;
    return -1;
}

int imgc_file_link(int file, const char *path) {
    const char *name;
    int folder = open_folder(path, &name);
    if (folder < 0) return -1;
#ifdef AT_EMPTY_PATH
    // From Linux 6.10 on for a file of one's own; before, for a privileged process.
    static atomic_bool is_refused;
    if (!is_refused) {
        if (linkat(file, "", folder, name, AT_EMPTY_PATH) == 0) return closing(folder, 0);
        if (errno == EEXIST) return closing(folder, -1);
        if (errno == ENOENT) is_refused = true;
    }
#endif
    char own[32];
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    return closing(folder, linkat(AT_FDCWD, own, folder, name, AT_SYMLINK_FOLLOW));
}

int imgc_folder_make(const char *path, uint32_t mode) {
    const char *name;
    int folder = open_folder(path, &name);
    if (folder < 0) return -1;
    return closing(folder, mkdirat(folder, name, mode));
}

int imgc_file_rename(const char *path, const char *other) {
    const char *name, *other_name;
    int folder = open_folder(path, &name);
    if (folder < 0) return -1;
    int other_folder = open_folder(other, &other_name);
    if (other_folder < 0) return closing(folder, -1);
    int result = renameat(folder, name, other_folder, other_name);
    return closing(folder, closing(other_folder, result));
}

int imgc_folder_access(const char *path, int mode) {
    int folder = open_strictly(path, FOLDER_FLAGS, 0);
    if (folder < 0) return -1;
    return closing(folder, faccessat(folder, ".", mode, 0));
}

// MARK: space

void imgc_file_reserve(int file, int64_t end) {
#ifdef __linux__
    (void)!fallocate(file, FALLOC_FL_KEEP_SIZE, 0, (off_t)end);
#else
    (void)file, (void)end;
#endif
}

// MARK: pages in memory

intptr_t imgc_file_read_cached(int file, void *bytes, size_t count, int64_t offset) {
#ifdef RWF_NOWAIT
    struct iovec room = {.iov_base = bytes, .iov_len = count};
    ssize_t result = preadv2(file, &room, 1, offset, RWF_NOWAIT);
    if (result >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return result;
#endif
    return pread(file, bytes, count, offset);
}

bool imgc_file_is_cached(int file, size_t count) {
    char byte;
    for (size_t offset = 0; offset < count; offset += 1 << 17) {
        if (imgc_file_read_cached(file, &byte, 1, (off_t)offset) != 1) return false;
    }
    return count == 0 || imgc_file_read_cached(file, &byte, 1, (off_t)count - 1) == 1;
}

// MARK: copies

static int copy_bytes(int from, int to) {
    char block[1 << 16];
    for (;;) {
        ssize_t count = read(from, block, sizeof block);
        if (count == 0) return 0;
        if (count < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        for (ssize_t done = 0; done < count;) {
            ssize_t written = write(to, block + done, (size_t)(count - done));
            if (written < 0 && errno != EINTR) return -1;
            if (written > 0) done += written;
        }
    }
}

int imgc_copy_file(const char *source, const char *target) {
#ifdef __APPLE__
    if (clonefile(source, target, 0) == 0) return 0;
#endif
    // A FIFO at the name would hold up the open for ever.
    int from = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (from < 0) return -1;
    struct stat status;
    if (fstat(from, &status) != 0) return closing(from, -1);
    if (!S_ISREG(status.st_mode)) {
        errno = EINVAL;
        return closing(from, -1);
    }
    int to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (to < 0) {
        int reason = errno;
        close(from);
        errno = reason;
        return -1;
    }
    int result = -1;
#ifdef FICLONE
    result = ioctl(to, FICLONE, from);
#endif
    if (result != 0) result = copy_bytes(from, to);
    int reason = errno;
    close(from);
    if (close(to) != 0 && result == 0) {
        result = -1;
        reason = errno;
    }
    if (result != 0) unlink(target);
    errno = reason;
    return result;
}

void imgc_spread_folders(const char *directory) {
#if defined(FS_IOC_SETFLAGS) && defined(FS_TOPDIR_FL)
    int file = imgc_file_open(directory, O_RDONLY | O_DIRECTORY, 0);
    if (file < 0) return;
    int flags = 0;
    if (ioctl(file, FS_IOC_GETFLAGS, &flags) == 0 && !(flags & FS_TOPDIR_FL)) {
        flags |= FS_TOPDIR_FL;
        (void)ioctl(file, FS_IOC_SETFLAGS, &flags);
    }
    close(file);
#else
    (void)directory;
#endif
}
