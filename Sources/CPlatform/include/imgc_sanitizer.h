#ifndef IMGC_SANITIZER_H
#define IMGC_SANITIZER_H

/// Tells the thread sanitizer that what came before the matching release happened before now.
/// Does nothing in builds without it.
///
/// - `address`  names the lock; only its value is used.
void imgc_sanitizer_acquire(void *_Nonnull address);

/// Tells the thread sanitizer that the lock at `address` is about to be given back.
void imgc_sanitizer_release(void *_Nonnull address);

#endif
