#ifndef IMGC_MEMORY_H
#define IMGC_MEMORY_H

/// Tells the allocator of this process that freed memory is soon used again, so that bodies and
/// pixels that come and go do not cost a system call and fresh pages each time. For programs, not
/// for libraries.
void imgc_memory_expect_reuse(void);

#endif
