#ifndef IMGK_RESAMPLE_H
#define IMGK_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How samples are weighed.
typedef enum __attribute__((enum_extensibility(closed))) imgk_filter : uint32_t {
    /// Lanczos with three lobes: sharp, with slight halos.
    IMGK_FILTER_LANCZOS3 __attribute__((swift_name("lanczos3"))),
    /// The mean of the area under a pixel: no halos, softer.
    IMGK_FILTER_AREA __attribute__((swift_name("area"))),
} imgk_filter;

/// What is to become of which part of an image. Sides are positive; the part lies inside.
typedef struct imgk_resample_plan {
    uint32_t source_width, source_height;
    double left, top, width, height; ///< The part, in pixels of the source; may cut pixels.
    uint32_t target_width, target_height;
    imgk_filter filter;
    bool has_alpha;                  ///< Whether source pixels may be other than opaque.
    bool portable;                   ///< Use plain C even where the machine has more.
} imgk_resample_plan;

/// Takes rows from the top down and gives the rows of a smaller or larger image as soon as it can.
/// Memory is proportional to some rows. One thread at a time.
typedef struct imgk_resampler imgk_resampler;

/// A resampler, or NULL without memory or for a plan that makes no sense.
/// Freed with imgk_resampler_free.
imgk_resampler *_Nullable imgk_resampler_make(const imgk_resample_plan *_Nonnull plan);

/// Gives it back; NULL is left alone.
void imgk_resampler_free(imgk_resampler *_Nullable resampler);

/// The columns of the source that are used, from `*first` on; the others are never read.
void imgk_resampler_columns(const imgk_resampler *_Nonnull resampler, uint32_t *_Nonnull first,
                            uint32_t *_Nonnull count);

/// Takes the next `count` rows of the source and writes the rows of the target that became ready.
///
/// - `rows`    RGBA8, straight alpha, `bytes_per_row` apart; borrowed for the call.
/// - `target`  the whole target, owned by the caller: RGBA8, straight alpha.
void imgk_resampler_feed(imgk_resampler *_Nonnull resampler, const uint8_t *_Nonnull rows,
                         size_t bytes_per_row, uint32_t count, uint8_t *_Nonnull target,
                         size_t target_bytes_per_row);

/// Whether all rows of the target are written; further rows of the source change nothing.
bool imgk_resampler_is_done(const imgk_resampler *_Nonnull resampler);

#endif
