#ifndef IMGC_THREAD_H
#define IMGC_THREAD_H

/// Names the calling thread for debuggers and `top -H`; Linux keeps the first 15 bytes.
///
/// - `name`  borrowed for the call; never NULL.
void imgc_thread_set_name(const char *_Nonnull name);

/// Marks the calling thread as one of a pool, until it ends.
///
/// - `owner`  identifies the pool; never dereferenced.
void imgc_thread_set_owner(void *_Nonnull owner);

/// The mark of the calling thread; NULL where it has none.
void *_Nullable imgc_thread_owner(void);

/// How many processors this process may run on, by its affinity; 0 where that cannot be told.
int imgc_usable_processor_count(void);

#endif
