// Reads boxes (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 6 and 9).
#include "heif_boxes.h"

#include "../common/support.h"

#include <stdlib.h>
#include <string.h>

/// Of anything. Images that people have are far below; libheif takes 20,000 items at most.
enum { MOST_ENTRIES = 40000 };

/// Bytes that are being read. What is read behind the end is 0, and `is_short` is set.
typedef struct view {
    const uint8_t *at, *end;
    bool is_short;
} view;

static size_t left(const view *in) { return (size_t)(in->end - in->at); }

static uint64_t take(view *in, unsigned count) {
    if (left(in) < count) {
        in->is_short = true;
        in->at = in->end;
        return 0;
    }
    in->at += count;
    return imgc_number(in->at - count, count);
}

/// The version of a full box; its flags are skipped.
static unsigned take_version(view *in, uint32_t *flags) {
    uint32_t both = (uint32_t)take(in, 4);
    if (flags) *flags = both & 0xffffff;
    return both >> 24;
}

/// Reads the header of the next box; false at the end. A box that reaches behind the end of `in` is
/// cut there, and `is_short` is set.
static bool next(view *in, uint32_t *type, view *content) {
    if (in->at == in->end) return false;
    const uint8_t *start = in->at;
    uint64_t size = take(in, 4);
    *type = (uint32_t)take(in, 4);
    if (size == 1) size = take(in, 8);
    uint64_t header = (uint64_t)(in->at - start), there = (uint64_t)(in->end - start);
    if (size == 0) size = there;
    if (size < header || size > there) {
        in->is_short = true;
        size = there;
    }
    *content = (view){.at = in->at, .end = start + size};
    in->at = start + size;
    return true;
}

/// Makes room for one more entry of a list; NULL without memory or for too many.
static void *grow(void **list, uint32_t *count, size_t size) {
    if (*count >= MOST_ENTRIES) return NULL;
    if ((*count & (*count - 1)) == 0) { // 0, 1, 2, 4, …: the room is used up
        void *larger = realloc(*list, size * (*count ? *count * 2 : 1));
        if (!larger) return NULL;
        *list = larger;
    }
    return memset((uint8_t *)*list + size * (*count)++, 0, size);
}

#define ADD(boxes, list, count) grow((void **)&(boxes)->list, &(boxes)->count, sizeof *(boxes)->list)

static int compare_items(const void *one, const void *other) {
    uint32_t a = ((const imgc_item *)one)->id, b = ((const imgc_item *)other)->id;
    return a < b ? -1 : a > b;
}

const imgc_item *imgc_heif_item(const imgc_heif_boxes *boxes, uint32_t id) {
    imgc_item key = {.id = id};
    if (boxes->item_count == 0) return NULL;
    return bsearch(&key, boxes->items, boxes->item_count, sizeof key, compare_items);
}

static bool read_items(imgc_heif_boxes *boxes, view in) {
    unsigned version = take_version(&in, NULL);
    take(&in, version == 0 ? 2 : 4); // the entries tell how many there are
    uint32_t type;
    view entry;
    while (next(&in, &type, &entry)) {
        if (type != IMGC_TYPE('i', 'n', 'f', 'e')) continue;
        unsigned kind = take_version(&entry, NULL);
        if (kind < 2) continue; // without a type: not of an image
        imgc_item *item = ADD(boxes, items, item_count);
        if (!item) return false;
        item->id = (uint32_t)take(&entry, kind == 2 ? 2 : 4);
        item->is_elsewhere = take(&entry, 2) != 0; // protected
        item->type = (uint32_t)take(&entry, 4);
        if (entry.is_short) return false;
    }
    if (boxes->item_count == 0) return !in.is_short;
    qsort(boxes->items, boxes->item_count, sizeof *boxes->items, compare_items);
    for (uint32_t i = 1; i < boxes->item_count; i++) {
        if (boxes->items[i].id == boxes->items[i - 1].id) return false;
    }
    return !in.is_short;
}

