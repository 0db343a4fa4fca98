// The one file that speaks to libpng.
#include "imgc_png.h"

#include "../common/palette.h"
#include "png_fast.h"
#include "../common/support.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <png.h>

// MARK: faults

struct png_trap {
    imgc_error *error;
    const uint64_t *offset; // bytes of input read so far; NULL when writing
    jmp_buf exit;
};

static void trap_exit(png_structp png, png_const_charp words) {
    struct png_trap *trap = png_get_error_ptr(png);
    imgc_status status = strstr(words, "emory") ? IMGC_STATUS_MEMORY : IMGC_STATUS_CORRUPT;
    imgc_fail(trap->error, status, trap->offset ? *trap->offset : 0, "%s", words);
    longjmp(trap->exit, 1);
}

static void trap_quiet(png_structp png, png_const_charp words) {
    (void)png;
    (void)words;
}

// MARK: reading

struct imgc_png_reader {
    imgc_png_fast *fast; // where it is not NULL, nothing of libpng is used
    struct png_trap trap;
    png_structp png;
    png_infop info;
    uint64_t cpu_limit; // nanoseconds, for the message
    const uint8_t *bytes;
    uint64_t size, offset, cpu_deadline;
    uint32_t width, height, next_row;
    int passes;
    uint8_t *rgb; // one row of three samples, where that is what the file has
};

static void source_read(png_structp png, png_bytep out, size_t count) {
    imgc_png_reader *reader = png_get_io_ptr(png);
    if (reader->size - reader->offset < count) {
        imgc_fail(reader->trap.error, IMGC_STATUS_TRUNCATED, reader->size,
                  "the data ends too early");
        png_error(png, "the data ends too early");
    }
    memcpy(out, reader->bytes + reader->offset, count);
    reader->offset += count;
}

/// Whether the time is up; then it is the reader's error.
static bool is_late(const imgc_png_reader *reader) {
    if (imgc_cpu_now() <= reader->cpu_deadline) return false;
    imgc_fail(reader->trap.error, IMGC_STATUS_LIMIT, 0, "decoding takes more than %llu ms",
              (unsigned long long)(reader->cpu_limit / 1000000));
    return true;
}

static void watch_costs(imgc_png_reader *reader) {
    if (is_late(reader)) longjmp(reader->trap.exit, 1);
}

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a};

/// Compares what libpng would complain of in its own words with ours: the fixed head of the file.
static bool head_is_sound(const uint8_t *png, size_t size, const imgc_limits *limits,
                          imgc_error *error) {
    if (size < 8 || memcmp(png, signature, 8) != 0) {
        imgc_fail(error, size < 8 ? IMGC_STATUS_TRUNCATED : IMGC_STATUS_CORRUPT, 0,
                  "the signature is not whole");
    } else if (size >= 16 && memcmp(png + 12, "CgBI", 4) == 0) {
        imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 8,
                  "Xcode's own kind of PNG (CgBI) cannot be read; convert it back first");
    } else if (size < 33) {
        imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends inside the header");
    } else if (memcmp(png + 8, "\0\0\0\rIHDR", 8) != 0) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, 8, "the header chunk is missing");
    } else {
        return imgc_size_allowed(png_get_uint_32(png + 16), png_get_uint_32(png + 20), limits,
                                 error);
    }
    return false;
}

/// Chunks that are not used here: the library then skips them without making room for their
/// contents, which it does for the length that they claim.
static const uint8_t skipped_chunks[] =
    "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0"
    "tEXt\0tIME\0zTXt\0iCCP";
enum { SKIPPED_CHUNKS = sizeof skipped_chunks / 5, SKIPPED_BUT_PROFILE = SKIPPED_CHUNKS - 1 };

