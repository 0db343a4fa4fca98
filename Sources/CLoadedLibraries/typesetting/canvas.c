#include "pango.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// One family of letters for Latin and Chinese where it is installed; the last one always exists.
static const char FAMILIES[] =
    "Noto Sans CJK SC,Source Han Sans SC,PingFang SC,Noto Sans,WenQuanYi Micro Hei,DejaVu Sans,"
    "Sans";
// Chinese forms of the characters that Chinese and Japanese share.
static const char LANGUAGE[] = "zh-cn";
// Points to a pixel of a PDF.
static const double POINTS = 0.75;
// Bytes of a PDF, which is in memory.
static const size_t MAXIMUM_PDF = (size_t)1 << 30;

struct imgc_canvas {
    const imgc_pango *call;
    int32_t width, height;
    cairo_surface_t *surface;
    cairo_t *cairo;
    PangoFontMap *fonts;
    PangoContext *context;
    int is_pdf, lacks_fonts;
    uint8_t *bytes;
    size_t count, room;
};

// fontconfig, below Pango, is not safe on several threads in every version.
static pthread_mutex_t fonts_lock = PTHREAD_MUTEX_INITIALIZER;

static int append(void *closure, const unsigned char *data, unsigned length) {
    imgc_canvas *canvas = closure;
    if (length > MAXIMUM_PDF - canvas->count) return CAIRO_STATUS_WRITE_ERROR;
    if (canvas->room - canvas->count < length) {
        size_t room = canvas->room * 2 + length + 65536;
        uint8_t *bytes = realloc(canvas->bytes, room);
        if (!bytes) return CAIRO_STATUS_WRITE_ERROR;
        canvas->bytes = bytes;
        canvas->room = room;
    }
    memcpy(canvas->bytes + canvas->count, data, length);
    canvas->count += length;
    return 0;
}

imgc_canvas *imgc_canvas_create(int32_t width, int32_t height, double scale, int pdf) {
    const imgc_pango *call = imgc_pango_loaded();
    imgc_canvas *canvas = call ? calloc(1, sizeof *canvas) : NULL;
    if (!canvas) return NULL;
    canvas->call = call;
    canvas->width = width;
    canvas->height = height;
    canvas->is_pdf = pdf;
    canvas->surface = pdf ? call->cairo_pdf_surface_create_for_stream(
                                append, canvas, width * POINTS, height * POINTS)
                          : call->cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    canvas->cairo = call->cairo_create(canvas->surface);
    if (pdf) scale *= POINTS;
    call->cairo_scale(canvas->cairo, scale, scale);
    pthread_mutex_lock(&fonts_lock);
    canvas->fonts = call->pango_cairo_font_map_new();
    canvas->context = call->pango_font_map_create_context(canvas->fonts);
    call->pango_context_set_language(canvas->context, call->pango_language_from_string(LANGUAGE));
    call->pango_cairo_update_context(canvas->cairo, canvas->context);
    pthread_mutex_unlock(&fonts_lock);
    // Families have names where no font is installed, too: whether there is a letter tells.
    imgc_text_style plain = { .size = 12, .weight = 400 };
    canvas->lacks_fonts = imgc_canvas_text(canvas, "A", 1, 0, 0, plain, 0).missing > 0;
    return canvas;
}

void imgc_canvas_free(imgc_canvas *canvas) {
    if (!canvas) return;
    pthread_mutex_lock(&fonts_lock);
    canvas->call->cairo_destroy(canvas->cairo);
    canvas->call->cairo_surface_destroy(canvas->surface); // writes the rest of a PDF
    canvas->call->g_object_unref(canvas->context);
    canvas->call->g_object_unref(canvas->fonts);
    pthread_mutex_unlock(&fonts_lock);
    free(canvas->bytes);
    free(canvas);
}

void imgc_canvas_next_page(imgc_canvas *canvas, int32_t width, int32_t height) {
    canvas->call->cairo_show_page(canvas->cairo);
    canvas->width = width;
    canvas->height = height;
    canvas->call->cairo_pdf_surface_set_size(canvas->surface, width * POINTS, height * POINTS);
}

