// A part of jpeg.c, which alone includes it: whether the last scan of a progressive JPEG that ends
// early leaves out more than the end of its last unit.

/// Whether the stream, which has no more bytes, waits for codes of the last unit of a scan.
///
/// The library says in which row of units it waits. The column follows from a scan that is one
/// column narrower: it is complete if only the last unit is missing.
static bool waits_for_last_unit(struct jpeg_decompress_struct *codec) {
    if (codec->input_iMCU_row + 1 != codec->total_iMCU_rows) return false;
    JDIMENSION columns = codec->MCUs_per_row;
    codec->MCUs_per_row = columns - 1;
    int came = jpeg_consume_input(codec);
    codec->MCUs_per_row = columns;
    return came == JPEG_SCAN_COMPLETED;
}

/// Decodes the scans again, without the marker that ended them, to see where the codes end.
///
/// - `size`  the bytes before the end of the image.
static bool lacks_only_last_unit(const uint8_t *jpeg, size_t size, const imgc_limits *limits) {
    imgc_jpeg_stream *stream = imgc_jpeg_stream_make(limits, 8);
    if (!stream) return false;
    imgc_jpeg_progress progress;
    imgc_error error = {0};
    struct jpeg_decompress_struct *codec = &stream->reader.codec;
    volatile bool found = false;
    if (imgc_jpeg_stream_feed(stream, jpeg, size, &progress, &error) == IMGC_STATUS_OK &&
        setjmp(stream->reader.trap.exit) == 0) {
        found = waits_for_last_unit(codec);
    }
    // The library asks for eight bits before each code, and may need fewer: with eight more, which
    // no code consists of, it gets to the unit whose codes are missing.
    static const uint8_t ones[2] = {0xff, 0x00};
    if (!found && error.status == IMGC_STATUS_OK &&
        imgc_jpeg_stream_feed(stream, ones, sizeof ones, &progress, &error) == IMGC_STATUS_OK &&
        !stream->reader.trap.damaged && setjmp(stream->reader.trap.exit) == 0) {
        found = waits_for_last_unit(codec);
    }
    imgc_jpeg_stream_free(stream);
    return found;
}

/// Decides whether a scan that ended early is damage. Called when all scans have been read.
static bool last_scan_is_whole(imgc_jpeg_reader *reader, const uint8_t *jpeg, size_t size) {
    struct jpeg_decompress_struct *codec = &reader->codec;
    int scan = reader->trap.short_scan;
    if (scan != codec->input_scan_number) return true; // none, or a scan that others follow
    if (refines_short_scan(codec, &reader->trap)) return true;
    if (!reader->trap.short_at_end || codec->src->bytes_in_buffer + 2 > size) return false;
    // The coefficients are needed twice at the same time.
    uint64_t bytes = 0;
    for (int i = 0; i < codec->num_components; i++) {
        const jpeg_component_info *component = &codec->comp_info[i];
        bytes += (uint64_t)component->width_in_blocks * component->height_in_blocks *
                 sizeof(JBLOCK);
    }
    if (bytes > reader->limits.max_memory / 2) return false;
    return lacks_only_last_unit(jpeg, size - codec->src->bytes_in_buffer - 2, &reader->limits);
}
