#ifndef IMGC_FILE_H
#define IMGC_FILE_H

/// Copies a regular file to a name that does not exist yet, sharing its blocks where the file
/// system can (a reflink).
///
/// - `source`, `target`  paths, borrowed for the call.
/// Returns 0, or -1 with errno set; a target that was begun is left for the caller to remove.
int imgc_copy_file(const char *_Nonnull source, const char *_Nonnull target);

/// Asks the file system to place the folders made in a directory far from each other, as ext4 does with
/// those at its root (`chattr +T`). Where that is unknown or not allowed nothing happens.
///
/// - `directory`  path, borrowed for the call.
void imgc_spread_folders(const char *_Nonnull directory);

#endif
