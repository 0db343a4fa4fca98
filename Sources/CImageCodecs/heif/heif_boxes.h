// What the boxes of an image file say of its items (ISO/IEC 23008-12); no library is needed.
#ifndef IMGC_HEIF_BOXES_H
#define IMGC_HEIF_BOXES_H

#include "imgc.h"

/// The four letters of a type as a number.
#define IMGC_TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))

/// A part of the file. A property or the box `idat` is inside it; an extent may reach behind its
/// end.
typedef struct imgc_extent {
    uint64_t start, size;
} imgc_extent;

typedef struct imgc_item {
    uint32_t id, type;
    uint32_t first_extent, extent_count; ///< In the file, or in `idat` (`is_inside`).
    uint32_t first_use, use_count;       ///< Of properties.
    bool is_located, is_inside;
    bool is_elsewhere; ///< Protected, in another file, or put together in a way that is not known.
} imgc_item;

typedef struct imgc_reference {
    uint32_t type, from, to;
} imgc_reference;

typedef struct imgc_property {
    uint32_t type;
    imgc_extent content;
} imgc_property;

/// The items of a file. Begun and ended by imgc_heif_boxes_read and imgc_heif_boxes_free.
typedef struct imgc_heif_boxes {
    const uint8_t *_Nonnull bytes;
    size_t size;
    imgc_extent inside; ///< The content of `idat`.
    uint32_t primary;   ///< The id of the primary item.
    imgc_item *_Nullable items;   ///< By ascending ids.
    imgc_reference *_Nullable references;
    imgc_property *_Nullable properties;
    imgc_extent *_Nullable extents;
    uint16_t *_Nullable uses; ///< Indices of properties, from 1.
    uint32_t item_count, reference_count, property_count, extent_count, use_count;
} imgc_heif_boxes;

/// Reads the boxes of a file whose first one names its type. What is not needed for an image is
/// skipped. The data behind the boxes need not be there.
imgc_status imgc_heif_boxes_read(imgc_heif_boxes *_Nonnull boxes, const uint8_t *_Nonnull bytes,
                                 size_t size, imgc_error *_Nonnull error);

void imgc_heif_boxes_free(imgc_heif_boxes *_Nonnull boxes);

/// The item with an id, or NULL.
const imgc_item *_Nullable imgc_heif_item(const imgc_heif_boxes *_Nonnull boxes, uint32_t id);

/// The next property of an item, in its order; NULL at the end. `*index` is 0 at the beginning.
const imgc_property *_Nullable imgc_heif_next_property(const imgc_heif_boxes *_Nonnull boxes,
                                                       const imgc_item *_Nonnull item,
                                                       uint32_t *_Nonnull index);

/// The first property of a type that an item has, or NULL.
const imgc_property *_Nullable imgc_heif_property(const imgc_heif_boxes *_Nonnull boxes,
                                                  const imgc_item *_Nonnull item, uint32_t type);

/// Adds the data of an item to `out`; fails where a part of it is not there.
imgc_status imgc_heif_data(const imgc_heif_boxes *_Nonnull boxes, const imgc_item *_Nonnull item,
                           imgc_buffer *_Nonnull out, imgc_error *_Nonnull error);

/// A number of at most 8 bytes, the most significant first.
static inline uint64_t imgc_number(const uint8_t *_Nonnull bytes, unsigned count) {
    uint64_t number = 0;
    for (unsigned i = 0; i < count; i++) number = number << 8 | bytes[i];
    return number;
}

#endif
