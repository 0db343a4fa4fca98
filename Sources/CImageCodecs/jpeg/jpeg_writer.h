// A part of jpeg.c, which alone includes it: JPEGs that are written.

struct jpeg_sink {
    struct jpeg_destination_mgr base;
    imgc_buffer *out;
};

static void sink_make_room(j_compress_ptr codec) {
    struct jpeg_sink *sink = (struct jpeg_sink *)codec->dest;
    if (!imgc_buffer_reserve(sink->out, 16384)) ERREXIT1(codec, JERR_OUT_OF_MEMORY, 0);
    sink->base.next_output_byte = sink->out->bytes + sink->out->count;
    sink->base.free_in_buffer = sink->out->capacity - sink->out->count;
}

static boolean sink_flush(j_compress_ptr codec) {
    struct jpeg_sink *sink = (struct jpeg_sink *)codec->dest;
    sink->out->count = sink->out->capacity; // the library calls this when all room is used
    sink_make_room(codec);
    return TRUE;
}

static void sink_finish(j_compress_ptr codec) {
    struct jpeg_sink *sink = (struct jpeg_sink *)codec->dest;
    sink->out->count = sink->out->capacity - sink->base.free_in_buffer;
}

/// The scans of a progressive JPEG; of brightness the last bits come by themselves. Those of
/// jpeg_simple_progression are more, take half as long again and have 1 % more bytes.
static const jpeg_scan_info COLOR_SCANS[] = {
    {3, {0, 1, 2}, 0, 0, 0, 0}, {1, {0}, 1, 2, 0, 1},  {1, {0}, 3, 63, 0, 1},
    {1, {1}, 1, 63, 0, 0},      {1, {2}, 1, 63, 0, 0}, {1, {0}, 1, 63, 1, 0},
};
static const jpeg_scan_info GRAY_SCANS[] = {
    {1, {0}, 0, 0, 0, 0}, {1, {0}, 1, 2, 0, 1}, {1, {0}, 3, 63, 0, 1}, {1, {0}, 1, 63, 1, 0},
};

static void write_progressively(j_compress_ptr codec, bool is_gray) {
    codec->scan_info = is_gray ? GRAY_SCANS : COLOR_SCANS;
    codec->num_scans = is_gray ? sizeof GRAY_SCANS / sizeof *GRAY_SCANS
                               : sizeof COLOR_SCANS / sizeof *COLOR_SCANS;
}

imgc_status imgc_jpeg_encode(imgc_image image, const imgc_jpeg_options *options, imgc_buffer *out,
                             imgc_error *error) {
    struct jpeg_trap trap;
    struct jpeg_compress_struct codec = {.err = &trap.base};
    struct jpeg_sink sink = {.out = out};
    set_trap(&trap, error);
    trap.lenient = true;
    sink.base.init_destination = sink_make_room;
    sink.base.empty_output_buffer = sink_flush;
    sink.base.term_destination = sink_finish;
    *error = (imgc_error){.status = IMGC_STATUS_OK};

    if (!imgc_image_is_sound(&image) || image.width > JPEG_MAX_DIMENSION ||
        image.height > JPEG_MAX_DIMENSION) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "a JPEG has 1 to %d pixels a side",
                         (int)JPEG_MAX_DIMENSION);
    }
    if (setjmp(trap.exit)) goto done;
    jpeg_create_compress(&codec);
    codec.dest = &sink.base;
    codec.image_width = image.width;
    codec.image_height = image.height;
    codec.input_components = 4;
    codec.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&codec);
    if (options->gray) jpeg_set_colorspace(&codec, JCS_GRAYSCALE);
    jpeg_set_quality(&codec, options->quality, TRUE);
    if (options->full_chroma && !options->gray) {
        codec.comp_info[0].h_samp_factor = codec.comp_info[0].v_samp_factor = 1;
    }
    // Both hold all coefficients: three bytes a pixel.
    bool is_small = (uint64_t)image.width * image.height <= 1 << 24;
    codec.optimize_coding = is_small;
    if (options->progressive) write_progressively(&codec, options->gray);

    jpeg_start_compress(&codec, TRUE);
    if (options->icc && options->icc_size > 0) {
        jpeg_write_icc_profile(&codec, options->icc, (unsigned)options->icc_size);
    }
    while (codec.next_scanline < codec.image_height) {
        JSAMPROW rows[16];
        JDIMENSION count = codec.image_height - codec.next_scanline;
        if (count > 16) count = 16;
        for (JDIMENSION i = 0; i < count; i++) {
            rows[i] = (JSAMPROW)(image.bytes + image.bytes_per_row * (codec.next_scanline + i));
        }
        jpeg_write_scanlines(&codec, rows, count);
    }
    jpeg_finish_compress(&codec);
done:
    jpeg_destroy_compress(&codec);
    if (error->status != IMGC_STATUS_OK) imgc_buffer_free(out);
    return error->status;
}