static bool read_locations(imgc_heif_boxes *boxes, view in) {
    unsigned version = take_version(&in, NULL);
    if (version > 2) return false;
    unsigned sizes = (unsigned)take(&in, 2);
    unsigned offset_size = sizes >> 12, length_size = sizes >> 8 & 15, base_size = sizes >> 4 & 15;
    unsigned index_size = version ? sizes & 15 : 0;
    if (offset_size > 8 || length_size > 8 || base_size > 8 || index_size > 8) return false;
    uint64_t count = take(&in, version < 2 ? 2 : 4);
    for (uint64_t i = 0; i < count && !in.is_short; i++) {
        uint32_t id = (uint32_t)take(&in, version < 2 ? 2 : 4);
        unsigned method = version ? take(&in, 2) & 15 : 0;
        bool is_elsewhere = take(&in, 2) != 0 || method > 1;
        uint64_t base = take(&in, base_size), extents = take(&in, 2);
        imgc_item *item = (imgc_item *)imgc_heif_item(boxes, id);
        if (item && item->is_located) return false;
        uint32_t first = boxes->extent_count;
        for (uint64_t e = 0; e < extents && !in.is_short; e++) {
            take(&in, index_size);
            uint64_t start = base + take(&in, offset_size), size = take(&in, length_size);
            imgc_extent *extent = ADD(boxes, extents, extent_count);
            if (!extent || start < base) return false;
            *extent = (imgc_extent){.start = start, .size = size};
        }
        if (!item) continue;
        item->first_extent = first;
        item->extent_count = boxes->extent_count - first;
        item->is_located = true;
        item->is_inside = method == 1;
        item->is_elsewhere = item->is_elsewhere || is_elsewhere;
    }
    return !in.is_short;
}

static bool read_references(imgc_heif_boxes *boxes, view in) {
    unsigned size = take_version(&in, NULL) == 0 ? 2 : 4;
    uint32_t type;
    view entry;
    while (next(&in, &type, &entry)) {
        uint32_t from = (uint32_t)take(&entry, size), count = (uint32_t)take(&entry, 2);
        for (uint32_t i = 0; i < count; i++) {
            imgc_reference *reference = ADD(boxes, references, reference_count);
            if (!reference) return false;
            *reference = (imgc_reference){type, from, (uint32_t)take(&entry, size)};
            if (entry.is_short) return false;
        }
    }
    return !in.is_short;
}

/// Which item has which property.
static bool read_uses(imgc_heif_boxes *boxes, view in) {
    uint32_t flags;
    unsigned version = take_version(&in, &flags);
    uint64_t count = take(&in, 4);
    for (uint64_t i = 0; i < count && !in.is_short; i++) {
        imgc_item *item =
            (imgc_item *)imgc_heif_item(boxes, (uint32_t)take(&in, version == 0 ? 2 : 4));
        unsigned uses = (unsigned)take(&in, 1);
        if (item && item->use_count) return false;
        if (item) item->first_use = boxes->use_count;
        for (unsigned u = 0; u < uses && !in.is_short; u++) {
            unsigned index = (unsigned)take(&in, flags & 1 ? 2 : 1) & (flags & 1 ? 0x7fff : 0x7f);
            if (!item) continue;
            uint16_t *use = ADD(boxes, uses, use_count);
            if (!use) return false;
            *use = (uint16_t)index;
            item->use_count++;
        }
    }
    return !in.is_short;
}

static bool read_properties(imgc_heif_boxes *boxes, view in) {
    uint32_t type;
    view part;
    while (next(&in, &type, &part)) {
        if (type == IMGC_TYPE('i', 'p', 'm', 'a') && !read_uses(boxes, part)) return false;
        if (type != IMGC_TYPE('i', 'p', 'c', 'o')) continue;
        view content;
        while (next(&part, &type, &content)) {
            imgc_property *property = ADD(boxes, properties, property_count);
            if (!property) return false;
            *property = (imgc_property){
                type, {(uint64_t)(content.at - boxes->bytes), left(&content)}};
        }
        if (part.is_short) return false;
    }
    return !in.is_short;
}

static bool read_primary(imgc_heif_boxes *boxes, view in) {
    unsigned size = take_version(&in, NULL) == 0 ? 2 : 4;
    boxes->primary = (uint32_t)take(&in, size);
    return !in.is_short;
}