/// Makes a reader and reads up to the pixels.
static imgc_png_reader *begin(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                              uint64_t cpu_deadline, bool wants_profile, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (!head_is_sound(bytes, size, limits, error)) return NULL;
    imgc_png_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        return NULL;
    }
    reader->trap = (struct png_trap){.error = error, .offset = &reader->offset};
    reader->cpu_limit = limits->max_cpu_nanoseconds;
    reader->bytes = bytes;
    reader->size = size;
    reader->cpu_deadline = cpu_deadline;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader->trap, trap_exit,
                                         trap_quiet);
    if (!reader->png || !(reader->info = png_create_info_struct(reader->png))) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        imgc_png_reader_close(reader);
        return NULL;
    }
    if (setjmp(reader->trap.exit)) {
        imgc_png_reader_close(reader);
        return NULL;
    }
    png_set_read_fn(reader->png, reader, source_read);
    png_set_user_limits(reader->png, limits->max_side, limits->max_side);
    png_set_chunk_cache_max(reader->png, 1000);
    png_set_chunk_malloc_max(reader->png, limits->max_chunk_bytes);
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, skipped_chunks,
                                wants_profile ? SKIPPED_BUT_PROFILE : SKIPPED_CHUNKS);
    png_read_info(reader->png, reader->info);
    reader->width = png_get_image_width(reader->png, reader->info);
    reader->height = png_get_image_height(reader->png, reader->info);
    return reader;
}

/// Begins to decode with libpng.
static imgc_png_reader *open_slow(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                                  uint64_t cpu_deadline, imgc_error *error) {
    imgc_png_reader *reader = begin(bytes, size, limits, cpu_deadline, false, error);
    if (!reader) return NULL;
    if (setjmp(reader->trap.exit)) {
        imgc_png_reader_close(reader);
        return NULL;
    }
    png_structp png = reader->png;
#ifdef PNG_IGNORE_ADLER32
    // Every chunk has a checksum already; imgc_png_check looks at this second one, too.
    png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
    png_set_scale_16(png);
    png_set_expand(png); // palettes, small grays and tRNS
    png_set_gray_to_rgb(png);
    reader->passes = png_set_interlace_handling(png);
    // The commonest kind by far: to put the alpha in ourselves saves a pass over the row.
    bool is_plain = png_get_color_type(png, reader->info) == PNG_COLOR_TYPE_RGB &&
                    png_get_bit_depth(png, reader->info) == 8 && reader->passes == 1 &&
                    !png_get_valid(png, reader->info, PNG_INFO_tRNS);
    if (!is_plain) png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    png_read_update_info(png, reader->info);
    size_t samples = is_plain ? 3 : 4;
    if (is_plain && !(reader->rgb = malloc((size_t)reader->width * 3 + 1))) {
        png_error(png, "no memory to decode");
    }
    if (png_get_rowbytes(png, reader->info) != (size_t)reader->width * samples) {
        png_error(png, "rows are not RGBA"); // our own mistake, if ever
    }
    return reader;
}

imgc_png_reader *imgc_png_reader_open(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                                      imgc_error *error) {
    uint64_t cpu_deadline = imgc_cpu_deadline(limits->max_cpu_nanoseconds);
    imgc_png_fast *fast = imgc_png_fast_open(bytes, size, limits, cpu_deadline, true);
    if (!fast) return open_slow(bytes, size, limits, cpu_deadline, error);
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    imgc_png_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        imgc_png_fast_close(fast);
        return NULL;
    }
    *reader = (imgc_png_reader){
        .fast = fast, .cpu_limit = limits->max_cpu_nanoseconds, .cpu_deadline = cpu_deadline,
        .passes = 1,
        .width = imgc_png_fast_width(fast), .height = imgc_png_fast_height(fast)};
    return reader;
}

imgc_png_reader *imgc_png_reader_open_libpng(const uint8_t *bytes, size_t size,
                                             const imgc_limits *limits, imgc_error *error) {
    return open_slow(bytes, size, limits, imgc_cpu_deadline(limits->max_cpu_nanoseconds), error);
}

bool imgc_png_reader_is_fast(const imgc_png_reader *reader) { return reader->fast != NULL; }

uint32_t imgc_png_reader_width(const imgc_png_reader *reader) { return reader->width; }

uint32_t imgc_png_reader_height(const imgc_png_reader *reader) { return reader->height; }

