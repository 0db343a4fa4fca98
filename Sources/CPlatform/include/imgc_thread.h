#ifndef IMGC_THREAD_H
#define IMGC_THREAD_H

#include <stdbool.h>
#include <stdint.h>

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

/// Marks the calling thread as about to end the job that it runs.
void imgc_thread_set_ending(bool value);

/// Whether the calling thread is about to end its job; false at first.
bool imgc_thread_is_ending(void);

extern _Thread_local uint32_t imgc_thread_number_here;
uint32_t imgc_thread_number_make(void);

/// A number of the calling thread, counted from 1 in the order of the first calls.
static inline uint32_t imgc_thread_number(void) {
    return imgc_thread_number_here ? imgc_thread_number_here : imgc_thread_number_make();
}

/// How many processors this process may run on, by its affinity; 0 where that cannot be told.
int imgc_usable_processor_count(void);

#endif
