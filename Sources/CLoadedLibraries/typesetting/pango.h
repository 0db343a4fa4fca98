// The part of Pango 1 and Cairo 1 that is used, declared by their stable ABI: their headers are not
// needed to build, their libraries not before something is drawn.
#ifndef IMGC_PANGO_H
#define IMGC_PANGO_H

#include "imgc_canvas.h"

typedef struct cairo cairo_t;
typedef struct cairo_surface cairo_surface_t;
typedef struct cairo_pattern cairo_pattern_t;
typedef struct pango_context PangoContext;
typedef struct pango_layout PangoLayout;
typedef struct pango_fonts PangoFontMap;
typedef struct pango_language PangoLanguage;
typedef struct pango_description PangoFontDescription;
typedef int (*cairo_write_func_t)(void *, const unsigned char *, unsigned);
typedef void (*cairo_destroy_func_t)(void *);
typedef void (*GLogFunc)(const char *, int, const char *, void *);

enum {
    CAIRO_FORMAT_ARGB32 = 0, CAIRO_FILTER_GOOD = 1, CAIRO_EXTEND_PAD = 3,
    CAIRO_LINE_JOIN_ROUND = 1, CAIRO_STATUS_WRITE_ERROR = 11, CAIRO_STATUS_NO_MEMORY = 1,
    PANGO_SCALE = 1024, PANGO_WRAP_WORD_CHAR = 2, PANGO_ELLIPSIZE_END = 3,
};