bool imgc_png_reader_is_interlaced(const imgc_png_reader *reader) { return reader->passes > 1; }

/// Three samples a pixel to four. One byte behind `rgb` is read, and means nothing.
static void add_alpha(uint8_t *out, const uint8_t *rgb, uint32_t width) {
    for (size_t x = 0; x < width; x++) {
        memcpy(out + 4 * x, rgb + 3 * x, 4);
        out[4 * x + 3] = 255;
    }
}

/// Reads rows that are inflated already; only the time can be up.
static void read_fast(imgc_png_reader *reader, imgc_pixels rows, uint32_t wanted,
                      uint32_t *count) {
    while (*count < wanted && !is_late(reader)) {
        uint32_t some = wanted - *count < 64 ? wanted - *count : 64;
        imgc_png_fast_read(reader->fast, rows.bytes + rows.bytes_per_row * *count,
                           rows.bytes_per_row, some);
        *count += some;
    }
    reader->next_row += *count;
}

imgc_status imgc_png_reader_read(imgc_png_reader *reader, imgc_pixels rows, uint32_t *count,
                                 imgc_error *error) {
    volatile uint32_t done = 0; // read after a jump
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *count = 0;
    reader->trap.error = error;
    if (rows.width < reader->width || rows.bytes_per_row < (size_t)reader->width * 4 ||
        (rows.height > 0 && rows.byte_count / rows.height < rows.bytes_per_row) ||
        (reader->passes > 1 && rows.height != reader->height)) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "pixel buffer is too small");
    }
    uint32_t wanted = reader->height - reader->next_row;
    if (wanted > rows.height) wanted = rows.height;
    if (wanted == 0) return IMGC_STATUS_OK;
    if (reader->fast) {
        read_fast(reader, rows, wanted, count);
        return error->status;
    }
    if (setjmp(reader->trap.exit)) goto done;
    for (int pass = 0; pass < reader->passes; pass++) {
        if (reader->passes > 1 && pass == 1) done = wanted; // every row has something from now on
        for (uint32_t y = 0; y < wanted; y++) {
            uint8_t *row = rows.bytes + rows.bytes_per_row * y;
            png_read_row(reader->png, reader->rgb ? reader->rgb : row, NULL);
            if (reader->rgb) add_alpha(row, reader->rgb, reader->width);
            if (reader->passes == 1) done = y + 1;
            if (y % 64 == 0) watch_costs(reader);
        }
    }
    done = wanted;
    reader->next_row += wanted;
    if (reader->next_row == reader->height) png_read_end(reader->png, NULL);
done:
    *count = done;
    return error->status;
}

void imgc_png_reader_close(imgc_png_reader *reader) {
    if (!reader) return;
    if (reader->png) png_destroy_read_struct(&reader->png, &reader->info, NULL);
    imgc_png_fast_close(reader->fast);
    free(reader->rgb);
    free(reader);
}

static imgc_status check_slow(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                              uint64_t cpu_deadline, imgc_error *error) {
    imgc_png_reader *reader = begin(bytes, size, limits, cpu_deadline, false, error);
    if (!reader) return error->status;
    uint8_t *volatile row = NULL; // freed after a jump
    if (setjmp(reader->trap.exit)) goto done;
    int passes = png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
    row = malloc(png_get_rowbytes(reader->png, reader->info));
    if (!row) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        goto done;
    }
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t y = 0; y < reader->height; y++) {
            png_read_row(reader->png, row, NULL);
            if (y % 64 == 0) watch_costs(reader);
        }
    }
    png_read_end(reader->png, NULL);
done:
    free(row);
    imgc_png_reader_close(reader);
    return error->status;
}

imgc_status imgc_png_check(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                           imgc_error *error) {
    uint64_t cpu_deadline = imgc_cpu_deadline(limits->max_cpu_nanoseconds);
    imgc_png_fast *fast = imgc_png_fast_open(bytes, size, limits, cpu_deadline, false);
    if (!fast) return check_slow(bytes, size, limits, cpu_deadline, error);
    imgc_png_fast_close(fast);
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    return IMGC_STATUS_OK;
}

