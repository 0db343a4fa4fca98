// Writes WebP, stills and animations; one of the two files that speak to libwebp.
#include "imgc_webp.h"

#include "../common/support.h"

#include <stdlib.h>
#include <string.h>

#include <webp/encode.h>
#include <webp/mux.h>

static imgc_status fail_with(imgc_error *error, WebPEncodingError code) {
    bool is_memory = code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                     code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY;
    return is_memory ? imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to write a WebP")
                     : imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "cannot write the image (%d)", code);
}

static bool configure(WebPConfig *config, const imgc_webp_options *options) {
    if (!WebPConfigInit(config)) return false;
    config->quality = options->quality;
    config->method = options->method;
    if (options->lossless) {
        // Of a lossless image quality is effort alone; colours below alpha 0 are kept.
        config->lossless = 1;
        config->exact = 1;
        config->quality = 50;
    }
    return WebPValidateConfig(config) != 0;
}

/// When an image has to be written.
struct deadline {
    uint64_t end; // processor time of this thread
    imgc_error *error;
};

static struct deadline deadline_from(const imgc_webp_options *options, imgc_error *error) {
    uint64_t limit = options->max_cpu_nanoseconds;
    return (struct deadline){.end = limit == 0 ? UINT64_MAX : imgc_cpu_deadline(limit),
                             .error = error};
}

/// Ends the encoding where the time is over.
static int go_on(int percent, const WebPPicture *picture) {
    (void)percent;
    const struct deadline *deadline = picture->user_data;
    if (imgc_cpu_now() <= deadline->end) return 1;
    imgc_fail(deadline->error, IMGC_STATUS_LIMIT, 0, "writing takes more processor time than allowed");
    return 0;
}

/// Makes `picture` of the pixels, in the form that the configuration needs.
static imgc_status import(WebPPicture *picture, const imgc_image *image, bool lossless,
                          imgc_error *error) {
    if (!imgc_image_is_sound(image) || image->width > WEBP_MAX_DIMENSION ||
        image->height > WEBP_MAX_DIMENSION) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0,
                         "an image of %u x %u pixels; a WebP has 1 to %d a side", image->width,
                         image->height, WEBP_MAX_DIMENSION);
    }
    if (!WebPPictureInit(picture)) return fail_with(error, VP8_ENC_ERROR_OUT_OF_MEMORY);
    picture->width = (int)image->width;
    picture->height = (int)image->height;
    picture->use_argb = lossless;
    int stride = (int)image->bytes_per_row;
    int isImported = imgc_image_is_opaque(image) ? WebPPictureImportRGBX(picture, image->bytes, stride)
                                      : WebPPictureImportRGBA(picture, image->bytes, stride);
    return isImported ? IMGC_STATUS_OK : fail_with(error, picture->error_code);
}

static int append(const uint8_t *bytes, size_t count, const WebPPicture *picture) {
    return imgc_buffer_append(picture->custom_ptr, bytes, count);
}

/// Puts a file together with a profile.
static imgc_status assemble(const uint8_t *bytes, size_t count, const imgc_webp_options *options,
                            imgc_buffer *out, imgc_error *error) {
    WebPData file = {bytes, count}, made = {0};
    WebPData profile = {options->icc, options->icc_size};
    WebPMux *mux = WebPMuxCreate(&file, 0);
    bool is_made = mux && WebPMuxSetChunk(mux, "ICCP", &profile, 0) == WEBP_MUX_OK &&
                   WebPMuxAssemble(mux, &made) == WEBP_MUX_OK &&
                   imgc_buffer_append(out, made.bytes, made.size);
    WebPDataClear(&made);
    if (mux) WebPMuxDelete(mux);
    return is_made ? IMGC_STATUS_OK
                   : imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "cannot embed the profile");
}

/// Moves a finished file to `out`, with the profile if there is one.
static imgc_status deliver(const uint8_t *bytes, size_t count, const imgc_webp_options *options,
                           imgc_buffer *out, imgc_error *error) {
    if (options->icc && options->icc_size > 0) return assemble(bytes, count, options, out, error);
    if (imgc_buffer_append(out, bytes, count)) return IMGC_STATUS_OK;
    return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to write a WebP");
}

