#define _GNU_SOURCE
#include "imgc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef __APPLE__
#include <sys/clonefile.h>
#endif
#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#endif

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
    int from = open(source, O_RDONLY | O_CLOEXEC);
    if (from < 0) return -1;
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
    errno = reason;
    return result;
}

void imgc_spread_folders(const char *directory) {
#if defined(FS_IOC_SETFLAGS) && defined(FS_TOPDIR_FL)
    int file = open(directory, O_RDONLY | O_CLOEXEC);
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
