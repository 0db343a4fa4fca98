#ifndef IMGC_CANVAS_H
#define IMGC_CANVAS_H

#include <stddef.h>
#include <stdint.h>

/// Bytes of a message of this target, with its zero.
enum { IMGC_CANVAS_MESSAGE = 256 };

/// Libraries that are loaded: GObject, Pango, Cairo, PangoCairo, in this order.
enum { IMGC_CANVAS_LIBRARIES = 4 };

/// Pages that shapes, images and texts are drawn on. One thread at a time may use a canvas.
typedef struct imgc_canvas imgc_canvas;

/// A rectangle in units of the canvas, with rounded corners if `radius` is above 0.
typedef struct imgc_box {
    double x, y, width, height, radius;
} imgc_box;

/// How a text is set.
typedef struct imgc_text_style {
    /// The size of the font in units of the canvas, above 0.
    double size;
    /// The maximum width; 0 for no limit and a single line.
    double width;
    /// As in CSS: 400 is regular, 700 bold.
    int32_t weight;
    /// The maximum number of lines; the last ends with an ellipsis if the text is longer.
    int32_t lines;
    /// 0 left, 1 middle, 2 right of `width`; without a width, of x.
    int32_t alignment;
    /// Nonzero if y is the baseline of the first line, not its top.
    int32_t on_baseline;
    /// 0xRRGGBBAA.
    uint32_t color;
} imgc_text_style;

/// What setting a text came to.
typedef struct imgc_text_extent {
    /// In units of the canvas.
    double width, height;
    /// The number of characters that no installed font has.
    int32_t missing;
} imgc_text_extent;

/// Loads the libraries, once; any thread may call.
///
/// - `names`    NULL for the system's, else IMGC_CANVAS_LIBRARIES names to load afresh.
/// - `message`  owned by the caller, IMGC_CANVAS_MESSAGE bytes: what cannot be loaded.
/// Returns 1 on success. A failure changes nothing.
int imgc_canvas_load(const char *_Nullable const *_Nullable names, char *_Nonnull message);

/// Makes a canvas of `width` x `height` pixels, transparent; NULL without memory, or before
/// imgc_canvas_load succeeded.
///
/// - `scale`  pixels to a unit, above 0.
/// - `pdf`    nonzero for a PDF document, in which four pixels are three points.
imgc_canvas *_Nullable imgc_canvas_create(int32_t width, int32_t height, double scale, int pdf);

/// Frees a canvas; NULL does nothing.
void imgc_canvas_free(imgc_canvas *_Nullable canvas);

/// Ends a page of a PDF and begins the next, of `width` x `height` pixels.
void imgc_canvas_next_page(imgc_canvas *_Nonnull canvas, int32_t width, int32_t height);

/// Fills a rectangle; `color` is 0xRRGGBBAA.
void imgc_canvas_fill(imgc_canvas *_Nonnull canvas, imgc_box box, uint32_t color);

/// Draws a line through `count` points, x and y in turn; `dashes` are lengths drawn and skipped.
void imgc_canvas_line(imgc_canvas *_Nonnull canvas, const double *_Nonnull points, size_t count,
                      double width, uint32_t color, const double *_Nullable dashes,
                      size_t dash_count);

/// Draws `width` x `height` pixels of straight RGBA8, scaled to a box; borrowed for the call.
///
/// - `jpeg`  the same image, or NULL: what a PDF contains in place of the pixels.
/// Returns 0 without memory.
int imgc_canvas_image(imgc_canvas *_Nonnull canvas, const uint8_t *_Nonnull rgba, int32_t width,
                      int32_t height, imgc_box box, const uint8_t *_Nullable jpeg,
                      size_t jpeg_size);

/// Draws UTF-8 at a point, or measures it alone if `draws` is 0.
///
/// - `text`  valid UTF-8 of `length` bytes, without zeros; borrowed for the call.
imgc_text_extent imgc_canvas_text(imgc_canvas *_Nonnull canvas, const char *_Nonnull text,
                                  size_t length, double x, double y, imgc_text_style style,
                                  int draws);

/// Copies the pixels as opaque RGBA8 into 4 * width * height bytes of the caller; 0 without any.
int imgc_canvas_pixels(imgc_canvas *_Nonnull canvas, uint8_t *_Nonnull rgba);

/// Ends a PDF; its bytes are the canvas's until it is freed. Nothing may be drawn afterwards.
const uint8_t *_Nullable imgc_canvas_finish(imgc_canvas *_Nonnull canvas, size_t *_Nonnull size);

/// The reason, a constant, why something could not be drawn; NULL if all was.
const char *_Nullable imgc_canvas_failure(imgc_canvas *_Nonnull canvas);

#endif