imgc_status imgc_png_check_libpng(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                                  imgc_error *error) {
    return check_slow(bytes, size, limits, imgc_cpu_deadline(limits->max_cpu_nanoseconds), error);
}

imgc_status imgc_png_icc(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                         imgc_buffer *out, imgc_error *error) {
    uint64_t cpu_deadline = imgc_cpu_deadline(limits->max_cpu_nanoseconds);
    imgc_png_reader *reader = begin(bytes, size, limits, cpu_deadline, true, error);
    if (!reader) return error->status;
    png_charp name = NULL;
    png_bytep profile = NULL;
    png_uint_32 count = 0;
    int compression = 0;
    if (png_get_iCCP(reader->png, reader->info, &name, &compression, &profile, &count) != 0 &&
        !imgc_buffer_append(out, profile, count)) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for a profile");
    }
    imgc_png_reader_close(reader);
    return error->status;
}

// MARK: writing

/// Where a file goes: memory, or a descriptor.
struct sink {
    imgc_buffer *out;
    int descriptor;
    imgc_error *error;
};

static void sink_write(png_structp png, png_bytep bytes, size_t count) {
    struct sink *sink = png_get_io_ptr(png);
    if (sink->out) {
        if (!imgc_buffer_append(sink->out, bytes, count)) png_error(png, "out of memory");
        return;
    }
    while (count > 0) {
        ssize_t written = write(sink->descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            imgc_fail(sink->error, IMGC_STATUS_WRITE, 0, "cannot write: %s", strerror(errno));
            png_error(png, "cannot write");
        }
        bytes += written;
        count -= (size_t)written;
    }
}

static void sink_flush(png_structp png) { (void)png; }

/// The smallest layout that keeps every pixel; fills `palette` when it fits.
static imgc_png_layout choose_layout(const imgc_image *image, const imgc_png_options *options,
                                     imgc_palette *palette) {
    if (options->may_use_palette && imgc_palette_collect(palette, image, false)) {
        return IMGC_PNG_LAYOUT_PALETTE;
    }
    // A gray file cannot have a profile of RGB (PNG, third edition, 11.3.2.3).
    bool is_rgb = options->icc && options->icc_size >= 20 &&
                  memcmp(options->icc + 16, "RGB ", 4) == 0;
    bool gray = !is_rgb, opaque = true;
    for (uint32_t y = 0; y < image->height && (gray || opaque); y++) {
        const uint8_t *row = image->bytes + image->bytes_per_row * y;
        uint8_t alpha = 255, difference = 0;
        for (uint32_t x = 0; x < image->width; x++, row += 4) {
            alpha &= row[3];
            difference |= (row[0] ^ row[1]) | (row[1] ^ row[2]);
        }
        opaque &= alpha == 255;
        gray &= difference == 0;
    }
    if (gray) return opaque ? IMGC_PNG_LAYOUT_GRAY : IMGC_PNG_LAYOUT_GRAY_ALPHA;
    return opaque ? IMGC_PNG_LAYOUT_RGB : IMGC_PNG_LAYOUT_RGB_ALPHA;
}

static void pack_row(uint8_t *out, const uint8_t *row, uint32_t width, imgc_png_layout layout,
                     const imgc_palette *palette, int depth) {
    switch (layout) {
    case IMGC_PNG_LAYOUT_GRAY:
        for (uint32_t x = 0; x < width; x++) out[x] = row[4 * x];
        break;
    case IMGC_PNG_LAYOUT_GRAY_ALPHA:
        for (uint32_t x = 0; x < width; x++) {
            out[2 * x] = row[4 * x];
            out[2 * x + 1] = row[4 * x + 3];
        }
        break;
    case IMGC_PNG_LAYOUT_RGB:
        for (uint32_t x = 0; x < width; x++) memcpy(out + 3 * x, row + 4 * x, 3);
        break;
    case IMGC_PNG_LAYOUT_RGB_ALPHA:
        memcpy(out, row, (size_t)width * 4);
        break;
    case IMGC_PNG_LAYOUT_PALETTE:
        memset(out, 0, ((size_t)width * (size_t)depth + 7) / 8);
        for (uint32_t x = 0; x < width; x++) {
            size_t bit = (size_t)x * (size_t)depth;
            int shift = 8 - depth - (int)(bit & 7);
            out[bit / 8] |= (uint8_t)(imgc_palette_index(palette, row + 4 * x) << shift);
        }
        break;
    }
}

