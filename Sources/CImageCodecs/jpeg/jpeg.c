// The one file that speaks to libjpeg-turbo.
#include "imgc_jpeg.h"

#include "../common/exif.h"
#include "../common/support.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// MARK: faults

struct jpeg_trap {
    struct jpeg_error_mgr base;
    uint64_t fed; // bytes of input so far
    imgc_error *error;
    bool lenient; // damage is noted and decoding goes on
    bool damaged;
    bool ended; // the data ran out
    bool is_strict; // what no image suffers from counts as well
    bool is_odd; // scans are of a kind that the header does not announce
    int first_short_scan;  // of the progressive scans that end before their codes do; 0 for none
    int short_scan;        // the last of them
    bool short_at_end;     // that one lacks codes of its last row alone, and they add detail
    uint64_t short_offset; // where that one ends
    char warning[JMSG_LENGTH_MAX]; // the first one, empty for none
    jmp_buf exit;
};

static imgc_status status_of_code(int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
        return IMGC_STATUS_MEMORY;
    case JERR_INPUT_EMPTY:
    case JERR_INPUT_EOF:
    case JWRN_JPEG_EOF:
        return IMGC_STATUS_TRUNCATED;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
    case JERR_WIDTH_OVERFLOW:
        return IMGC_STATUS_UNSUPPORTED;
    default:
        return IMGC_STATUS_CORRUPT;
    }
}

/// How many bytes of the file were read before the next.
static uint64_t offset_in(const struct jpeg_trap *trap, j_decompress_ptr codec) {
    return trap->fed - codec->src->bytes_in_buffer;
}

/// Fills *error with the library's words, then jumps to trap.exit.
static void trap_exit(j_common_ptr codec) {
    struct jpeg_trap *trap = (struct jpeg_trap *)codec->err;
    char words[JMSG_LENGTH_MAX];
    trap->base.format_message(codec, words);
    uint64_t offset = 0;
    if (codec->is_decompressor && ((j_decompress_ptr)codec)->src) {
        offset = offset_in(trap, (j_decompress_ptr)codec);
    }
    imgc_fail(trap->error, status_of_code(trap->base.msg_code), offset, "%s", words);
    longjmp(trap->exit, 1);
}

/// Whether the codes of a scan may be out of step because they refine what a short scan left out.
static bool refines_short_scan(j_decompress_ptr codec, const struct jpeg_trap *trap) {
    int first = trap->first_short_scan;
    return first != 0 && first < codec->input_scan_number && codec->Ah > 0;
}

/// Notes a progressive scan that lacks codes. Whether that is damage shows when all scans have been
/// read: one that others follow was written so, and the last one may be cut.
static void note_short_scan(j_decompress_ptr codec, struct jpeg_trap *trap) {
    bool adds_detail = codec->Ss > 0 || codec->Ah > 0;
    bool is_known = trap->short_scan == codec->input_scan_number;
    trap->short_at_end = adds_detail && codec->input_iMCU_row + 1 == codec->total_iMCU_rows &&
                         (!is_known || trap->short_at_end);
    trap->short_scan = codec->input_scan_number;
    if (trap->first_short_scan == 0) trap->first_short_scan = trap->short_scan;
    trap->short_offset = offset_in(trap, codec);
}

/// Whether a warning means that samples are lost, and not only that the file is odd.
static bool is_damage(j_decompress_ptr codec, struct jpeg_trap *trap) {
    switch (trap->base.msg_code) {
    case JWRN_NOT_SEQUENTIAL:
        // Scans of a progressive file behind a sequential header: they decode to something, and
        // what looks like damage in them is not. Every decoder shows that something. In a single
        // scan the parameters mean nothing, and it is whole if its codes are.
        trap->is_odd = jpeg_has_multiple_scans(codec);
        return false;
    case JWRN_HIT_MARKER:
        if (trap->is_odd) return false;
        if (codec->progressive_mode) note_short_scan(codec, trap);
        return !codec->progressive_mode;
    case JWRN_HUFF_BAD_CODE:
        return !trap->is_odd && !refines_short_scan(codec, trap);
    case JWRN_EXTRANEOUS_DATA:
        // Codes that are left over behind the last row: some before them were not the encoder's.
        return trap->is_strict && !trap->is_odd && trap->base.msg_parm.i[1] == JPEG_EOI &&
               !refines_short_scan(codec, trap);
    case JWRN_ARITH_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
        return true;
    default:
        return false;
    }
}

/// A library never prints; what it warns of is either harmless or damage.
static void trap_warning(j_common_ptr codec, int level) {
    struct jpeg_trap *trap = (struct jpeg_trap *)codec->err;
    if (level >= 0 || !codec->is_decompressor) return;
    bool damage = is_damage((j_decompress_ptr)codec, trap);
    if (trap->warning[0] == 0) {
        char words[JMSG_LENGTH_MAX];
        trap->base.format_message(codec, words);
        memcpy(trap->warning, words, sizeof trap->warning - 1);
    }
    if (!damage) return;
    trap->damaged = true;
    trap->ended |= trap->base.msg_code == JWRN_JPEG_EOF;
    if (!trap->lenient) trap_exit(codec);
}

