// The one file that speaks to Little CMS.
#include "imgcolor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

enum {
    PIXELS_AT_ONCE = 1 << 16,
    GRAY_OF_RGBA_8 = COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1),
    HEADER_SIZE = 128,
    TAG_SIZE = 12,
    MAXIMUM_TAGS = 1024,
};

struct imgcolor_transform {
    cmsContext context;
    cmsHTRANSFORM handle;
    imgcolor_device device;
};

// MARK: transforms

static bool is_of(cmsHPROFILE profile, imgcolor_device device) {
    cmsProfileClassSignature class = cmsGetDeviceClass(profile);
    if (class != cmsSigInputClass && class != cmsSigDisplayClass && class != cmsSigOutputClass &&
        class != cmsSigColorSpaceClass) {
        return false;
    }
    switch (cmsGetColorSpace(profile)) {
    case cmsSigRgbData: return device == IMGCOLOR_DEVICE_RGB;
    case cmsSigGrayData: return device == IMGCOLOR_DEVICE_GRAY;
    case cmsSigCmykData: return device == IMGCOLOR_DEVICE_INKS;
    default: return false;
    }
}

static uint32_t read32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Hides the tags of floating-point pipelines (D2B0 through D2B3), which may have any number of
/// steps: the library would run all of them for each point of its table. Each profile has other tags
/// for the same, which bound the work.
static void hide_pipelines(uint8_t *icc, size_t size) {
    if (size < HEADER_SIZE + 4) return;
    uint32_t count = read32(icc + HEADER_SIZE);
    for (uint32_t i = 0; i < count && i < MAXIMUM_TAGS; i++) {
        size_t at = HEADER_SIZE + 4 + (size_t)i * TAG_SIZE;
        if (at + TAG_SIZE > size) return;
        if (memcmp(icc + at, "D2B", 3) == 0) icc[at] = 'X';
    }
}

/// The curve of sRGB from light to samples. Source: IEC 61966-2-1.
static double encoded(double light) {
    return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
}

/// Whether a curve is that of sRGB within two of 255 steps.
static bool is_srgb_curve(const cmsToneCurve *curve) {
    enum { POINTS = 32 };
    for (int i = 0; curve && i <= POINTS; i++) {
        double sample = i / (double)POINTS;
        double light = cmsEvalToneCurveFloat(curve, (cmsFloat32Number)sample);
        if (!(fabs(encoded(light) - sample) <= 2 / 255.0)) return false;
    }
    return curve;
}

