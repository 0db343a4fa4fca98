#define _GNU_SOURCE
#include "imgc_thread.h"

#include <pthread.h>
#ifdef __linux__
#include <sched.h>
#endif
#include <string.h>

void imgc_thread_set_name(const char *name) {
#ifdef __APPLE__
    pthread_setname_np(name);
#else
    char kept[16] = { 0 };                          // the kernel refuses longer names
    strncpy(kept, name, sizeof kept - 1);
    pthread_setname_np(pthread_self(), kept);
#endif
}

static _Thread_local void *owner;

void imgc_thread_set_owner(void *value) { owner = value; }

void *imgc_thread_owner(void) { return owner; }

static _Thread_local bool is_ending;

void imgc_thread_set_ending(bool value) { is_ending = value; }

bool imgc_thread_is_ending(void) { return is_ending; }

_Thread_local uint32_t imgc_thread_number_here;

uint32_t imgc_thread_number_make(void) {
    static _Atomic uint32_t last;
    // 0 means none, also after 2^32 threads.
    while (imgc_thread_number_here == 0) imgc_thread_number_here = ++last;
    return imgc_thread_number_here;
}

int imgc_usable_processor_count(void) {
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
#else
    return 0;
#endif
}