static void set_trap(struct jpeg_trap *trap, imgc_error *error) {
    jpeg_std_error(&trap->base);
    trap->base.error_exit = trap_exit;
    trap->base.emit_message = trap_warning;
    trap->error = error;
    trap->lenient = trap->damaged = trap->ended = trap->is_strict = trap->is_odd = false;
    trap->first_short_scan = trap->short_scan = 0;
    trap->short_at_end = false;
    memset(trap->warning, 0, sizeof trap->warning);
}

// MARK: reading

struct imgc_jpeg_reader {
    struct jpeg_decompress_struct codec;
    struct jpeg_trap trap;
    struct jpeg_progress_mgr progress;
    imgc_limits limits;
    uint64_t cpu_deadline;
    uint32_t calls;
    uint8_t *cmyk; // one row, where the file has four inks
    uint32_t width; // of the rows
    uint32_t left;  // the first column that is decoded
    bool keeps_inks;
    bool finished;
};

/// Called by the library between rows and between the pieces of a scan.
static void watch_costs(j_common_ptr common) {
    j_decompress_ptr codec = (j_decompress_ptr)common;
    imgc_jpeg_reader *reader = (imgc_jpeg_reader *)((char *)codec - offsetof(imgc_jpeg_reader, codec));
    struct jpeg_trap *trap = &reader->trap;
    if (codec->input_scan_number > (int)reader->limits.max_scans) {
        imgc_fail(trap->error, IMGC_STATUS_LIMIT, 0, "more than %u scans",
                  reader->limits.max_scans);
        longjmp(trap->exit, 1);
    }
    // The clock costs a system call: ask it now and then, always far more often than a second.
    if (++reader->calls % 32 == 0 && imgc_cpu_now() > reader->cpu_deadline) {
        imgc_fail(trap->error, IMGC_STATUS_LIMIT, 0, "decoding takes more than %llu ms",
                  (unsigned long long)(reader->limits.max_cpu_nanoseconds / 1000000));
        longjmp(trap->exit, 1);
    }
}

static bool is_allowed(imgc_jpeg_reader *reader, imgc_error *error) {
    struct jpeg_decompress_struct *codec = &reader->codec;
    if (!imgc_size_allowed(codec->image_width, codec->image_height, &reader->limits, error)) {
        return false;
    }
    if (codec->data_precision != 8) {
        imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "%d-bit JPEG cannot be read",
                  codec->data_precision);
        return false;
    }
    return true;
}

/// Makes a reader and reads the header.
static imgc_jpeg_reader *begin(const uint8_t *jpeg, size_t jpeg_size, const imgc_limits *limits,
                               bool lenient, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    imgc_jpeg_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        return NULL;
    }
    struct jpeg_decompress_struct *codec = &reader->codec;
    set_trap(&reader->trap, error);
    codec->err = &reader->trap.base;
    reader->limits = *limits;
    reader->trap.fed = jpeg_size;
    reader->cpu_deadline = imgc_cpu_deadline(limits->max_cpu_nanoseconds);
    if (setjmp(reader->trap.exit)) {
        imgc_jpeg_reader_close(reader);
        return NULL;
    }
    jpeg_create_decompress(codec);
    codec->mem->max_memory_to_use = (long)limits->max_memory;
    reader->progress.progress_monitor = watch_costs;
    codec->progress = &reader->progress;
    jpeg_mem_src(codec, jpeg, jpeg_size);
    jpeg_read_header(codec, TRUE);
    reader->trap.lenient = lenient; // a damaged header is never passed over
    if (!is_allowed(reader, error)) longjmp(reader->trap.exit, 1);
    return reader;
}

static bool last_scan_is_whole(imgc_jpeg_reader *reader, const uint8_t *jpeg, size_t size);

imgc_jpeg_reader *imgc_jpeg_reader_open(const uint8_t *jpeg, size_t jpeg_size,
                                        const imgc_limits *limits, imgc_jpeg_request request,
                                        imgc_error *error) {
    imgc_jpeg_reader *reader = begin(jpeg, jpeg_size, limits, request.lenient, error);
    if (!reader) return NULL;
    struct jpeg_decompress_struct *codec = &reader->codec;
    if (setjmp(reader->trap.exit)) {
        imgc_jpeg_reader_close(reader);
        return NULL;
    }
    reader->trap.is_strict = request.strict;
    reader->keeps_inks = request.inks;
    codec->scale_num = request.eighths;
    codec->scale_denom = 8;
    bool has_inks = codec->num_components == 4;
    codec->out_color_space = has_inks ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg_start_decompress(codec);
    if (!last_scan_is_whole(reader, jpeg, jpeg_size)) {
        reader->trap.damaged = true;
        if (!request.lenient) {
            imgc_fail(error, IMGC_STATUS_CORRUPT, reader->trap.short_offset,
                      "the last rows of a scan are missing");
            longjmp(reader->trap.exit, 1);
        }
    }
    reader->width = codec->output_width;
    if (has_inks && !(reader->cmyk = malloc((size_t)codec->output_width * 4))) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        longjmp(reader->trap.exit, 1);
    }
    return reader;
}

