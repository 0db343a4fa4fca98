#ifndef IMGC_GIF_H
#define IMGC_GIF_H

#include "imgc.h"

// MARK: reading

/// Where the blocks of a GIF lie. Made once, read by any thread.
typedef struct imgc_gif_table imgc_gif_table;

/// What precedes the pixels of one frame.
typedef struct imgc_gif_entry {
    uint32_t left, top, width, height; ///< May lie outside the canvas, in part or whole.
    uint16_t centiseconds;             ///< As written.
    uint16_t colors;                   ///< Of the palette in force; 0 where there is none.
    uint8_t disposal;                  ///< 0 through 7, as written.
    bool has_transparency, interlaced;
    bool is_cut; ///< The data ends inside.
    /// Bytes that belong to no block follow: the frame is whole only if its codes end with its
    /// blocks.
    bool precedes_stray_bytes;
    uint8_t transparent;
    uint64_t palette; ///< Offset of the palette in force.
    uint64_t data;    ///< Offset of the code size, which the blocks of codes follow.
    uint64_t end;     ///< Offset behind the blocks.
} imgc_gif_entry;

/// What the blocks say together.
typedef struct imgc_gif_summary {
    uint32_t width, height; ///< Of the declared screen, or more where the first frame needs it.
    uint32_t frames;        ///< Whole ones.
    uint32_t loop_count; ///< How many times it plays; 0 is for ever.
    bool has_alpha, interlaced, has_icc;
    uint32_t bit_depth;
    uint64_t icc_size;
    bool has_trailer;
    uint64_t stray_bytes; ///< Between blocks, passed over.
    /// Behind the whole frames there is one more entry, whose data is cut.
    bool has_partial_frame;
    /// OK; or why the blocks end before the trailer: frames before that are whole.
    imgc_error fault;
} imgc_gif_summary;

/// Walks the blocks; NULL where there is not even a head and one frame's beginning, or a limit is
/// passed. Freed with imgc_gif_table_free.
imgc_gif_table *_Nullable imgc_gif_table_make(const uint8_t *_Nonnull gif, size_t size,
                                              const imgc_limits *_Nonnull limits,
                                              imgc_error *_Nonnull error);

/// Gives the table back; NULL is left alone.
void imgc_gif_table_free(imgc_gif_table *_Nullable table);

/// What the blocks say together.
const imgc_gif_summary *_Nonnull imgc_gif_table_summary(const imgc_gif_table *_Nonnull table);

/// A frame's entry; `index` is below the number of frames, or equal to it for a partial one.
const imgc_gif_entry *_Nonnull imgc_gif_table_entry(const imgc_gif_table *_Nonnull table,
                                                    uint32_t index);

/// Decodes the pixels of one frame after the other. One thread at a time.
typedef struct imgc_gif_decoder imgc_gif_decoder;

/// A decoder for frames of one file; NULL without memory. Freed with imgc_gif_decoder_free.
imgc_gif_decoder *_Nullable imgc_gif_decoder_make(void);

/// Forgets the processor time spent so far: the limit holds for all frames since.
void imgc_gif_decoder_restart_clock(imgc_gif_decoder *_Nonnull decoder);

/// Gives the decoder back; NULL is left alone.
void imgc_gif_decoder_free(imgc_gif_decoder *_Nullable decoder);

/// Draws one frame over what is on the canvas; transparent pixels leave it alone.
///
/// - `gif`      the file that `entry` is of.
/// - `canvas`   owned by the caller; NULL bytes decode and draw nothing. Parts of the frame that
///              lie outside are not drawn. On failure the rows before the fault are drawn.
/// - `missing`  owned by the caller: set when codes ended before the pixels did, which is not a
///   fault.
imgc_status imgc_gif_decoder_draw(imgc_gif_decoder *_Nonnull decoder, const uint8_t *_Nonnull gif,
                                  size_t size, const imgc_gif_entry *_Nonnull entry,
                                  const imgc_pixels *_Nullable canvas,
                                  const imgc_limits *_Nonnull limits, bool *_Nonnull missing,
                                  imgc_error *_Nonnull error);

// MARK: writing

/// An animated GIF being written. One thread at a time.
typedef struct imgc_gif_writer imgc_gif_writer;

/// How a GIF is written.
typedef struct imgc_gif_options {
    uint32_t width;
    uint32_t height;
    /// How many times it plays; 0 is for ever, 1 writes no loop block. At most 65,536.
    uint32_t loop_count;
    /// One palette for all frames, from those given to imgc_gif_writer_survey first.
    bool global_palette;
} imgc_gif_options;

/// Begins a file; NULL when there is no memory or the size is not 1 through 65,535 a side.
/// Ended by imgc_gif_writer_close.
imgc_gif_writer *_Nullable imgc_gif_writer_open(const imgc_gif_options *_Nonnull options);

/// Counts the colours of a frame for the global palette. All frames are surveyed before the first
/// is added.
imgc_status imgc_gif_writer_survey(imgc_gif_writer *_Nonnull writer, imgc_image frame,
                                   imgc_error *_Nonnull error);

/// Adds a frame as it is to be seen: whole canvas; alpha under 128 is transparent.
///
/// - `centiseconds`  how long it shows.
imgc_status imgc_gif_writer_add(imgc_gif_writer *_Nonnull writer, imgc_image frame,
                                uint16_t centiseconds, imgc_error *_Nonnull error);

/// Ends the file and moves its bytes to `out`, to be freed by the caller.
imgc_status imgc_gif_writer_finish(imgc_gif_writer *_Nonnull writer, imgc_buffer *_Nonnull out,
                                   imgc_error *_Nonnull error);

/// Whether every colour so far was kept exactly.
bool imgc_gif_writer_is_exact(const imgc_gif_writer *_Nonnull writer);

/// Gives everything back; NULL is left alone.
void imgc_gif_writer_close(imgc_gif_writer *_Nullable writer);

#endif