static bool find_inside(imgc_heif_boxes *boxes, view in) {
    boxes->inside = (imgc_extent){(uint64_t)(in.at - boxes->bytes), left(&in)};
    return true;
}

/// Reads the box that describes all items: the list of them first, as the others name them. None may
/// be there twice: another reader could take the other one.
static bool read_meta(imgc_heif_boxes *boxes, view in) {
    static const struct {
        uint32_t type;
        bool (*read)(imgc_heif_boxes *, view);
    } parts[] = {
        {IMGC_TYPE('i', 'i', 'n', 'f'), read_items},
        {IMGC_TYPE('p', 'i', 't', 'm'), read_primary},
        {IMGC_TYPE('i', 'l', 'o', 'c'), read_locations},
        {IMGC_TYPE('i', 'r', 'e', 'f'), read_references},
        {IMGC_TYPE('i', 'p', 'r', 'p'), read_properties},
        {IMGC_TYPE('i', 'd', 'a', 't'), find_inside},
    };
    take_version(&in, NULL);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        view rest = in, content;
        uint32_t type;
        bool is_read = false;
        while (next(&rest, &type, &content)) {
            if (type != parts[i].type) continue;
            if (is_read || !parts[i].read(boxes, content)) return false;
            is_read = true;
        }
        if (rest.is_short) return false;
    }
    return true;
}

imgc_status imgc_heif_boxes_read(imgc_heif_boxes *boxes, const uint8_t *bytes, size_t size,
                                 imgc_error *error) {
    *boxes = (imgc_heif_boxes){.bytes = bytes, .size = size};
    view in = {.at = bytes, .end = bytes + size}, content;
    uint32_t type;
    while (next(&in, &type, &content)) {
        if (type != IMGC_TYPE('m', 'e', 't', 'a')) continue;
        if (in.is_short) break;
        if (read_meta(boxes, content)) return IMGC_STATUS_OK;
        imgc_heif_boxes_free(boxes);
        return imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the boxes of the items are damaged");
    }
    if (in.is_short) {
        return imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends too early");
    }
    return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "the file has no image item");
}

void imgc_heif_boxes_free(imgc_heif_boxes *boxes) {
    free(boxes->items);
    free(boxes->references);
    free(boxes->properties);
    free(boxes->extents);
    free(boxes->uses);
    *boxes = (imgc_heif_boxes){.bytes = boxes->bytes};
}

const imgc_property *imgc_heif_next_property(const imgc_heif_boxes *boxes, const imgc_item *item,
                                             uint32_t *index) {
    while (*index < item->use_count) {
        unsigned use = boxes->uses[item->first_use + (*index)++];
        if (use > 0 && use <= boxes->property_count) return &boxes->properties[use - 1];
    }
    return NULL;
}

const imgc_property *imgc_heif_property(const imgc_heif_boxes *boxes, const imgc_item *item,
                                        uint32_t type) {
    uint32_t index = 0;
    const imgc_property *property;
    do property = imgc_heif_next_property(boxes, item, &index);
    while (property && property->type != type);
    return property;
}

imgc_status imgc_heif_data(const imgc_heif_boxes *boxes, const imgc_item *item, imgc_buffer *out,
                           imgc_error *error) {
    if (item->is_elsewhere) {
        return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "an item is protected or in another file");
    }
    imgc_extent all = item->is_inside ? boxes->inside : (imgc_extent){0, boxes->size};
    for (uint32_t i = 0; i < item->extent_count; i++) {
        imgc_extent extent = boxes->extents[item->first_extent + i];
        uint64_t there = extent.start <= all.size ? all.size - extent.start : 0;
        // A length of 0 reaches to the end (ISO/IEC 14496-12, 8.11.3.3).
        if (extent.size == 0) extent.size = there;
        if (extent.size > there) {
            return imgc_fail(error, IMGC_STATUS_TRUNCATED, boxes->size, "the data ends too early");
        }
        if (extent.size > boxes->size - out->count) {
            return imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "parts of an item overlap");
        }
        if (!imgc_buffer_append(out, boxes->bytes + all.start + extent.start, extent.size)) {
            return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        }
    }
    return IMGC_STATUS_OK;
}