imgc_status imgc_webp_encode(imgc_image image, const imgc_webp_options *options, imgc_buffer *out,
                             imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    WebPConfig config;
    WebPPicture picture = {0};
    imgc_buffer written = {0};
    if (!configure(&config, options)) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "quality or effort out of range");
    }
    struct deadline deadline = deadline_from(options, error);
    if (import(&picture, &image, options->lossless, error) == IMGC_STATUS_OK) {
        picture.progress_hook = go_on;
        picture.user_data = &deadline;
        picture.writer = append;
        picture.custom_ptr = &written;
        if (WebPEncode(&config, &picture)) {
            deliver(written.bytes, written.count, options, out, error);
        } else {
            fail_with(error, picture.error_code);
        }
    }
    WebPPictureFree(&picture);
    imgc_buffer_free(&written);
    if (error->status != IMGC_STATUS_OK) imgc_buffer_free(out);
    return error->status;
}

// MARK: animations

struct imgc_webp_writer {
    WebPAnimEncoder *encoder;
    WebPConfig config;
    imgc_webp_options options;
    uint32_t width, height;
    int64_t time; // where the next frame begins, in milliseconds
};

/// Of one frame; libwebp refuses 2^24.
static const uint32_t most_milliseconds = (1 << 24) - 1;

imgc_webp_writer *imgc_webp_writer_open(uint32_t width, uint32_t height,
                                        const imgc_webp_options *options, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    WebPAnimEncoderOptions settings;
    imgc_webp_writer *writer = calloc(1, sizeof *writer);
    if (!writer || !WebPAnimEncoderOptionsInit(&settings)) {
        fail_with(error, VP8_ENC_ERROR_OUT_OF_MEMORY);
    } else if (!configure(&writer->config, options) || width == 0 || height == 0 ||
               width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION) {
        imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "cannot write a canvas of %u x %u pixels", width,
                  height);
    } else {
        settings.anim_params.loop_count =
            options->loop_count < 0xffff ? (int)options->loop_count : 0xffff;
        writer->options = *options;
        writer->width = width;
        writer->height = height;
        writer->encoder = WebPAnimEncoderNew((int)width, (int)height, &settings);
        if (writer->encoder) return writer;
        fail_with(error, VP8_ENC_ERROR_OUT_OF_MEMORY);
    }
    free(writer);
    return NULL;
}

imgc_status imgc_webp_writer_add(imgc_webp_writer *writer, imgc_image image, uint32_t milliseconds,
                                 imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (image.width != writer->width || image.height != writer->height) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "the frames have several sizes");
    }
    // What the format cannot hold is shown for as long as it can.
    if (milliseconds > most_milliseconds) milliseconds = most_milliseconds;
    if (milliseconds > INT32_MAX - writer->time) milliseconds = (uint32_t)(INT32_MAX - writer->time);
    WebPPicture picture = {0};
    if (import(&picture, &image, true, error) == IMGC_STATUS_OK &&
        !WebPAnimEncoderAdd(writer->encoder, &picture, (int)writer->time, &writer->config)) {
        fail_with(error, picture.error_code);
    }
    WebPPictureFree(&picture);
    writer->time += milliseconds;
    return error->status;
}

imgc_status imgc_webp_writer_finish(imgc_webp_writer *writer, imgc_buffer *out, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    WebPData made = {0};
    if (WebPAnimEncoderAdd(writer->encoder, NULL, (int)writer->time, NULL) &&
        WebPAnimEncoderAssemble(writer->encoder, &made)) {
        deliver(made.bytes, made.size, &writer->options, out, error);
    } else {
        imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "%s", WebPAnimEncoderGetError(writer->encoder));
    }
    WebPDataClear(&made);
    if (error->status != IMGC_STATUS_OK) imgc_buffer_free(out);
    return error->status;
}

void imgc_webp_writer_close(imgc_webp_writer *writer) {
    if (!writer) return;
    if (writer->encoder) WebPAnimEncoderDelete(writer->encoder);
    free(writer);
}
