#define _GNU_SOURCE
#include "imgc_limits.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#ifdef __APPLE__
#include <limits.h>
#endif

static int64_t bounded(rlim_t value) {
    return value == RLIM_INFINITY || value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

int64_t imgc_limits_raise_open_files(int64_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    int64_t soft = bounded(limit.rlim_cur), hard = bounded(limit.rlim_max);
#ifdef __APPLE__
    if (hard > OPEN_MAX) hard = OPEN_MAX;           // setrlimit(2) refuses more, whatever it reports
#endif
    int64_t target = hard < wanted ? hard : wanted;
    if (target <= soft) return soft;
    limit.rlim_cur = (rlim_t)target;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? target : soft;
}

int64_t imgc_limits_address_space(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 ? bounded(limit.rlim_cur) : INT64_MAX;
}

int64_t imgc_limits_stack_byte_count(void) {
    pthread_attr_t attributes;
    size_t stack = 0, guard = 0;
    if (pthread_attr_init(&attributes) != 0) return 8 << 20;
    pthread_attr_getstacksize(&attributes, &stack);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    return (int64_t)(stack + guard);
}

int imgc_limits_address_space_has(int64_t byte_count) {
    int flags = MAP_PRIVATE | MAP_ANON;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    void *piece = mmap(NULL, (size_t)byte_count, PROT_NONE, flags, -1, 0);
    if (piece == MAP_FAILED) return 0;
    munmap(piece, (size_t)byte_count);
    return 1;
}

static void *pass(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int imgc_limits_grants_threads(int count) {
    enum { most = 1024, stack = 256 * 1024 };
    pthread_t threads[most];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attributes;
    if (count > most) count = most;
    if (pthread_attr_init(&attributes) != 0) return 0;
    pthread_attr_setstacksize(&attributes, stack);   // they call nothing
    pthread_mutex_lock(&gate);
    int started = 0;
    while (started < count && pthread_create(&threads[started], &attributes, pass, &gate) == 0) started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
    return started;
}