// The library, the result, the name, the parameters. GLib is found through GObject.
#define IMGC_FUNCTIONS(F)                                                                          \
    F(cairo, cairo_surface_t *, cairo_image_surface_create, (int, int, int))                       \
    F(cairo, unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *))                   \
    F(cairo, int, cairo_image_surface_get_stride, (cairo_surface_t *))                             \
    F(cairo, cairo_surface_t *, cairo_pdf_surface_create_for_stream,                               \
      (cairo_write_func_t, void *, double, double))                                                \
    F(cairo, void, cairo_pdf_surface_set_size, (cairo_surface_t *, double, double))                \
    F(cairo, void, cairo_surface_flush, (cairo_surface_t *))                                       \
    F(cairo, void, cairo_surface_mark_dirty, (cairo_surface_t *))                                  \
    F(cairo, void, cairo_surface_finish, (cairo_surface_t *))                                      \
    F(cairo, void, cairo_surface_destroy, (cairo_surface_t *))                                     \
    F(cairo, int, cairo_surface_status, (cairo_surface_t *))                                       \
    F(cairo, int, cairo_surface_set_mime_data,                                                     \
      (cairo_surface_t *, const char *, const unsigned char *, unsigned long,                      \
       cairo_destroy_func_t, void *))                                                              \
    F(cairo, cairo_t *, cairo_create, (cairo_surface_t *))                                         \
    F(cairo, void, cairo_destroy, (cairo_t *))                                                     \
    F(cairo, int, cairo_status, (cairo_t *))                                                       \
    F(cairo, const char *, cairo_status_to_string, (int))                                          \
    F(cairo, void, cairo_save, (cairo_t *))                                                        \
    F(cairo, void, cairo_restore, (cairo_t *))                                                     \
    F(cairo, void, cairo_clip, (cairo_t *))                                                        \
    F(cairo, void, cairo_translate, (cairo_t *, double, double))                                   \
    F(cairo, void, cairo_scale, (cairo_t *, double, double))                                       \
    F(cairo, cairo_pattern_t *, cairo_get_source, (cairo_t *))                                     \
    F(cairo, void, cairo_pattern_set_filter, (cairo_pattern_t *, int))                             \
    F(cairo, void, cairo_pattern_set_extend, (cairo_pattern_t *, int))                             \
    F(cairo, void, cairo_set_source_surface, (cairo_t *, cairo_surface_t *, double, double))       \
    F(cairo, void, cairo_set_source_rgba, (cairo_t *, double, double, double, double))             \
    F(cairo, void, cairo_paint, (cairo_t *))                                                       \
    F(cairo, void, cairo_fill, (cairo_t *))                                                        \
    F(cairo, void, cairo_stroke, (cairo_t *))                                                      \
    F(cairo, void, cairo_show_page, (cairo_t *))                                                   \
    F(cairo, void, cairo_new_path, (cairo_t *))                                                    \
    F(cairo, void, cairo_move_to, (cairo_t *, double, double))                                     \
    F(cairo, void, cairo_line_to, (cairo_t *, double, double))                                     \
    F(cairo, void, cairo_arc, (cairo_t *, double, double, double, double, double))                 \
    F(cairo, void, cairo_rectangle, (cairo_t *, double, double, double, double))                   \
    F(cairo, void, cairo_close_path, (cairo_t *))                                                  \
    F(cairo, void, cairo_set_line_width, (cairo_t *, double))                                      \
    F(cairo, void, cairo_set_line_join, (cairo_t *, int))                                          \
    F(cairo, void, cairo_set_dash, (cairo_t *, const double *, int, double))                       \
    F(pangocairo, PangoFontMap *, pango_cairo_font_map_new, (void))                                \
    F(pangocairo, void, pango_cairo_show_layout, (cairo_t *, PangoLayout *))                       \
    F(pangocairo, void, pango_cairo_update_context, (cairo_t *, PangoContext *))                   \
    F(pango, PangoContext *, pango_font_map_create_context, (PangoFontMap *))                      \
    F(pango, PangoLanguage *, pango_language_from_string, (const char *))                          \
    F(pango, void, pango_context_set_language, (PangoContext *, PangoLanguage *))                  \
    F(pango, PangoLayout *, pango_layout_new, (PangoContext *))                                    \
    F(pango, void, pango_layout_set_text, (PangoLayout *, const char *, int))                      \
    F(pango, void, pango_layout_set_font_description,                                              \
      (PangoLayout *, const PangoFontDescription *))                                               \
    F(pango, void, pango_layout_set_width, (PangoLayout *, int))                                   \
    F(pango, void, pango_layout_set_height, (PangoLayout *, int))                                  \
    F(pango, void, pango_layout_set_wrap, (PangoLayout *, int))                                    \
    F(pango, void, pango_layout_set_ellipsize, (PangoLayout *, int))                               \
    F(pango, void, pango_layout_set_alignment, (PangoLayout *, int))                               \
    F(pango, void, pango_layout_set_auto_dir, (PangoLayout *, int))                                \
    F(pango, void, pango_layout_get_size, (PangoLayout *, int *, int *))                           \
    F(pango, int, pango_layout_get_baseline, (PangoLayout *))                                      \
    F(pango, int, pango_layout_get_unknown_glyphs_count, (PangoLayout *))                          \
    F(pango, PangoFontDescription *, pango_font_description_new, (void))                           \
    F(pango, void, pango_font_description_free, (PangoFontDescription *))                          \
    F(pango, void, pango_font_description_set_family_static,                                       \
      (PangoFontDescription *, const char *))                                                      \
    F(pango, void, pango_font_description_set_absolute_size, (PangoFontDescription *, double))     \
    F(pango, void, pango_font_description_set_weight, (PangoFontDescription *, int))               \
    F(gobject, void, g_object_unref, (void *))                                                     \
    F(gobject, GLogFunc, g_log_set_default_handler, (GLogFunc, void *))

typedef struct {
#define IMGC_MEMBER(library, result, name, parameters) result(*name) parameters;
    IMGC_FUNCTIONS(IMGC_MEMBER)
#undef IMGC_MEMBER
} imgc_pango;

/// The functions; NULL before imgc_canvas_load succeeded.
const imgc_pango *imgc_pango_loaded(void);

#endif