static void set_color(imgc_canvas *canvas, uint32_t color) {
    canvas->call->cairo_set_source_rgba(canvas->cairo, (color >> 24) / 255.0,
                                        (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                                        (color & 255) / 255.0);
}

static void trace(imgc_canvas *canvas, imgc_box box) {
    const imgc_pango *call = canvas->call;
    cairo_t *cairo = canvas->cairo;
    call->cairo_new_path(cairo);
    if (!(box.radius > 0)) {
        call->cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
        return;
    }
    double radius = fmin(box.radius, fmin(box.width, box.height) / 2);
    double right = box.x + box.width - radius, low = box.y + box.height - radius;
    call->cairo_arc(cairo, right, box.y + radius, radius, -M_PI / 2, 0);
    call->cairo_arc(cairo, right, low, radius, 0, M_PI / 2);
    call->cairo_arc(cairo, box.x + radius, low, radius, M_PI / 2, M_PI);
    call->cairo_arc(cairo, box.x + radius, box.y + radius, radius, M_PI, 1.5 * M_PI);
    call->cairo_close_path(cairo);
}

void imgc_canvas_fill(imgc_canvas *canvas, imgc_box box, uint32_t color) {
    set_color(canvas, color);
    trace(canvas, box);
    canvas->call->cairo_fill(canvas->cairo);
}

void imgc_canvas_line(imgc_canvas *canvas, const double *points, size_t count, double width,
                      uint32_t color, const double *dashes, size_t dash_count) {
    const imgc_pango *call = canvas->call;
    set_color(canvas, color);
    call->cairo_new_path(canvas->cairo);
    for (size_t i = 0; i < count; i++) {
        double x = points[2 * i], y = points[2 * i + 1];
        if (i == 0) call->cairo_move_to(canvas->cairo, x, y);
        else call->cairo_line_to(canvas->cairo, x, y);
    }
    call->cairo_set_line_width(canvas->cairo, width);
    call->cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    call->cairo_set_dash(canvas->cairo, dashes, (int)dash_count, 0);
    call->cairo_stroke(canvas->cairo);
}

/// Copies straight RGBA into what Cairo draws: premultiplied, a native 32-bit word a pixel.
static void premultiply(const uint8_t *rgba, uint8_t *data, size_t stride, int32_t width,
                        int32_t height) {
    for (int32_t row = 0; row < height; row++) {
        for (int32_t column = 0; column < width; column++, rgba += 4) {
            uint32_t a = rgba[3];
            uint32_t r = (rgba[0] * a + 127) / 255, g = (rgba[1] * a + 127) / 255;
            uint32_t pixel = a << 24 | r << 16 | g << 8 | (rgba[2] * a + 127) / 255;
            memcpy(data + (size_t)row * stride + 4 * (size_t)column, &pixel, 4);
        }
    }
}

int imgc_canvas_image(imgc_canvas *canvas, const uint8_t *rgba, int32_t width, int32_t height,
                      imgc_box box, const uint8_t *jpeg, size_t jpeg_size) {
    const imgc_pango *call = canvas->call;
    cairo_surface_t *image = call->cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    uint8_t *data = call->cairo_image_surface_get_data(image);
    uint8_t *copy = data && jpeg && canvas->is_pdf ? malloc(jpeg_size) : NULL;
    if (data) {
        premultiply(rgba, data, (size_t)call->cairo_image_surface_get_stride(image), width,
                    height);
        call->cairo_surface_mark_dirty(image);
    }
    if (copy) {
        memcpy(copy, jpeg, jpeg_size);
        if (call->cairo_surface_set_mime_data(image, "image/jpeg", copy, jpeg_size, free, copy))
            free(copy);
    }
    if (data) {
        call->cairo_save(canvas->cairo);
        trace(canvas, box);
        call->cairo_clip(canvas->cairo);
        call->cairo_translate(canvas->cairo, box.x, box.y);
        call->cairo_scale(canvas->cairo, box.width / width, box.height / height);
        call->cairo_set_source_surface(canvas->cairo, image, 0, 0);
        cairo_pattern_t *pattern = call->cairo_get_source(canvas->cairo);
        call->cairo_pattern_set_filter(pattern, CAIRO_FILTER_GOOD);
        // Keeps the edges of a scaled image opaque. A PDF would contain padded pixels, not the JPEG.
        if (!canvas->is_pdf) call->cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD);
        call->cairo_paint(canvas->cairo);
        call->cairo_restore(canvas->cairo);
    }
    call->cairo_surface_destroy(image);
    return data != NULL;
}

