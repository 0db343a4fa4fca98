#include "imgc_sanitizer.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IMGC_HAS_THREAD_SANITIZER 1
#endif
#endif

#ifdef IMGC_HAS_THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#endif

void imgc_sanitizer_acquire(void *address) {
#ifdef IMGC_HAS_THREAD_SANITIZER
    __tsan_acquire(address);
#else
    (void)address;
#endif
}

void imgc_sanitizer_release(void *address) {
#ifdef IMGC_HAS_THREAD_SANITIZER
    __tsan_release(address);
#else
    (void)address;
#endif
}
