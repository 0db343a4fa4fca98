#ifndef IMGC_LIMITS_H
#define IMGC_LIMITS_H

#include <stdint.h>

/// Raises the soft limit of open files (RLIMIT_NOFILE) to the hard one, but not above `wanted`; it
/// is never lowered.
///
/// Returns the soft limit in force afterwards, INT64_MAX for none, or 0 where the system does not
/// tell.
int64_t imgc_limits_raise_open_files(int64_t wanted);

/// The soft limit of the address space (RLIMIT_AS) in bytes; INT64_MAX for none.
int64_t imgc_limits_address_space(void);

/// Bytes of address space that a new thread's stack takes by default.
int64_t imgc_limits_stack_byte_count(void);

/// Whether so many bytes of address space are available now, in one piece; they are released at
/// once.
///
/// - `byte_count`  positive.
int imgc_limits_address_space_has(int64_t byte_count);

/// Starts so many threads at once, which end before it returns.
///
/// - `count`  at most 1024 are tried.
///
/// Returns the number of threads that the system granted.
int imgc_limits_grants_threads(int count);

#endif
