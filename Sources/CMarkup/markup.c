#include "imgc_markup.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#ifdef __APPLE__
static const char *const NAMES[] = { "libxml2.2.dylib", "/usr/lib/libxml2.2.dylib" };
#else
// From version 2.14 on the last one.
static const char *const NAMES[] = { "libxml2.so.2", "libxml2.so.16" };
#endif

static imgc_xml_library library;
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The library stays open: what it allocates for each thread is freed by its own code.
static void load(void) {
    void *file = NULL;
    for (size_t i = 0; !file && i < sizeof NAMES / sizeof *NAMES; i++)
        file = dlopen(NAMES[i], RTLD_NOW | RTLD_LOCAL);
    if (!file) return;
#define LOOK_UP(result, name, parameters)                                                          \
    *(void **)&library.name = dlsym(file, #name);                                                  \
    if (!library.name) return;
    IMGC_XML_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    void (**release)(void *) = dlsym(file, "xmlFree");
    if (!release) return;
    library.release = *release;
    library.xmlInitParser();
    is_loaded = 1;
}

const imgc_xml_library *imgc_xml_load(void) {
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}

// The beginnings of libxml2's xmlParserCtxt and xmlSAXHandler.
struct imgc_xml_context {
    struct {
        void *before[6];
        void *declares_entity;
    } *handler;
};

void imgc_xml_ignore_entity_declarations(imgc_xml_context *context) {
    if (context->handler) context->handler->declares_entity = NULL;
}