static void write_header(png_structp png, png_infop info, const imgc_image *image,
                         imgc_png_layout layout, const imgc_palette *palette, int *depth) {
    static const int color_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                      PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA,
                                      PNG_COLOR_TYPE_PALETTE};
    *depth = 8;
    if (layout == IMGC_PNG_LAYOUT_PALETTE) {
        png_color colors[256];
        png_byte alphas[256];
        int transparent = 0;
        for (int i = 0; i < palette->count; i++) {
            const uint8_t *color = palette->colors[i];
            colors[i] = (png_color){color[0], color[1], color[2]};
            alphas[i] = color[3];
            if (color[3] != 255) transparent = i + 1;
        }
        *depth = palette->count <= 2 ? 1 : palette->count <= 4 ? 2 : palette->count <= 16 ? 4 : 8;
        png_set_IHDR(png, info, image->width, image->height, *depth, PNG_COLOR_TYPE_PALETTE,
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_set_PLTE(png, info, colors, palette->count);
        if (transparent > 0) png_set_tRNS(png, info, alphas, transparent, NULL);
    } else {
        png_set_IHDR(png, info, image->width, image->height, 8, color_types[layout],
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    }
}

static imgc_status encode(imgc_image image, const imgc_png_options *options, struct sink *sink,
                          imgc_error *error) {
    struct png_trap trap = {.error = error};
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (!imgc_image_is_sound(&image)) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "the image to write has no pixels");
    }
    imgc_palette palette;
    imgc_png_layout layout = choose_layout(&image, options, &palette);
    png_infop info = NULL;
    uint8_t *packed = malloc((size_t)image.width * 4);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &trap, trap_exit, trap_quiet);
    if (!packed || !png || !(info = png_create_info_struct(png))) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to write a PNG");
        goto done;
    }
    if (setjmp(trap.exit)) goto done;
    png_set_write_fn(png, sink, sink_write, sink_flush);
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff); // the caller's pixels exist already
    int depth;
    write_header(png, info, &image, layout, &palette, &depth);
    if (options->icc && options->icc_size > 0) {
        png_set_benign_errors(png, 1); // a profile the library dislikes is left out
        png_set_iCCP(png, info, "ICC", PNG_COMPRESSION_TYPE_BASE, options->icc,
                     (png_uint_32)options->icc_size);
    }
    png_set_compression_level(png, options->level);
    if (layout == IMGC_PNG_LAYOUT_PALETTE) {
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    } else {
        png_set_filter(png, PNG_FILTER_TYPE_BASE,
                       options->every_filter ? PNG_ALL_FILTERS : PNG_FILTER_SUB);
    }
    png_set_compression_buffer_size(png, 65536);
    png_write_info(png, info);
    for (uint32_t y = 0; y < image.height; y++) {
        const uint8_t *row = image.bytes + image.bytes_per_row * y;
        pack_row(packed, row, image.width, layout, &palette, depth);
        png_write_row(png, packed);
    }
    png_write_end(png, NULL);
done:
    if (png) png_destroy_write_struct(&png, &info);
    free(packed);
    return error->status;
}

imgc_status imgc_png_encode(imgc_image image, const imgc_png_options *options, imgc_buffer *out,
                            imgc_error *error) {
    struct sink sink = {.out = out, .error = error};
    if (encode(image, options, &sink, error) != IMGC_STATUS_OK) imgc_buffer_free(out);
    return error->status;
}

imgc_status imgc_png_encode_to(imgc_image image, const imgc_png_options *options, int descriptor,
                               imgc_error *error) {
    struct sink sink = {.descriptor = descriptor, .error = error};
    return encode(image, options, &sink, error);
}
