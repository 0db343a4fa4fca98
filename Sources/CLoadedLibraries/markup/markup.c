#include "imgc_markup.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

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

// The beginnings of libxml2's xmlParserCtxt and, whole, its xmlSAXHandler.
struct imgc_xml_context {
    struct handler *handler;
};

typedef void start_html(void *context, const unsigned char *name, const unsigned char **attributes);
typedef void start_xml(void *context, const unsigned char *name, const unsigned char *prefix,
                       const unsigned char *uri, int namespace_count, const unsigned char **namespaces,
                       int attribute_count, int default_count, const unsigned char **attributes);
typedef struct error {
    int domain, code;
    char *message;
    int level;
    char *file;
    int line;
} error;

struct handler {
    void *before[6];
    void *declares_entity;
    void *between[7];
    start_html *starts_html;
    void *after[12];
    unsigned magic;
    void *watch;
    start_xml *starts_xml;
    void *ends_xml;
    void (*fails)(void *context, const error *error);
};

enum { fatal = 3, elements_per_look = 32 };

// A parser at work.
typedef struct watch {
    imgc_xml_reading reading;
    struct handler original;
    long long end;
    unsigned count;
} watch;

// The processor time of the thread in nanoseconds.
static long long now(void) {
    struct timespec time = { 0, 0 };
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static watch *watch_of(void *context) {
    return ((imgc_xml_context *)context)->handler->watch;
}

static int goes_on(void *context) {
    watch *watch = watch_of(context);
    if (watch->reading.is_cut) return 0;
    if (++watch->count % elements_per_look || now() < watch->end) return 1;
    watch->reading.is_cut = 1;
    library.xmlStopParser(context);
    return 0;
}

static void starts_html(void *context, const unsigned char *name, const unsigned char **attributes) {
    if (goes_on(context)) watch_of(context)->original.starts_html(context, name, attributes);
}

static void starts_xml(void *context, const unsigned char *name, const unsigned char *prefix,
                       const unsigned char *uri, int namespace_count, const unsigned char **namespaces,
                       int attribute_count, int default_count, const unsigned char **attributes) {
    if (goes_on(context))
        watch_of(context)->original.starts_xml(context, name, prefix, uri, namespace_count, namespaces,
                                               attribute_count, default_count, attributes);
}

// Takes the errors of no parser.
static void ignores(void *context, const void *error) {
    (void)context;
    (void)error;
}

// Takes all errors of a parser, which the library would write to stderr.
static void fails(void *context, const error *error) {
    watch *watch = watch_of(context);
    if (error->level == fatal && watch->reading.error_line == 0)
        watch->reading.error_line = error->line > 0 ? error->line : 1;
}

imgc_xml_reading imgc_xml_read(const char *bytes, int count, int is_html, int options) {
    library.xmlSetStructuredErrorFunc(NULL, ignores);    // of this thread
    watch watch = { .end = now() + 500000000LL + 125LL * count };
    imgc_xml_context *context = is_html ? library.htmlNewParserCtxt() : library.xmlNewParserCtxt();
    if (!context) return watch.reading;
    struct handler *handler = context->handler;
    watch.original = *handler;
    handler->watch = &watch;
    handler->declares_entity = NULL;
    handler->fails = fails;
    handler->magic = 0xDEEDBEAF;    // of a handler with `fails`; that of HTML does not say so
    if (is_html) {
        handler->starts_html = starts_html;
        watch.reading.document = library.htmlCtxtReadMemory(context, bytes, count, NULL, "UTF-8", options);
    } else {
        handler->starts_xml = starts_xml;
        watch.reading.document = library.xmlCtxtReadMemory(context, bytes, count, NULL, "UTF-8", options);
    }
    library.xmlFreeParserCtxt(context);
    return watch.reading;
}
