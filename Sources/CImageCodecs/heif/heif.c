// HEIC: images of HEVC, single or in a grid. What is asked of libheif has been compared with the
// limits before: it knows no limit of memory or of pictures.
#include "imgc_heif.h"

#include "../common/item_geometry.h"
#include "../common/support.h"
#include "heif_boxes.h"
#include "heif_library.h"
#include "hevc_scan.h"

#include <stdlib.h>
#include <string.h>

/// What the primary image is.
typedef struct image {
    uint32_t width, height; // as coded
    uint32_t shown_width, shown_height;
    uint32_t bit_depth;
    bool is_gray;
    const imgc_item *item, *alpha;
} image;

static const uint8_t *content(const imgc_heif_boxes *boxes, const imgc_property *property,
                              size_t least) {
    bool is_whole = property && property->content.size >= least;
    return is_whole ? boxes->bytes + property->content.start : NULL;
}

static bool is_coded(const imgc_item *item) {
    return item->type == IMGC_TYPE('h', 'v', 'c', '1') || item->type == IMGC_TYPE('h', 'e', 'v', '1');
}

static bool is_grid(const imgc_item *item) { return item->type == IMGC_TYPE('g', 'r', 'i', 'd'); }

// MARK: the primary image

/// The item that is the alpha plane of the primary one, or NULL.
static const imgc_item *alpha_of(const imgc_heif_boxes *boxes) {
    for (uint32_t i = 0; i < boxes->reference_count; i++) {
        const imgc_reference *reference = &boxes->references[i];
        if (reference->type != IMGC_TYPE('a', 'u', 'x', 'l') || reference->to != boxes->primary) {
            continue;
        }
        const imgc_item *item = imgc_heif_item(boxes, reference->from);
        const imgc_property *kind =
            item ? imgc_heif_property(boxes, item, IMGC_TYPE('a', 'u', 'x', 'C')) : NULL;
        const char *name = (const char *)content(boxes, kind, 5);
        size_t size = name ? kind->content.size - 4 : 0;
        static const char *const names[] = {
            "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"};
        for (size_t n = 0; name && n < 2; n++) {
            if (strlen(names[n]) < size && strcmp(name + 4, names[n]) == 0) return item;
        }
    }
    return NULL;
}

/// The size after the transformations, which libheif applies, in their order; false for one of which
/// it is not certain.
static bool transform(const imgc_heif_boxes *boxes, image *image) {
    uint32_t index = 0, origin;
    bool is_turned = false;
    const imgc_property *property;
    image->shown_width = image->width;
    image->shown_height = image->height;
    while ((property = imgc_heif_next_property(boxes, image->item, &index))) {
        const uint8_t *bytes = content(boxes, property, 1);
        if (bytes && property->type == IMGC_TYPE('i', 'r', 'o', 't') && bytes[0] & 1) {
            uint32_t width = image->shown_width;
            image->shown_width = image->shown_height;
            image->shown_height = width;
            is_turned = true;
        } else if (bytes && property->type == IMGC_TYPE('c', 'l', 'a', 'p')) {
            uint32_t n[8] = {0};
            for (int k = 0; property->content.size >= 32 && k < 8; k++) {
                n[k] = (uint32_t)imgc_number(bytes + 4 * k, 4);
            }
            if (is_turned ||
                !imgc_clean_aperture(n[0], n[1], n[4], n[5], image->shown_width, &origin,
                                     &image->shown_width) ||
                !imgc_clean_aperture(n[2], n[3], n[6], n[7], image->shown_height, &origin,
                                     &image->shown_height)) {
                return false;
            }
        }
    }
    return true;
}

/// The size that the property `ispe` gives an item.
static bool read_size(const imgc_heif_boxes *boxes, const imgc_item *item, uint32_t *width,
                      uint32_t *height) {
    const uint8_t *bytes =
        content(boxes, imgc_heif_property(boxes, item, IMGC_TYPE('i', 's', 'p', 'e')), 12);
    if (!bytes) return false;
    *width = (uint32_t)imgc_number(bytes + 4, 4);
    *height = (uint32_t)imgc_number(bytes + 8, 4);
    return true;
}

/// The next item that one is made of, from `*next` among the references on.
static const imgc_item *next_tile(const imgc_heif_boxes *boxes, const imgc_item *grid,
                                  uint32_t *next) {
    while (*next < boxes->reference_count) {
        const imgc_reference *reference = &boxes->references[(*next)++];
        bool is_tile = reference->type == IMGC_TYPE('d', 'i', 'm', 'g') && reference->from == grid->id;
        if (is_tile) return imgc_heif_item(boxes, reference->to);
    }
    return NULL;
}

