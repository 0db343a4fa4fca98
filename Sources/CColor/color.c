// The one file that speaks to Little CMS.
#include "imgcolor.h"

#include <stdbool.h>

#include <lcms2.h>

enum { PIXELS_AT_ONCE = 1 << 16 };

/// A transform from the profile's device to sRGB; NULL where there is none.
static cmsHTRANSFORM make_transform(cmsContext context, cmsHPROFILE profile, bool *is_gray) {
    cmsColorSpaceSignature space = cmsGetColorSpace(profile);
    *is_gray = space == cmsSigGrayData;
    if (!*is_gray && space != cmsSigRgbData) return NULL;
    cmsHPROFILE srgb = cmsCreate_sRGBProfileTHR(context);
    if (!srgb) return NULL;
    // A gray device reads red and leaves out the other two samples, which are the same.
    cmsUInt32Number from = *is_gray
        ? (COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1)) : TYPE_RGBA_8;
    cmsUInt32Number flags = *is_gray ? 0 : cmsFLAGS_COPY_ALPHA;
    cmsHTRANSFORM transform = cmsCreateTransformTHR(context, profile, from, srgb, TYPE_RGBA_8,
                                                    INTENT_PERCEPTUAL, flags);
    cmsCloseProfile(srgb);
    return transform;
}

imgcolor_status imgcolor_to_srgb(const uint8_t *icc, size_t icc_size, uint8_t *pixels,
                                 size_t count) {
    imgcolor_status status = IMGCOLOR_STATUS_PROFILE;
    if (icc_size > UINT32_MAX) return status;
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (!context) return status;
    cmsHPROFILE profile = cmsOpenProfileFromMemTHR(context, icc, (cmsUInt32Number)icc_size);
    bool is_gray = false;
    cmsHTRANSFORM transform = profile ? make_transform(context, profile, &is_gray) : NULL;
    if (transform) {
        for (size_t at = 0; at < count; at += PIXELS_AT_ONCE) {
            size_t some = count - at < PIXELS_AT_ONCE ? count - at : PIXELS_AT_ONCE;
            // In and out are the same memory: both have four bytes a pixel.
            cmsDoTransform(transform, pixels + 4 * at, pixels + 4 * at, (cmsUInt32Number)some);
        }
        cmsDeleteTransform(transform);
        status = IMGCOLOR_STATUS_OK;
    }
    if (profile) cmsCloseProfile(profile);
    cmsDeleteContext(context);
    return status;
}