static PangoLayout *layout_create(imgc_canvas *canvas, const char *text, size_t length,
                                  imgc_text_style style) {
    const imgc_pango *call = canvas->call;
    PangoLayout *layout = call->pango_layout_new(canvas->context);
    PangoFontDescription *font = call->pango_font_description_new();
    call->pango_font_description_set_family_static(font, FAMILIES);
    call->pango_font_description_set_absolute_size(font, style.size * PANGO_SCALE);
    call->pango_font_description_set_weight(font, style.weight);
    call->pango_layout_set_font_description(layout, font);
    call->pango_font_description_free(font);
    // Captions begin at the left in every script.
    call->pango_layout_set_auto_dir(layout, 0);
    call->pango_layout_set_alignment(layout, style.alignment);
    if (style.width > 0) {
        call->pango_layout_set_width(layout, (int)(style.width * PANGO_SCALE));
        call->pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
        call->pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
        call->pango_layout_set_height(layout, -(style.lines > 0 ? style.lines : 1));
    }
    call->pango_layout_set_text(layout, text, (int)length);
    return layout;
}

imgc_text_extent imgc_canvas_text(imgc_canvas *canvas, const char *text, size_t length, double x,
                                  double y, imgc_text_style style, int draws) {
    const imgc_pango *call = canvas->call;
    imgc_text_extent extent = { 0 };
    if (canvas->lacks_fonts) return extent;
    pthread_mutex_lock(&fonts_lock);
    PangoLayout *layout = layout_create(canvas, text, length, style);
    int width = 0, height = 0;
    call->pango_layout_get_size(layout, &width, &height);
    extent.width = (double)width / PANGO_SCALE;
    extent.height = (double)height / PANGO_SCALE;
    extent.missing = call->pango_layout_get_unknown_glyphs_count(layout);
    if (draws) {
        if (!(style.width > 0)) x -= style.alignment * extent.width / 2;
        if (style.on_baseline) y -= (double)call->pango_layout_get_baseline(layout) / PANGO_SCALE;
        set_color(canvas, style.color);
        call->cairo_move_to(canvas->cairo, x, y);
        call->pango_cairo_show_layout(canvas->cairo, layout);
    }
    call->g_object_unref(layout);
    pthread_mutex_unlock(&fonts_lock);
    return extent;
}

int imgc_canvas_pixels(imgc_canvas *canvas, uint8_t *rgba) {
    canvas->call->cairo_surface_flush(canvas->surface);
    const uint8_t *data = canvas->call->cairo_image_surface_get_data(canvas->surface);
    if (!data) return 0;
    size_t stride = (size_t)canvas->call->cairo_image_surface_get_stride(canvas->surface);
    for (int32_t row = 0; row < canvas->height; row++) {
        for (int32_t column = 0; column < canvas->width; column++, rgba += 4) {
            uint32_t pixel;
            memcpy(&pixel, data + (size_t)row * stride + 4 * (size_t)column, 4);
            rgba[0] = pixel >> 16 & 255;
            rgba[1] = pixel >> 8 & 255;
            rgba[2] = pixel & 255;
            rgba[3] = 255;
        }
    }
    return 1;
}

const uint8_t *imgc_canvas_finish(imgc_canvas *canvas, size_t *size) {
    pthread_mutex_lock(&fonts_lock); // writes subsets of the fonts
    canvas->call->cairo_surface_finish(canvas->surface);
    pthread_mutex_unlock(&fonts_lock);
    *size = canvas->count;
    return canvas->bytes;
}

const char *imgc_canvas_failure(imgc_canvas *canvas) {
    if (canvas->lacks_fonts) return "no font is installed";
    int status = canvas->call->cairo_status(canvas->cairo);
    if (!status) status = canvas->call->cairo_surface_status(canvas->surface);
    return status ? canvas->call->cairo_status_to_string(status) : NULL;
}
