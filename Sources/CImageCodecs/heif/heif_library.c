// The one file that speaks to libheif, which is loaded with the first image.
#include "heif_library.h"

#include "../common/loading.h"
#include "../common/support.h"
#include "imgc_heif.h"

#ifdef __APPLE__
static const char NAME[] = "libheif.1.dylib";
#else
static const char NAME[] = "libheif.so.1";
#endif

#if __has_include(<libheif/heif.h>)
#include <libheif/heif.h>
// Before 1.13 the threads of a decoding cannot be limited.
#define HAS_HEIF (LIBHEIF_NUMERIC_VERSION >= (1 << 24 | 13 << 16))
#endif

#if HAS_HEIF

#include <dlfcn.h>
#include <pthread.h>

#define FUNCTIONS(USE)                                                                             \
    USE(context_alloc)                                                                             \
    USE(context_free)                                                                              \
    USE(context_get_primary_image_handle)                                                          \
    USE(context_read_from_memory_without_copy)                                                     \
    USE(context_set_max_decoding_threads)                                                          \
    USE(decode_image)                                                                              \
    USE(decoding_options_alloc)                                                                    \
    USE(decoding_options_free)                                                                     \
    USE(have_decoder_for_format)                                                                   \
    USE(image_get_height)                                                                          \
    USE(image_get_plane_readonly)                                                                  \
    USE(image_get_width)                                                                           \
    USE(image_handle_is_premultiplied_alpha)                                                       \
    USE(image_handle_release)                                                                      \
    USE(image_release)

static struct {
#define DECLARE(name) __typeof__(heif_##name) *name;
    FUNCTIONS(DECLARE)
#undef DECLARE
} heif;

static const char *fault = "libheif cannot be loaded";
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = imgc_library_open(NAME);
    if (!library) return;
#define LOOK_UP(name)                                                                              \
    *(void **)&heif.name = dlsym(library, "heif_" #name);                                          \
    if (!heif.name) {                                                                              \
        fault = "libheif is too old: it has no heif_" #name;                                       \
        return;                                                                                    \
    }
    FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    fault = heif.have_decoder_for_format(heif_compression_HEVC)
                ? NULL
                : "libheif has no decoder of HEVC, such as libde265";
}

bool imgc_heif_is_present(void) { return imgc_library_is_present(NAME); }

static imgc_status fail(imgc_error *error, struct heif_error reason) {
    bool is_memory = reason.code == heif_error_Memory_allocation_error;
    bool is_unknown = reason.code == heif_error_Unsupported_feature ||
                      reason.code == heif_error_Unsupported_filetype;
    imgc_status status = is_memory    ? IMGC_STATUS_MEMORY
                         : is_unknown ? IMGC_STATUS_UNSUPPORTED
                                      : IMGC_STATUS_CORRUPT;
    return imgc_fail(error, status, 0, "%s", reason.message);
}

/// Decodes to `pixels`; the first step that fails ends it.
static struct heif_error decode(struct heif_context *context, struct heif_image_handle **handle,
                                const uint8_t *bytes, size_t size,
                                const struct heif_decoding_options *options,
                                struct heif_image **image) {
    struct heif_error result =
        heif.context_read_from_memory_without_copy(context, bytes, size, NULL);
    if (result.code != heif_error_Ok) return result;
    result = heif.context_get_primary_image_handle(context, handle);
    if (result.code != heif_error_Ok) return result;
    return heif.decode_image(*handle, image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA,
                             options);
}

imgc_status imgc_heif_decode(const uint8_t *bytes, size_t size, uint32_t width, uint32_t height,
                             imgc_heif_pixels *pixels, imgc_error *error) {
    *pixels = (imgc_heif_pixels){0};
    pthread_once(&once, load);
    if (fault) return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "%s", fault);
    struct heif_context *context = heif.context_alloc();
    struct heif_decoding_options *options = heif.decoding_options_alloc();
    struct heif_image_handle *handle = NULL;
    struct heif_image *image = NULL;
    if (context && options) {
        heif.context_set_max_decoding_threads(context, 0);
        options->convert_hdr_to_8bit = 1;
        struct heif_error result = decode(context, &handle, bytes, size, options, &image);
        if (result.code != heif_error_Ok) fail(error, result);
    } else {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
    }
    if (error->status == IMGC_STATUS_OK) {
        int stride = 0;
        const uint8_t *rows =
            heif.image_get_plane_readonly(image, heif_channel_interleaved, &stride);
        int across = heif.image_get_width(image, heif_channel_interleaved);
        int down = heif.image_get_height(image, heif_channel_interleaved);
        if (!rows || across != (int)width || down != (int)height || stride < 4 * across) {
            imgc_fail(error, IMGC_STATUS_CORRUPT, 0,
                      "the image has %d x %d pixels, the boxes say %u x %u", across, down, width,
                      height);
            heif.image_release(image);
        } else {
            *pixels = (imgc_heif_pixels){
                image, rows, (size_t)stride, heif.image_handle_is_premultiplied_alpha(handle) != 0};
        }
    }
    if (handle) heif.image_handle_release(handle);
    if (options) heif.decoding_options_free(options);
    if (context) heif.context_free(context);
    return error->status;
}

void imgc_heif_pixels_free(imgc_heif_pixels *pixels) {
    if (pixels->image) heif.image_release(pixels->image);
    *pixels = (imgc_heif_pixels){0};
}

#else

bool imgc_heif_is_present(void) { return false; }

imgc_status imgc_heif_decode(const uint8_t *bytes, size_t size, uint32_t width, uint32_t height,
                             imgc_heif_pixels *pixels, imgc_error *error) {
    (void)bytes, (void)size, (void)width, (void)height, (void)NAME;
    *pixels = (imgc_heif_pixels){0};
    return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "built without libheif");
}

void imgc_heif_pixels_free(imgc_heif_pixels *pixels) { *pixels = (imgc_heif_pixels){0}; }

#endif
