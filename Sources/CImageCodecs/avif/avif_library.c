#include "avif_library.h"

#include "../common/support.h"
#include "imgc_avif.h"

#if IMGC_HAS_AVIF

#include "../common/loading.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Of 0.11, and from 1.0 on.
#ifdef __APPLE__
static const char *const NAMES[] = {"libavif.15.dylib", "libavif.16.dylib"};
#else
static const char *const NAMES[] = {"libavif.so.15", "libavif.so.16"};
#endif

struct imgc_avif_library libavif;
static char fault[96];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *name(void) { return NAMES[AVIF_VERSION_MAJOR > 0]; }

/// Whether the structs of the header are those of the library: later versions of 1 add to their end.
static bool is_compatible(const char *version) {
    int major = 0, minor = 0;
    sscanf(version, "%d.%d", &major, &minor);
    if (major != AVIF_VERSION_MAJOR) return false;
    return major == 0 ? minor == AVIF_VERSION_MINOR : minor >= AVIF_VERSION_MINOR;
}

static void load(void) {
    void *library = imgc_library_open(name());
    if (!library) {
        strcpy(fault, "libavif cannot be loaded");
        return;
    }
#define LOOK_UP(name)                                                                              \
    *(void **)&libavif.name = dlsym(library, "avif" #name);                                        \
    if (!libavif.name) {                                                                           \
        strcpy(fault, "libavif has no avif" #name);                                                \
        return;                                                                                    \
    }
    IMGC_AVIF_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    if (is_compatible(libavif.Version())) return;
    snprintf(fault, sizeof fault, "libavif is %.20s, this build is for %d.%d", libavif.Version(),
             AVIF_VERSION_MAJOR, AVIF_VERSION_MINOR);
}

bool imgc_avif_is_present(void) { return imgc_library_is_present(name()); }

imgc_status imgc_avif_load(imgc_error *error) {
    pthread_once(&once, load);
    if (!fault[0]) return IMGC_STATUS_OK;
    return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "%s", fault);
}

#else

bool imgc_avif_is_present(void) { return false; }

imgc_status imgc_avif_load(imgc_error *error) {
    return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "built without libavif");
}

// What is declared has to be there; nothing of it is called where the library is not present.

imgc_status imgc_avif_scan(const uint8_t *avif, size_t size, const imgc_limits *limits,
                           imgc_info *info, imgc_error *error) {
    (void)avif, (void)size, (void)limits, (void)info;
    return imgc_avif_load(error);
}

imgc_status imgc_avif_icc(const uint8_t *avif, size_t size, const imgc_limits *limits,
                          imgc_buffer *out, imgc_error *error) {
    (void)avif, (void)size, (void)limits, (void)out;
    return imgc_avif_load(error);
}

imgc_avif_reader *imgc_avif_reader_open(const uint8_t *avif, size_t size, const imgc_limits *limits,
                                        imgc_error *error) {
    (void)avif, (void)size, (void)limits;
    imgc_avif_load(error);
    return NULL;
}

uint32_t imgc_avif_reader_width(const imgc_avif_reader *reader) { return (void)reader, 0; }

uint32_t imgc_avif_reader_height(const imgc_avif_reader *reader) { return (void)reader, 0; }

imgc_status imgc_avif_reader_read(imgc_avif_reader *reader, imgc_pixels rows, uint32_t *count,
                                  imgc_error *error) {
    (void)reader, (void)rows, (void)count;
    return imgc_avif_load(error);
}

void imgc_avif_reader_close(imgc_avif_reader *reader) { (void)reader; }

imgc_status imgc_avif_encode(imgc_image image, const imgc_avif_options *options, imgc_buffer *out,
                             imgc_error *error) {
    (void)image, (void)options, (void)out;
    return imgc_avif_load(error);
}

#endif