/// Reads the configuration of an item that is coded.
static imgc_status configure(const imgc_heif_boxes *boxes, const imgc_item *item,
                             imgc_hevc_scan *scan, image *image, imgc_error *error) {
    const imgc_property *property =
        imgc_heif_property(boxes, item, IMGC_TYPE('h', 'v', 'c', 'C'));
    if (!is_coded(item) || !property) {
        return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "the image is not coded as HEVC");
    }
    return imgc_hevc_scan_configuration(scan, boxes->bytes + property->content.start,
                                        property->content.size, &image->bit_depth,
                                        &image->is_gray, error);
}

/// Reads the boxes, and what they say of the primary image. The boxes are to be freed on success.
static imgc_status read_image(imgc_heif_boxes *boxes, const uint8_t *bytes, size_t size,
                              const imgc_limits *limits, image *image, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *image = (struct image){0};
    if (imgc_heif_boxes_read(boxes, bytes, size, error) != IMGC_STATUS_OK) return error->status;
    image->item = imgc_heif_item(boxes, boxes->primary);
    if (!image->item || !read_size(boxes, image->item, &image->width, &image->height)) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the file has no primary image with a size");
    } else if (imgc_size_allowed(image->width, image->height, limits, error)) {
        image->alpha = alpha_of(boxes);
        uint32_t next = 0;
        const imgc_item *first =
            is_grid(image->item) ? next_tile(boxes, image->item, &next) : image->item;
        imgc_hevc_scan scan = {.max_side = limits->max_side, .max_pixels = limits->max_pixels};
        scan.budget = UINT64_MAX;
        if (!first) {
            imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the grid has no tiles");
        } else if (!transform(boxes, image)) {
            imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the clean aperture is not a part of the image");
        } else {
            configure(boxes, first, &scan, image, error);
        }
    }
    if (error->status != IMGC_STATUS_OK) imgc_heif_boxes_free(boxes);
    return error->status;
}

/// The profile in a property `colr`, or NULL.
static const uint8_t *profile(const imgc_heif_boxes *boxes, const imgc_property *colors,
                              size_t *count) {
    const uint8_t *bytes = content(boxes, colors, 5);
    if (!bytes || (memcmp(bytes, "prof", 4) != 0 && memcmp(bytes, "rICC", 4) != 0)) return NULL;
    *count = colors->content.size - 4;
    return bytes + 4;
}

/// Finds the profile of an item among its colours, or NULL; of numbers it gives the first.
static const uint8_t *find_colors(const imgc_heif_boxes *boxes, const imgc_item *item,
                                  size_t *count, imgc_heif_description *numbers) {
    uint32_t index = 0;
    const imgc_property *property;
    while ((property = imgc_heif_next_property(boxes, item, &index))) {
        if (property->type != IMGC_TYPE('c', 'o', 'l', 'r')) continue;
        const uint8_t *found = profile(boxes, property, count);
        if (found) return found;
        const uint8_t *bytes = content(boxes, property, 10);
        if (!bytes || memcmp(bytes, "nclx", 4) != 0 || numbers->primaries) continue;
        uint64_t primaries = imgc_number(bytes + 4, 2), transfer = imgc_number(bytes + 6, 2);
        if (primaries < 256 && transfer < 256) {
            numbers->primaries = (uint8_t)primaries;
            numbers->transfer = (uint8_t)transfer;
        }
    }
    return NULL;
}

imgc_status imgc_heif_scan(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                           imgc_info *info, imgc_error *error) {
    *info = (imgc_info){.orientation = 1};
    imgc_heif_boxes boxes;
    image image;
    if (read_image(&boxes, bytes, size, limits, &image, error) != IMGC_STATUS_OK) {
        return error->status;
    }
    info->width = image.shown_width;
    info->height = image.shown_height;
    info->color = image.is_gray ? IMGC_COLOR_GRAY : IMGC_COLOR_YCBCR;
    info->bit_depth = image.bit_depth;
    info->has_alpha = image.alpha != NULL;
    size_t count = 0;
    imgc_heif_description numbers = {0};
    info->has_icc = find_colors(&boxes, image.item, &count, &numbers) != NULL;
    info->icc_size = info->has_icc ? count : 0;
    imgc_heif_boxes_free(&boxes);
    return IMGC_STATUS_OK;
}

