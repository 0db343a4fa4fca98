#ifndef IMGCOLOR_H
#define IMGCOLOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What the samples of a profile's device are.
typedef enum __attribute__((enum_extensibility(closed))) imgcolor_device : uint32_t {
    /// Red, green and blue.
    IMGCOLOR_DEVICE_RGB __attribute__((swift_name("rgb"))),
    /// One sample.
    IMGCOLOR_DEVICE_GRAY __attribute__((swift_name("gray"))),
    /// Cyan, magenta, yellow and black.
    IMGCOLOR_DEVICE_INKS __attribute__((swift_name("inks"))),
} imgcolor_device;

/// A conversion from a profile to sRGB, perceptual intent. It never changes, so any number of
/// threads may apply it at once.
typedef struct imgcolor_transform imgcolor_transform;

/// Makes the transform of an ICC profile; NULL where it cannot be read, is of another device, or is
/// that of sRGB.
///
/// - `icc`          borrowed for the call.
/// - `is_identity`  set to whether it is that of sRGB: no colour differs by more than some two of
///                  255 steps.
imgcolor_transform *_Nullable imgcolor_transform_make(const uint8_t *_Nonnull icc, size_t icc_size,
                                                      imgcolor_device device,
                                                      bool *_Nonnull is_identity);

/// Gives it back; NULL is left alone.
void imgcolor_transform_free(imgcolor_transform *_Nullable transform);

/// Converts pixels in place; alpha stays.
///
/// - `pixels`  `count` RGBA8 pixels, straight alpha; of a gray image red, green and blue are equal.
///             Of inks `count` times four of them, 255 being all of an ink, which become RGBA8 with
///             alpha 255.
void imgcolor_transform_apply(const imgcolor_transform *_Nonnull transform,
                              uint8_t *_Nonnull pixels, size_t count);

/// Colours of red, green and blue, described by numbers. Gray is the same amount of each: what Little
/// CMS does with a profile of gray is less exact.
typedef struct imgcolor_description {
    /// Code points of ITU-T H.273 for primaries and transfer characteristics; 0 for none.
    uint8_t primaries, transfer;
    /// Without a transfer: the exponent from light to samples, such as 1/2.2; 0 for that of sRGB.
    double gamma;
    /// Without primaries: x and y of white, red, green and blue; all 0 for those of sRGB.
    double chromaticities[8];
} imgcolor_description;

/// Writes an ICC profile of such colours, the same bytes for the same numbers. 0 where a code point
/// is unknown or the numbers make no sense, else the bytes that it has; none are written if the
/// room is smaller.
size_t imgcolor_profile_make(imgcolor_description description, uint8_t *_Nonnull room,
                             size_t room_size);

#endif
