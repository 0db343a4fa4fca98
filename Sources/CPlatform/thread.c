#define _GNU_SOURCE
#include "imgc_thread.h"

#include <pthread.h>
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
