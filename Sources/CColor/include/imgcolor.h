#ifndef IMGCOLOR_H
#define IMGCOLOR_H

#include <stddef.h>
#include <stdint.h>

/// What a conversion came to. Closed, as imgc_status is.
typedef enum __attribute__((enum_extensibility(closed))) imgcolor_status : uint32_t {
    /// Done.
    IMGCOLOR_STATUS_OK __attribute__((swift_name("ok"))),
    /// The profile cannot be read, or is not one for such samples; the pixels are unchanged.
    IMGCOLOR_STATUS_PROFILE __attribute__((swift_name("profile"))),
} imgcolor_status;

/// Converts pixels from a profile to sRGB, in place; perceptual intent, alpha stays.
///
/// - `icc`     a profile of an RGB or a gray device; borrowed for the call.
/// - `pixels`  `count` RGBA8 pixels, straight alpha; of a gray image red, green and blue are equal.
/// No globals, so any thread may call.
imgcolor_status imgcolor_to_srgb(const uint8_t *_Nonnull icc, size_t icc_size,
                                 uint8_t *_Nonnull pixels, size_t count);

/// Converts inks from a profile to sRGB, in place; perceptual intent.
///
/// - `icc`     a profile of a device with cyan, magenta, yellow and black; borrowed for the call.
/// - `pixels`  `count` times four inks, 255 being all of an ink; on success RGBA8, alpha 255.
/// No globals, so any thread may call.
imgcolor_status imgcolor_inks_to_srgb(const uint8_t *_Nonnull icc, size_t icc_size,
                                      uint8_t *_Nonnull pixels, size_t count);

#endif
