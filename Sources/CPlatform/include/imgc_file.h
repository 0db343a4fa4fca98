#ifndef IMGC_FILE_H
#define IMGC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Not from <sys/stat.h>: Swift would count its members as those of this module.
struct stat;

// These calls follow no symbolic link, in any component of a path: a link fails with ELOOP, or
// ENOTDIR where a folder is expected. Paths are borrowed for the call. Each returns 0 or a
// descriptor, or -1 with errno set.

/// Opens a file as open(2) does, closed on exec, without waiting for the other end of a FIFO and
/// without taking a terminal. The caller looks at the type of what it got.
int imgc_file_open(const char *_Nonnull path, int flags, uint32_t mode);

/// Opens a file as imgc_file_open does, by its path from an open folder.
int imgc_file_open_from(int folder, const char *_Nonnull path, int flags, uint32_t mode);

/// Opens a file for reading by its path from an open folder, through symbolic links that lead to
/// nothing outside of it; through none where the system cannot tell (Linux before 5.6). EXDEV or
/// ELOOP for other links. The path has no ".." and no slash at its start.
int imgc_file_open_below(int folder, const char *_Nonnull path);

/// Opens a folder to open files from.
int imgc_folder_open(const char *_Nonnull path);

/// Reads the status of what the path names; a link is reported as a link.
int imgc_file_status(const char *_Nonnull path, struct stat *_Nonnull status);

/// Whether the path names anything: 1 or 0, -1 with errno set where that cannot be told.
int imgc_file_exists(const char *_Nonnull path);

/// Removes a file; of a link the link itself.
int imgc_file_remove(const char *_Nonnull path);

/// Gives a file its space on the disk up to an offset, where there is some, and keeps its length.
void imgc_file_reserve(int file, int64_t end);

/// Renames a file, replacing what has the other name.
int imgc_file_rename(const char *_Nonnull path, const char *_Nonnull other);

/// Opens a file without a name for reading and writing, on the file system of a folder. It gets a
/// name by imgc_file_link, or is gone when it is closed. EOPNOTSUPP where that is not possible.
int imgc_file_open_unnamed(const char *_Nonnull folder, uint32_t mode);

/// Gives an open file without a name its name; EEXIST when something has it already.
int imgc_file_link(int file, const char *_Nonnull path);

/// Makes a folder.
int imgc_folder_make(const char *_Nonnull path, uint32_t mode);

/// Removes an empty folder.
int imgc_folder_remove(const char *_Nonnull path);

/// Compares a folder's permissions with `mode`, as access(2) does.
int imgc_folder_access(const char *_Nonnull path, int mode);

/// Copies a regular file to a name that does not exist yet, sharing its blocks where the file
/// system can (a reflink).
///
/// - `source`, `target`  paths, borrowed for the call.
/// Returns 0, or -1 with errno set and no target.
int imgc_copy_file(const char *_Nonnull source, const char *_Nonnull target);

/// Reads from an offset as pread(2) does, but only what the system has in memory: fewer bytes where
/// the rest is not, -1 with EAGAIN where none are. Waits for the disk where the system or the file
/// system cannot tell.
///
/// - `bytes`  owned by the caller: at least `count` bytes, written only here.
intptr_t imgc_file_read_cached(int file, void *_Nonnull bytes, size_t count, int64_t offset);

/// Whether the system has the first `count` bytes of a file in memory, by a byte in every 128 KiB, the
/// least that it reads ahead.
bool imgc_file_is_cached(int file, size_t count);

/// Asks the file system to place the folders made in a directory far from each other, as ext4 does
/// with those at its root (`chattr +T`). Where that is unknown or not allowed nothing happens.
///
/// - `directory`  path, borrowed for the call.
void imgc_spread_folders(const char *_Nonnull directory);

#endif
