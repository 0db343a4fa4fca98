#include "csanitizer.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CSANITIZER_HAS_THREAD_SANITIZER 1
#endif
#endif

#ifdef CSANITIZER_HAS_THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#endif

void csanitizer_acquire(void *address) {
#ifdef CSANITIZER_HAS_THREAD_SANITIZER
    __tsan_acquire(address);
#else
    (void)address;
#endif
}

void csanitizer_release(void *address) {
#ifdef CSANITIZER_HAS_THREAD_SANITIZER
    __tsan_release(address);
#else
    (void)address;
#endif
}
