// A part of jpeg.c, which alone includes it: JPEGs that are decoded while they come.

struct imgc_jpeg_stream {
    imgc_jpeg_reader reader;
    struct jpeg_source_mgr source;
    imgc_buffer data; // what is not decoded yet
    size_t to_skip;   // of bytes that have not come
    uint32_t eighths, orientation;
    bool has_header, ended;
};

static void stream_begin(j_decompress_ptr codec) { (void)codec; }

/// There is never more than was fed: the library stops where it is and is called again.
static boolean stream_suspend(j_decompress_ptr codec) {
    (void)codec;
    return FALSE;
}

static void stream_skip(j_decompress_ptr codec, long count) {
    struct imgc_jpeg_stream *stream = (struct imgc_jpeg_stream *)codec->client_data;
    if (count <= 0) return;
    size_t here = (size_t)count < codec->src->bytes_in_buffer ? (size_t)count
                                                              : codec->src->bytes_in_buffer;
    codec->src->next_input_byte += here;
    codec->src->bytes_in_buffer -= here;
    stream->to_skip += (size_t)count - here;
}

imgc_jpeg_stream *imgc_jpeg_stream_make(const imgc_limits *limits, uint32_t eighths) {
    imgc_jpeg_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    imgc_error error = {0};
    imgc_jpeg_reader *reader = &stream->reader;
    stream->eighths = eighths;
    stream->orientation = 1;
    set_trap(&reader->trap, &error);
    reader->codec.err = &reader->trap.base;
    reader->limits = *limits;
    if (setjmp(reader->trap.exit)) {
        imgc_jpeg_stream_free(stream);
        return NULL;
    }
    jpeg_create_decompress(&reader->codec);
    reader->trap.lenient = true; // a preview may be of anything
    reader->codec.mem->max_memory_to_use = (long)limits->max_memory;
    reader->codec.client_data = stream;
    reader->progress.progress_monitor = watch_costs;
    reader->codec.progress = &reader->progress;
    stream->source = (struct jpeg_source_mgr){.init_source = stream_begin,
        .fill_input_buffer = stream_suspend, .skip_input_data = stream_skip,
        .resync_to_restart = jpeg_resync_to_restart, .term_source = stream_begin};
    reader->codec.src = &stream->source;
    jpeg_save_markers(&reader->codec, JPEG_APP0 + 1, 0xffff);
    return stream;
}

void imgc_jpeg_stream_free(imgc_jpeg_stream *stream) {
    if (!stream) return;
    jpeg_destroy_decompress(&stream->reader.codec);
    imgc_buffer_free(&stream->data);
    free(stream);
}

/// Puts new bytes behind those that are left, and the library back to where it was.
static bool take_bytes(imgc_jpeg_stream *stream, const uint8_t *bytes, size_t count) {
    size_t left = stream->source.bytes_in_buffer, skipped = stream->to_skip;
    if (left > 0) memmove(stream->data.bytes, stream->source.next_input_byte, left);
    stream->data.count = left;
    if (skipped > count) skipped = count;
    stream->to_skip -= skipped;
    if (!imgc_buffer_append(&stream->data, bytes + skipped, count - skipped)) return false;
    stream->reader.trap.fed += count;
    stream->source.next_input_byte = stream->data.bytes;
    stream->source.bytes_in_buffer = stream->data.count;
    return true;
}

static void begin_scans(imgc_jpeg_stream *stream) {
    struct jpeg_decompress_struct *codec = &stream->reader.codec;
    for (jpeg_saved_marker_ptr marker = codec->marker_list; marker; marker = marker->next) {
        if (marker->data_length < 6 || memcmp(marker->data, "Exif\0", 5) != 0) continue;
        stream->orientation = imgc_exif_orientation(marker->data + 6, marker->data_length - 6);
        break;
    }
    if (!is_allowed(&stream->reader, stream->reader.trap.error)) {
        longjmp(stream->reader.trap.exit, 1);
    }
    stream->has_header = true;
    codec->buffered_image = TRUE;
    codec->scale_num = stream->eighths;
    codec->scale_denom = 8;
    codec->out_color_space = JCS_EXT_RGBA; // inks cannot be turned into it, and have no previews
    jpeg_start_decompress(codec);
}

imgc_status imgc_jpeg_stream_feed(imgc_jpeg_stream *stream, const uint8_t *bytes, size_t count,
                                  imgc_jpeg_progress *progress, imgc_error *error) {
    struct jpeg_decompress_struct *codec = &stream->reader.codec;
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *progress = (imgc_jpeg_progress){.orientation = 1};
    stream->reader.trap.error = error;
    stream->reader.cpu_deadline = imgc_cpu_deadline(stream->reader.limits.max_cpu_nanoseconds);
    if (!take_bytes(stream, bytes, count)) {
        return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for a preview");
    }
    if (setjmp(stream->reader.trap.exit)) return error->status;
    if (!stream->has_header) {
        if (jpeg_read_header(codec, TRUE) == JPEG_SUSPENDED) return IMGC_STATUS_OK;
        begin_scans(stream);
    }
    // Of a file with one scan nothing is kept: the rows would be decoded for no caller.
    bool has_scans = jpeg_has_multiple_scans(codec);
    while (has_scans && !stream->ended) {
        int came = jpeg_consume_input(codec);
        if (came == JPEG_SUSPENDED) break;
        stream->ended = came == JPEG_REACHED_EOI;
        watch_costs((j_common_ptr)codec);
    }
    *progress = (imgc_jpeg_progress){
        .width = codec->output_width, .height = codec->output_height,
        .orientation = stream->orientation, .has_scans = has_scans, .ended = stream->ended,
        .scans = (uint32_t)(codec->input_scan_number - (stream->ended ? 0 : 1))};
    return IMGC_STATUS_OK;
}

imgc_status imgc_jpeg_stream_show(imgc_jpeg_stream *stream, imgc_pixels pixels, imgc_error *error) {
    struct jpeg_decompress_struct *codec = &stream->reader.codec;
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    stream->reader.trap.error = error;
    int whole = codec->input_scan_number - (stream->ended ? 0 : 1);
    if (!stream->has_header || whole < 1 || pixels.height < codec->output_height ||
        pixels.bytes_per_row < (size_t)codec->output_width * 4 ||
        pixels.byte_count / pixels.height < pixels.bytes_per_row) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "there is nothing to preview");
    }
    if (setjmp(stream->reader.trap.exit)) return error->status;
    jpeg_start_output(codec, whole); // its rows need no byte that has not come
    while (codec->output_scanline < codec->output_height) {
        JSAMPROW row = pixels.bytes + pixels.bytes_per_row * codec->output_scanline;
        if (jpeg_read_scanlines(codec, &row, 1) == 0) break;
    }
    jpeg_finish_output(codec);
    return error->status;
}

