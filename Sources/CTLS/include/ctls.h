#ifndef CTLS_H
#define CTLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

#ifdef __clang__
#define CTLS_CASE(name) __attribute__((swift_name(name)))
#else
#define CTLS_CASE(name)
#endif

/// TLS 1.2 and 1.3 for the client of a connection whose bytes the caller moves. The only importer
/// of OpenSSL's libssl.

/// Whether another program's library of TLS, as it names itself (`OpenSSL/3.0.15`), is this one: then
/// a session of it is one of this library.
bool ctls_is_library(const char *name);

/// Whether a session (`SSL *`) of this library has agreed on a protocol by ALPN.
bool ctls_has_agreed(const void *session, const char *protocol);

/// What connections share: certificates to trust. Usable from any thread.
typedef struct ctls_context ctls_context;

/// One connection. Used by one thread at a time.
typedef struct ctls ctls;

enum { CTLS_ERROR_SIZE = 256 };

/// What a call has done.
typedef enum __attribute__((enum_extensibility(closed))) ctls_status : int32_t {
    /// It is done.
    CTLS_STATUS_OK CTLS_CASE("ok") = 0,
    /// It needs more bytes of the other side.
    CTLS_STATUS_WANTS_BYTES CTLS_CASE("wantsBytes") = 1,
    /// The other side has ended the connection in order.
    CTLS_STATUS_ENDED CTLS_CASE("ended") = 2,
    /// It failed; the connection is of no further use.
    CTLS_STATUS_FAILED CTLS_CASE("failed") = 3,
} ctls_status;

/// Makes a context.
///
/// - `ca_file`  certificates (PEM) to trust in place of the system's; NULL for the system's.
/// - `error`    owned by the caller, CTLS_ERROR_SIZE bytes: why it failed. NULL for nothing.
/// Returns NULL when it failed.
ctls_context *_Nullable ctls_context_make(const char *_Nullable ca_file,
                                              char *_Nullable error);

/// Frees a context; connections that use it stay usable. NULL does nothing.
void ctls_context_free(ctls_context *_Nullable context);

/// Makes a connection that accepts only a certificate for `host`: a name, or an IP address.
///
/// Returns NULL when memory is short.
ctls *_Nullable ctls_make(ctls_context *context, const char *host);

/// Frees a connection. NULL does nothing.
void ctls_free(ctls *_Nullable tls);

/// Takes in bytes that the other side sent. Returns false when memory is short.
bool ctls_receive(ctls *tls, const void *_Nullable bytes, size_t count);

/// The number of bytes that are to be sent to the other side.
size_t ctls_outgoing_count(ctls *tls);

/// Moves at most `count` of the bytes that are to be sent into `bytes`. Returns their number.
size_t ctls_take_outgoing(ctls *tls, void *_Nullable bytes, size_t count);

/// Goes on with the handshake; `error` as for `ctls_context_make`.
ctls_status ctls_handshake(ctls *tls, char *_Nullable error);

/// Decrypts at most `count` bytes into `bytes`, and sets `done` to their number.
ctls_status ctls_read(ctls *tls, void *_Nullable bytes, size_t count, size_t *done,
                      char *_Nullable error);

/// Encrypts `count` bytes, at least one; the handshake is done.
ctls_status ctls_write(ctls *tls, const void *_Nullable bytes, size_t count, char *_Nullable error);

/// Begins to end the connection in order; then there are bytes to send.
void ctls_end(ctls *tls);

/// The SHA-1 of bytes, which Redis names scripts by; `digest` has room for 20 bytes.
void ctls_sha1(const void *_Nullable bytes, size_t count, uint8_t *digest);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif

#endif