imgc_status imgc_heif_icc(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                          imgc_buffer *out, imgc_error *error) {
    *out = (imgc_buffer){0};
    imgc_heif_boxes boxes;
    image image;
    if (read_image(&boxes, bytes, size, limits, &image, error) != IMGC_STATUS_OK) {
        return error->status;
    }
    size_t count = 0;
    imgc_heif_description numbers = {0};
    const uint8_t *icc = find_colors(&boxes, image.item, &count, &numbers);
    if (icc && count <= limits->max_chunk_bytes && !imgc_buffer_append(out, icc, count)) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for the ICC profile");
    }
    imgc_heif_boxes_free(&boxes);
    return error->status;
}

imgc_heif_description imgc_heif_describe(const uint8_t *bytes, size_t size,
                                         const imgc_limits *limits) {
    imgc_heif_description found = {0};
    imgc_heif_boxes boxes;
    imgc_error error = {.status = IMGC_STATUS_OK};
    if (imgc_heif_boxes_read(&boxes, bytes, size, &error) != IMGC_STATUS_OK) return found;
    const imgc_item *item = imgc_heif_item(&boxes, boxes.primary);
    size_t count = 0;
    found.has_icc = item && find_colors(&boxes, item, &count, &found) != NULL;
    for (uint32_t i = 0; i < boxes.reference_count && found.exif.count == 0; i++) {
        const imgc_reference *reference = &boxes.references[i];
        if (reference->type != IMGC_TYPE('c', 'd', 's', 'c')) continue;
        found.has_metadata = true;
        const imgc_item *exif = imgc_heif_item(&boxes, reference->from);
        if (!exif || exif->type != IMGC_TYPE('E', 'x', 'i', 'f')) continue;
        imgc_buffer data = {0};
        // The TIFF file begins behind a number, and so many bytes more (ISO/IEC 23008-12, A.2.1).
        bool is_whole = imgc_heif_data(&boxes, exif, &data, &error) == IMGC_STATUS_OK &&
                        data.count > 4 && imgc_number(data.bytes, 4) < data.count - 4;
        size_t start = is_whole ? 4 + (size_t)imgc_number(data.bytes, 4) : data.count;
        if (is_whole && data.count - start <= limits->max_chunk_bytes) {
            imgc_buffer_append(&found.exif, data.bytes + start, data.count - start);
        }
        imgc_buffer_free(&data);
    }
    imgc_heif_boxes_free(&boxes);
    return found;
}

// MARK: the cost

/// Bytes for the pixels of the image and of one picture, as measured with libheif 1.15 and libde265
/// 1.0 (9.6 of 10 for one of 8 bits, 14.5 of 16 for 10 bits, 10.6 of 12 with alpha, 8 in a grid).
static uint64_t memory_needed(const image *image, uint64_t frame_pixels) {
    uint64_t pixels = (uint64_t)image->width * image->height;
    uint64_t bytes = image->bit_depth > 8 ? 2 : 1, planes = image->alpha ? 2 : 1;
    return pixels * (4 + 2 * bytes * planes) + frame_pixels * 4 * bytes;
}

/// Scans the data of an item and of the tiles that it is made of.
static imgc_status scan_item(const imgc_heif_boxes *boxes, const imgc_item *item,
                             imgc_hevc_scan *scan, image *image, imgc_error *error) {
    imgc_buffer data = {0};
    if (imgc_heif_data(boxes, item, &data, error) == IMGC_STATUS_OK) {
        bool is_affordable = data.count <= scan->data_budget;
        scan->data_budget -= is_affordable ? data.count : 0;
        if (!is_affordable) {
            imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "parts of the image overlap");
        } else if (!is_grid(item)) {
            struct image ignored = *image;
            if (configure(boxes, item, scan, &ignored, error) == IMGC_STATUS_OK) {
                imgc_hevc_scan_data(scan, data.bytes ? data.bytes : boxes->bytes, data.count, error);
            }
        } else if (data.count < 8) {
            imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the grid is damaged");
        } else {
            // ISO/IEC 23008-12, 6.6.2.3
            unsigned size = data.bytes[1] & 1 ? 4 : 2;
            uint32_t tiles = (data.bytes[2] + 1u) * (data.bytes[3] + 1u), next = 0, width, height;
            bool is_sound = data.count >= 4 + 2 * size && read_size(boxes, item, &width, &height) &&
                            imgc_number(data.bytes + 4, size) == width &&
                            imgc_number(data.bytes + 4 + size, size) == height;
            for (; is_sound && tiles > 0; tiles--) {
                const imgc_item *tile = next_tile(boxes, item, &next);
                is_sound = tile && is_coded(tile);
                if (is_sound && scan_item(boxes, tile, scan, image, error) != IMGC_STATUS_OK) break;
            }
            if (!is_sound) imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the grid is damaged");
        }
    }
    imgc_buffer_free(&data);
    return error->status;
}