/// Whether a profile is that of sRGB, which costs less to see than a transform to make.
static bool is_srgb(cmsHPROFILE profile, imgcolor_device device) {
    static const cmsTagSignature colorants[] = {
        cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
    static const cmsTagSignature curves[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    static const cmsCIEXYZ values[] = {
        {0.4361, 0.2225, 0.0139}, {0.3851, 0.7169, 0.0971}, {0.1431, 0.0606, 0.7141}};
    const double tolerance = 0.002;
    if (cmsIsTag(profile, cmsSigAToB0Tag) || device == IMGCOLOR_DEVICE_INKS) return false;
    if (device == IMGCOLOR_DEVICE_GRAY) return is_srgb_curve(cmsReadTag(profile, cmsSigGrayTRCTag));
    for (int i = 0; i < 3; i++) {
        const cmsCIEXYZ *found = cmsReadTag(profile, colorants[i]);
        if (!found || fabs(found->X - values[i].X) > tolerance ||
            fabs(found->Y - values[i].Y) > tolerance || fabs(found->Z - values[i].Z) > tolerance ||
            !is_srgb_curve(cmsReadTag(profile, curves[i]))) {
            return false;
        }
    }
    return true;
}

static cmsHTRANSFORM make_handle(cmsContext context, const uint8_t *icc, size_t size,
                                 imgcolor_device device, bool *is_identity) {
    cmsHPROFILE profile = cmsOpenProfileFromMemTHR(context, icc, (cmsUInt32Number)size);
    if (!profile) return NULL;
    bool fits = is_of(profile, device);
    *is_identity = fits && is_srgb(profile, device);
    cmsHPROFILE srgb = fits && !*is_identity ? cmsCreate_sRGBProfileTHR(context) : NULL;
    cmsHTRANSFORM handle = NULL;
    if (srgb) {
        // A gray device reads red and leaves out the other two samples, which are the same.
        cmsUInt32Number from = device == IMGCOLOR_DEVICE_INKS ? TYPE_CMYK_8
                               : device == IMGCOLOR_DEVICE_GRAY ? GRAY_OF_RGBA_8 : TYPE_RGBA_8;
        // Without a cache of the last pixel threads share a transform. Alpha stays in its place.
        handle = cmsCreateTransformTHR(context, profile, from, srgb, TYPE_RGBA_8, INTENT_PERCEPTUAL,
                                       cmsFLAGS_NOCACHE);
        cmsCloseProfile(srgb);
    }
    cmsCloseProfile(profile);
    return handle;
}

imgcolor_transform *imgcolor_transform_make(const uint8_t *icc, size_t icc_size,
                                            imgcolor_device device, bool *is_identity) {
    *is_identity = false;
    if (icc_size > UINT32_MAX) return NULL;
    imgcolor_transform *transform = calloc(1, sizeof *transform);
    uint8_t *copy = malloc(icc_size);
    if (transform && copy) {
        memcpy(copy, icc, icc_size);
        hide_pipelines(copy, icc_size);
        transform->device = device;
        transform->context = cmsCreateContext(NULL, NULL);
        if (transform->context) {
            transform->handle = make_handle(transform->context, copy, icc_size, device,
                                            is_identity);
        }
    }
    free(copy);
    if (transform && transform->handle) return transform;
    imgcolor_transform_free(transform);
    return NULL;
}

void imgcolor_transform_free(imgcolor_transform *transform) {
    if (!transform) return;
    if (transform->handle) cmsDeleteTransform(transform->handle);
    if (transform->context) cmsDeleteContext(transform->context);
    free(transform);
}

void imgcolor_transform_apply(const imgcolor_transform *transform, uint8_t *pixels, size_t count) {
    for (size_t at = 0; at < count; at += PIXELS_AT_ONCE) {
        size_t some = count - at < PIXELS_AT_ONCE ? count - at : PIXELS_AT_ONCE;
        uint8_t *first = pixels + 4 * at;
        // In and out are the same memory: both have four bytes a pixel.
        cmsDoTransform(transform->handle, first, first, (cmsUInt32Number)some);
        if (transform->device != IMGCOLOR_DEVICE_INKS) continue;
        for (size_t i = 0; i < some; i++) first[4 * i + 3] = 255; // black was here
    }
}

// MARK: profiles from numbers

static const double SRGB_CHROMATICITIES[8] = {0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06};

/// White, red, green and blue of primaries. Source: ITU-T H.273, table 2.
static const struct {
    uint8_t code;
    double chromaticities[8];
} PRIMARIES[] = {
    {1, {0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06}},
    {4, {0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08}},
    {5, {0.3127, 0.3290, 0.64, 0.33, 0.29, 0.60, 0.15, 0.06}},
    {6, {0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070}},
    {7, {0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070}},
    {8, {0.310, 0.316, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049}},
    {9, {0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046}},
    {11, {0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},
    {12, {0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},
    {22, {0.3127, 0.3290, 0.630, 0.340, 0.295, 0.605, 0.155, 0.077}},
};

static double clipped(double value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

/// Light by samples of high dynamic range, 1 being the white of other images: 203 cd/m² (ITU-R
/// BT.2408). What is brighter is cut off.
static double high_range_light(uint8_t transfer, double sample) {
    if (transfer == 16) { // SMPTE ST 2084
        double root = pow(sample, 1 / 78.84375), over = root - 0.8359375;
        double light = pow((over < 0 ? 0 : over) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125);
        return clipped(light * 10000 / 203);
    }
    // Hybrid log-gamma with a display of 1000 cd/m² (ITU-R BT.2100); white is at 75 %.
    double scene = sample <= 0.5 ? sample * sample / 3
                                 : (exp((sample - 0.55991073) / 0.17883277) + 0.28466892) / 12;
    return clipped(pow(scene, 1.2) * 1000 / 203);
}

static cmsToneCurve *high_range_curve(cmsContext context, uint8_t transfer) {
    enum { COUNT = 4096 };
    cmsUInt16Number values[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = (cmsUInt16Number)lround(65535 * high_range_light(transfer, i / (COUNT - 1.0)));
    }
    return cmsBuildTabulatedToneCurve16(context, COUNT, values);
}

/// The curve from samples to light. Source: ITU-T H.273, table 3; IEC 61966-2-1 for sRGB.
static cmsToneCurve *make_curve(cmsContext context, uint8_t transfer, double gamma) {
    static const double srgb[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    static const double video[5] = {1 / 0.45, 1 / 1.09929682680944, 0.09929682680944 / 1.09929682680944,
                                    1 / 4.5, 0.0812428582986315};
    static const double smpte240[5] = {1 / 0.45, 1 / 1.1115, 0.1115 / 1.1115, 1 / 4.0, 0.0912};
    switch (transfer) {
    // What browsers take for the gamma of sRGB differs from 2.2 by less than 5 %.
    case 0:
        // Browsers ignore what no device has.
        if (gamma != 0 && !(gamma >= 0.01 && gamma <= 100)) return NULL;
        return gamma == 0 || fabs(gamma * 2.2 - 1) < 0.05
                   ? cmsBuildParametricToneCurve(context, 4, srgb)
                   : cmsBuildGamma(context, 1 / gamma);
    case 1: case 6: case 11: case 12: case 14: case 15:
        return cmsBuildParametricToneCurve(context, 4, video);
    case 4: return cmsBuildGamma(context, 2.2);
    case 5: return cmsBuildGamma(context, 2.8);
    case 7: return cmsBuildParametricToneCurve(context, 4, smpte240);
    case 8: return cmsBuildGamma(context, 1);
    case 13: return cmsBuildParametricToneCurve(context, 4, srgb);
    case 16: case 18: return high_range_curve(context, transfer);
    default: return NULL;
    }
}

static const double *chromaticities(const imgcolor_description *description) {
    if (description->primaries == 0) {
        static const double none[8];
        bool is_given = memcmp(description->chromaticities, none, sizeof none) != 0;
        return is_given ? description->chromaticities : SRGB_CHROMATICITIES;
    }
    for (size_t i = 0; i < sizeof PRIMARIES / sizeof *PRIMARIES; i++) {
        if (PRIMARIES[i].code == description->primaries) return PRIMARIES[i].chromaticities;
    }
    return NULL;
}

static bool makes_sense(const double *points) {
    for (int i = 0; i < 8; i += 2) {
        double x = points[i], y = points[i + 1];
        if (!(x >= 0 && y > 0 && x + y <= 1)) return false;
    }
    double area = (points[4] - points[2]) * (points[7] - points[3]) -
                  (points[6] - points[2]) * (points[5] - points[3]);
    return fabs(area) > 1e-4;
}

static cmsHPROFILE make_profile(cmsContext context, const imgcolor_description *description) {
    const double *points = chromaticities(description);
    if (!points || !makes_sense(points)) return NULL;
    cmsToneCurve *curve = make_curve(context, description->transfer, description->gamma);
    if (!curve) return NULL;
    cmsCIExyY white = {points[0], points[1], 1};
    cmsCIExyYTRIPLE primaries = {
        {points[2], points[3], 1}, {points[4], points[5], 1}, {points[6], points[7], 1}};
    cmsToneCurve *curves[3] = {curve, curve, curve};
    cmsHPROFILE profile = cmsCreateRGBProfileTHR(context, &white, &primaries, curves);
    cmsFreeToneCurve(curve);
    return profile;
}

size_t imgcolor_profile_make(imgcolor_description description, uint8_t *room, size_t room_size) {
    enum { DATE = 24, DATE_SIZE = 12 };
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (!context) return 0;
    cmsHPROFILE profile = make_profile(context, &description);
    cmsUInt32Number size = 0;
    bool is_made = profile && cmsSaveProfileToMem(profile, NULL, &size) && size > HEADER_SIZE;
    if (is_made && size <= room_size) {
        is_made = cmsSaveProfileToMem(profile, room, &size);
        if (is_made) memset(room + DATE, 0, DATE_SIZE);
    }
    if (profile) cmsCloseProfile(profile);
    cmsDeleteContext(context);
    return is_made ? size : 0;
}
