// The one file that speaks to Little CMS.
#include "imgcolor.h"

#include <stdbool.h>

#include <lcms2.h>

enum {
    PIXELS_AT_ONCE = 1 << 16,
    GRAY_OF_RGBA_8 = COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1),
};

/// What the samples of a profile's device are.
enum device { DEVICE_OTHER, DEVICE_RGB, DEVICE_GRAY, DEVICE_INKS };

static enum device device_of(cmsHPROFILE profile) {
    switch (cmsGetColorSpace(profile)) {
    case cmsSigRgbData: return DEVICE_RGB;
    case cmsSigGrayData: return DEVICE_GRAY;
    case cmsSigCmykData: return DEVICE_INKS;
    default: return DEVICE_OTHER;
    }
}

/// A transform from the profile's device to sRGB; NULL where there is none.
static cmsHTRANSFORM make_transform(cmsContext context, cmsHPROFILE profile, enum device device) {
    cmsHPROFILE srgb = cmsCreate_sRGBProfileTHR(context);
    if (!srgb) return NULL;
    // A gray device reads red and leaves out the other two samples, which are the same.
    cmsUInt32Number from = device == DEVICE_INKS ? TYPE_CMYK_8
                           : device == DEVICE_GRAY ? GRAY_OF_RGBA_8 : TYPE_RGBA_8;
    cmsUInt32Number flags = device == DEVICE_RGB ? cmsFLAGS_COPY_ALPHA : 0;
    cmsHTRANSFORM transform = cmsCreateTransformTHR(context, profile, from, srgb, TYPE_RGBA_8,
                                                    INTENT_PERCEPTUAL, flags);
    cmsCloseProfile(srgb);
    return transform;
}

static imgcolor_status convert(const uint8_t *icc, size_t icc_size, bool inks, uint8_t *pixels,
                               size_t count) {
    imgcolor_status status = IMGCOLOR_STATUS_PROFILE;
    if (icc_size > UINT32_MAX) return status;
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (!context) return status;
    cmsHPROFILE profile = cmsOpenProfileFromMemTHR(context, icc, (cmsUInt32Number)icc_size);
    enum device device = profile ? device_of(profile) : DEVICE_OTHER;
    bool fits = device != DEVICE_OTHER && (device == DEVICE_INKS) == inks;
    cmsHTRANSFORM transform = fits ? make_transform(context, profile, device) : NULL;
    if (transform) {
        for (size_t at = 0; at < count; at += PIXELS_AT_ONCE) {
            size_t some = count - at < PIXELS_AT_ONCE ? count - at : PIXELS_AT_ONCE;
            uint8_t *first = pixels + 4 * at;
            // In and out are the same memory: both have four bytes a pixel.
            cmsDoTransform(transform, first, first, (cmsUInt32Number)some);
            for (size_t i = 0; inks && i < some; i++) first[4 * i + 3] = 255; // black was here
        }
        cmsDeleteTransform(transform);
        status = IMGCOLOR_STATUS_OK;
    }
    if (profile) cmsCloseProfile(profile);
    cmsDeleteContext(context);
    return status;
}

imgcolor_status imgcolor_to_srgb(const uint8_t *icc, size_t icc_size, uint8_t *pixels,
                                 size_t count) {
    return convert(icc, icc_size, false, pixels, count);
}

imgcolor_status imgcolor_inks_to_srgb(const uint8_t *icc, size_t icc_size, uint8_t *pixels,
                                      size_t count) {
    return convert(icc, icc_size, true, pixels, count);
}