/// Compares what a decoding would cost with the limits.
static imgc_status check_cost(const imgc_heif_boxes *boxes, image *image, const imgc_limits *limits,
                              imgc_error *error) {
    // Coded pictures of tiles and of their blocks may be larger than what is seen of them.
    enum { LARGER = 4, SMALL_PIXELS = 4 << 20 };
    uint64_t pixels = (uint64_t)image->width * image->height;
    imgc_hevc_scan scan = {
        .max_side = limits->max_side,
        .max_pixels = limits->max_pixels,
        .budget = LARGER * pixels * (image->alpha ? 2 : 1) + SMALL_PIXELS,
        .data_budget = boxes->size,
    };
    if (scan_item(boxes, image->item, &scan, image, error) != IMGC_STATUS_OK) return error->status;
    if (image->alpha) {
        uint32_t width, height;
        if (!read_size(boxes, image->alpha, &width, &height)) {
            return imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the alpha plane has no size");
        }
        if (!imgc_size_allowed(width, height, limits, error) ||
            scan_item(boxes, image->alpha, &scan, image, error) != IMGC_STATUS_OK) {
            return error->status;
        }
    }
    uint64_t needed = memory_needed(image, scan.frame_pixels);
    if (needed <= limits->max_memory) return IMGC_STATUS_OK;
    return imgc_fail(error, IMGC_STATUS_LIMIT, 0,
                     "decoding %u x %u pixels takes %llu MiB, more than the %llu allowed",
                     image->width, image->height, (unsigned long long)(needed >> 20),
                     (unsigned long long)(limits->max_memory >> 20));
}

// MARK: rows

struct imgc_heif_reader {
    const uint8_t *bytes;
    size_t size;
    uint32_t width, height; // as shown
    bool is_over;           // a decoding has failed
    uint32_t next_row;
    imgc_heif_pixels pixels;
};

imgc_heif_reader *imgc_heif_reader_open(const uint8_t *bytes, size_t size,
                                        const imgc_limits *limits, imgc_error *error) {
    imgc_heif_boxes boxes;
    image image;
    if (read_image(&boxes, bytes, size, limits, &image, error) != IMGC_STATUS_OK) return NULL;
    imgc_heif_reader *reader = NULL;
    if (check_cost(&boxes, &image, limits, error) == IMGC_STATUS_OK) {
        reader = calloc(1, sizeof *reader);
        if (!reader) imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
    }
    imgc_heif_boxes_free(&boxes);
    if (!reader) return NULL;
    reader->bytes = bytes;
    reader->size = size;
    reader->width = image.shown_width;
    reader->height = image.shown_height;
    return reader;
}

uint32_t imgc_heif_reader_width(const imgc_heif_reader *reader) { return reader->width; }

uint32_t imgc_heif_reader_height(const imgc_heif_reader *reader) { return reader->height; }

void imgc_heif_reader_close(imgc_heif_reader *reader) {
    if (!reader) return;
    imgc_heif_pixels_free(&reader->pixels);
    free(reader);
}

/// Divides colours by their alpha.
static void make_straight(uint8_t *row, uint32_t width) {
    for (uint32_t x = 0; x < width; x++, row += 4) {
        unsigned alpha = row[3];
        for (int c = 0; alpha && c < 3; c++) {
            unsigned value = (row[c] * 255u + alpha / 2) / alpha;
            row[c] = (uint8_t)(value < 255 ? value : 255);
        }
    }
}

imgc_status imgc_heif_reader_read(imgc_heif_reader *reader, imgc_pixels rows, uint32_t *count,
                                  imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *count = 0;
    if (rows.width < reader->width || rows.bytes_per_row < (size_t)reader->width * 4 ||
        (rows.height > 0 && rows.byte_count / rows.height < rows.bytes_per_row)) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "pixel buffer is too small");
    }
    const imgc_heif_pixels *pixels = &reader->pixels;
    if (!pixels->image) {
        if (reader->is_over) {
            return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "the image could not be decoded before");
        }
        reader->is_over = true;
        if (imgc_heif_decode(reader->bytes, reader->size, reader->width, reader->height,
                             &reader->pixels, error) != IMGC_STATUS_OK) {
            return error->status;
        }
    }
    uint32_t wanted = reader->height - reader->next_row;
    if (wanted > rows.height) wanted = rows.height;
    for (; *count < wanted; (*count)++, reader->next_row++) {
        uint8_t *row = rows.bytes + rows.bytes_per_row * *count;
        memcpy(row, pixels->rows + pixels->bytes_per_row * reader->next_row,
               (size_t)reader->width * 4);
        if (pixels->is_premultiplied) make_straight(row, reader->width);
    }
    return IMGC_STATUS_OK;
}