uint32_t imgc_jpeg_reader_width(const imgc_jpeg_reader *reader) { return reader->width; }

uint32_t imgc_jpeg_reader_height(const imgc_jpeg_reader *reader) {
    return reader->codec.output_height;
}

bool imgc_jpeg_reader_is_damaged(const imgc_jpeg_reader *reader) { return reader->trap.damaged; }

const char *imgc_jpeg_reader_warning(const imgc_jpeg_reader *reader) {
    return reader->trap.warning;
}

imgc_status imgc_jpeg_reader_narrow(imgc_jpeg_reader *reader, uint32_t first, uint32_t count,
                                    imgc_error *error) {
    // Colours at an edge are made without those beyond it.
    enum { MARGIN = 16 };
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (first >= reader->width || count == 0 || count > reader->width - first) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "columns outside the image");
    }
    JDIMENSION start = first > MARGIN ? first - MARGIN : 0;
    JDIMENSION end = first + count + MARGIN;
    JDIMENSION width = (end < reader->width ? end : reader->width) - start;
    // Where scans are missing, blocks are smoothed with neighbours further away.
    if (width == reader->width || jpeg_has_multiple_scans(&reader->codec)) return IMGC_STATUS_OK;
    reader->trap.error = error;
    if (setjmp(reader->trap.exit)) return error->status;
    jpeg_crop_scanline(&reader->codec, &start, &width);
    reader->left = start;
    return IMGC_STATUS_OK;
}

/// What share of 255 `part` of `whole` is, rounded.
static uint8_t share(uint32_t part, uint32_t whole) {
    uint32_t product = part * whole + 128;
    return (uint8_t)((product + (product >> 8)) >> 8);
}

/// Four inks to RGBA. Files have them inverted, as Adobe began it: 255 means without ink.
static void show_inks(uint8_t *out, const uint8_t *inks, uint32_t width) {
    for (uint32_t x = 0; x < width; x++, out += 4, inks += 4) {
        uint32_t black = inks[3];
        for (int i = 0; i < 3; i++) out[i] = (uint8_t)(black - share(255u - inks[i], black));
        out[3] = 255;
    }
}

/// Four inks as profiles have them: 255 means all of an ink.
static void keep_inks(uint8_t *out, const uint8_t *inks, uint32_t width) {
    for (size_t i = 0; i < 4 * (size_t)width; i++) out[i] = (uint8_t)(255 - inks[i]);
}

imgc_status imgc_jpeg_reader_read(imgc_jpeg_reader *reader, imgc_pixels rows, uint32_t *count,
                                  imgc_error *error) {
    struct jpeg_decompress_struct *codec = &reader->codec;
    volatile uint32_t done = 0; // read after a jump
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *count = 0;
    reader->trap.error = error;
    if (rows.width < reader->width || rows.bytes_per_row < (size_t)reader->width * 4 ||
        (rows.height > 0 && rows.byte_count / rows.height < rows.bytes_per_row)) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "pixel buffer is too small");
    }
    if (setjmp(reader->trap.exit)) goto done;
    while (done < rows.height && codec->output_scanline < codec->output_height) {
        JSAMPROW lines[8];
        uint32_t wanted = 0;
        uint8_t *first = rows.bytes + rows.bytes_per_row * done + 4 * (size_t)reader->left;
        if (reader->cmyk) {
            lines[wanted++] = reader->cmyk;
        } else {
            while (wanted < 8 && done + wanted < rows.height) {
                lines[wanted] = first + rows.bytes_per_row * wanted;
                wanted += 1;
            }
        }
        uint32_t got = jpeg_read_scanlines(codec, lines, wanted);
        // Rows of a single scan that came after the data ran out were made up by the library.
        bool made_up = reader->trap.ended && !jpeg_has_multiple_scans(codec);
        if (got == 0 || made_up) {
            for (uint32_t i = 0; i < got && !reader->cmyk; i++) {
                memset(lines[i], 0, (size_t)codec->output_width * 4);
            }
            imgc_fail(error, IMGC_STATUS_TRUNCATED, reader->trap.fed, "the data ends too early");
            goto done;
        }
        if (reader->cmyk && reader->keeps_inks) {
            keep_inks(first, reader->cmyk, codec->output_width);
        } else if (reader->cmyk) {
            show_inks(first, reader->cmyk, codec->output_width);
        }
        done += got;
    }
    if (codec->output_scanline == codec->output_height && !reader->finished) {
        reader->finished = true;
        jpeg_finish_decompress(codec);
    }
done:
    *count = done;
    return error->status;
}

void imgc_jpeg_reader_close(imgc_jpeg_reader *reader) {
    if (!reader) return;
    jpeg_destroy_decompress(&reader->codec);
    free(reader->cmyk);
    free(reader);
}

#include "jpeg_stream.h"
#include "jpeg_last_scan.h"
#include "jpeg_writer.h"
