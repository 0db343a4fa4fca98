#include "pango.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// The order of imgc_canvas_load.
enum { LIBRARY_gobject, LIBRARY_pango, LIBRARY_cairo, LIBRARY_pangocairo };

#ifdef __APPLE__
static const char *const NAMES[IMGC_CANVAS_LIBRARIES] = {
    "libgobject-2.0.0.dylib", "libpango-1.0.0.dylib", "libcairo.2.dylib",
    "libpangocairo-1.0.0.dylib",
};
// Where Homebrew installs is not searched by itself.
static const char *const FOLDERS[] = { "", "/opt/homebrew/lib/", "/usr/local/lib/" };
#else
static const char *const NAMES[IMGC_CANVAS_LIBRARIES] = {
    "libgobject-2.0.so.0", "libpango-1.0.so.0", "libcairo.so.2", "libpangocairo-1.0.so.0",
};
static const char *const FOLDERS[] = { "" };
#endif

// Written once, under the lock; read only after that.
static imgc_pango loaded;
static int is_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *open_library(const char *name) {
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", FOLDERS[i], name);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/// Finds the functions, or says what is missing. Libraries stay open: GLib cannot be unloaded.
static int find(const char *const *names, imgc_pango *functions, char *message) {
    void *libraries[IMGC_CANVAS_LIBRARIES];
    for (int i = 0; i < IMGC_CANVAS_LIBRARIES; i++) {
        libraries[i] = open_library(names[i]);
        if (!libraries[i]) {
            snprintf(message, IMGC_CANVAS_MESSAGE, "%s cannot be loaded", names[i]);
            return 0;
        }
    }
#define LOOK_UP(library, result, name, parameters)                                                 \
    *(void **)&functions->name = dlsym(libraries[LIBRARY_##library], #name);                       \
    if (!functions->name) {                                                                        \
        snprintf(message, IMGC_CANVAS_MESSAGE, "%s has no function %s", names[LIBRARY_##library],  \
                 #name);                                                                           \
        return 0;                                                                                  \
    }
    IMGC_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return 1;
}

/// A library never prints: what fonts lack is counted, and failures are reported.
static void ignore(const char *domain, int level, const char *message, void *data) {
    (void)domain, (void)level, (void)message, (void)data;
}

int imgc_canvas_load(const char *const *names, char *message) {
    *message = 0;
    pthread_mutex_lock(&lock);
    int succeeded = !names && is_loaded;
    imgc_pango functions;
    if (!succeeded && find(names ? names : NAMES, &functions, message)) {
        if (!is_loaded) {
            loaded = functions;
            loaded.g_log_set_default_handler(ignore, NULL);
        }
        is_loaded = succeeded = 1;
    }
    pthread_mutex_unlock(&lock);
    return succeeded;
}

const imgc_pango *imgc_pango_loaded(void) {
    pthread_mutex_lock(&lock);
    const imgc_pango *functions = is_loaded ? &loaded : NULL;
    pthread_mutex_unlock(&lock);
    return functions;
}
