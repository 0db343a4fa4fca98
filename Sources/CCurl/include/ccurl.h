#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#define CCURL_CASE(name) __attribute__((swift_name(name)))
#else
#define CCURL_CASE(name)
#endif

/// How a transfer ended. Closed: a new one stops the Swift build until CurlBridge says what it
/// means.
typedef enum __attribute__((enum_extensibility(closed))) ccurl_outcome : uint32_t {
    CCURL_OUTCOME_COMPLETE CCURL_CASE("complete"),  ///< The body is whole, whatever the status.
    CCURL_OUTCOME_URL CCURL_CASE("url"),            ///< libcurl cannot read the URL or does not speak its scheme.
    CCURL_OUTCOME_NAME CCURL_CASE("name"),          ///< The host's name does not resolve.
    CCURL_OUTCOME_PROXY_NAME CCURL_CASE("proxyName"), ///< The proxy's name does not resolve.
    CCURL_OUTCOME_CONNECT CCURL_CASE("connect"),    ///< No connection could be made.
    CCURL_OUTCOME_REFUSED CCURL_CASE("refused"),    ///< The address check refused every address of the host.
    CCURL_OUTCOME_TLS CCURL_CASE("tls"),            ///< The TLS handshake or the certificate failed.
    CCURL_OUTCOME_TIMEOUT CCURL_CASE("timeout"),    ///< libcurl's own clock ran out.
    CCURL_OUTCOME_RESET CCURL_CASE("reset"),        ///< The connection broke before or within the answer.
    CCURL_OUTCOME_SHORT CCURL_CASE("short"),        ///< The connection ended in order before the body was whole.
    CCURL_OUTCOME_TOO_LARGE CCURL_CASE("tooLarge"), ///< The body is, or would be, longer than the limit.
    CCURL_OUTCOME_PROTOCOL CCURL_CASE("protocol"),  ///< What came is malformed HTTP, or its encoding is broken.
    CCURL_OUTCOME_MEMORY CCURL_CASE("memory"),      ///< No memory.
    CCURL_OUTCOME_OTHER CCURL_CASE("other"),        ///< Anything else; see error_text.
} ccurl_outcome;

/// Bytes in memory of the transfer. `start` may be NULL when `count` is 0.
typedef struct ccurl_bytes {
    uint8_t *_Nullable start;
    size_t count;
    size_t capacity;
} ccurl_bytes;

/// Says whether an address may be connected to, and be sent a request over a connection that is
/// kept; called on the thread that performs.
///
/// - `address`  4 bytes of an IPv4 or 16 of an IPv6 address in network order, borrowed.
typedef bool (*ccurl_address_check)(const uint8_t *_Nonnull address, size_t count);

/// Returns whether a head, interim or final, is well-formed; called on the thread that performs.
///
/// - `head`    the status line, the fields and the empty line as they came, borrowed.
/// - `reason`  receives what is wrong, as text of at most `capacity` bytes, its NUL included.
typedef bool (*ccurl_head_check)(const uint8_t *_Nonnull head, size_t count, char *_Nonnull reason,
                                 size_t capacity);

/// What is shared by all transfers of a multi handle.
typedef struct ccurl_options {
    long max_idle_connections;       ///< Kept for later when nothing uses them.
    long max_host_connections;       ///< To one origin at once; 0: no limit.
    long max_idle_seconds;           ///< A connection that was idle for longer is not used again.
    const char *_Nullable proxy;     ///< NULL: none, whatever the environment says.
    const char *_Nullable ca_file;   ///< Trusted certificates (PEM); NULL: the system's.
    const char *_Nullable ca_path;   ///< A directory of them, by their hashes; NULL: the system's.
    const uint8_t *_Nullable certificates;   ///< Trusted besides those (PEM); NULL: none.
    size_t certificate_bytes;
    const char *_Nonnull user_agent;
    /// Lines `HOST:PORT:CONNECT-TO-HOST:CONNECT-TO-PORT`.
    const char *_Nullable const *_Nullable connect_to;
    size_t connect_to_count;
    ccurl_address_check _Nonnull address_check;
    ccurl_head_check _Nonnull head_check;    ///< A response whose head fails it ends with CCURL_OUTCOME_PROTOCOL.
} ccurl_options;

/// One HTTP exchange to make. Everything is copied by ccurl_start.
typedef struct ccurl_request {
    const char *_Nonnull url;
    const char *_Nonnull method;
    /// Lines `Name: value`.
    const char *_Nullable const *_Nullable headers;
    size_t header_count;
    /// Cookies of earlier exchanges, as `ccurl_transfer.cookies` has them; libcurl sends those that the
    /// URL matches.
    const char *_Nullable const *_Nullable cookies;
    size_t cookie_count;
    const uint8_t *_Nullable body;   ///< NULL: no request body.
    size_t body_count;
    int64_t max_body;                ///< Bytes of the answer's body.
    size_t buffer_limit;             ///< Bytes of body held before the transfer pauses; SIZE_MAX: all.
    bool accepts_compression;        ///< gzip, and br where libcurl has it, are accepted.
    bool keeps_coding;               ///< A Content-Encoding of the answer is not undone.
    bool any_address;                ///< The address check does not apply.
    /// Nothing is added but `Host` and what frames the body, and nothing is undone but the framing.
    bool is_verbatim;
    const char *_Nullable target;    ///< The target of the request line; NULL: the URL's.
    /// Users and passwords of hosts, in the format of ~/.netrc; NULL: none. An Authorization among the
    /// headers goes before.
    const char *_Nullable netrc_file;
    bool streams_body;               ///< The body comes by ccurl_body_give; `body` is NULL then.
    int64_t body_length;             ///< Of a streamed body; -1: not known.
    bool needs_new_connection;       ///< A kept connection that turns out dead would mean a second try.
    /// `aws:amz:REGION:SERVICE`: the request is signed by AWS Signature Version 4, and the URL's path
    /// goes out as it is. Every line of `headers` is signed: none may be without a value, and none may
    /// be of a name that another one begins with (libcurl 7.88 sorts those wrongly). NULL: not.
    const char *_Nullable signature;
    const char *_Nullable access_key; ///< With `signature`; NULL without.
    const char *_Nullable secret_key; ///< With `signature`; NULL without.
} ccurl_request;

/// A transfer: an easy handle of libcurl with what its callbacks collect. Belongs to one multi
/// handle and is touched only by the thread that performs there.
typedef struct ccurl_transfer {
    uint64_t tag;                    ///< The caller's own; not touched here.
    ccurl_bytes head;                ///< The status line and fields of the final answer, as they came.
    ccurl_bytes interim;             ///< Heads of interim answers (1xx, but not 100) not yet taken.
    ccurl_bytes body;                ///< Body bytes not yet taken.
    ccurl_bytes cookies;             ///< The request's and the answer's, with the outcome: a line each.
    size_t unsent;                   ///< Bytes of a streamed request body that wait to be sent.
    int64_t uploaded;                ///< Bytes of a streamed request body that libcurl has taken.
    bool is_body_given;              ///< Whether the request body has come to its end.
    int64_t received;                ///< Body bytes in all, taken ones included.
    int64_t content_length;          ///< As announced; -1: not.
    int64_t added_at;                ///< Nanoseconds of ccurl_now.
    int64_t connecting_at;           ///< When a connection was first tried; 0: not, or one was reused.
    int64_t sent_at;                 ///< When the request went out; 0: not yet.
    int64_t head_at;                 ///< When the head was whole; 0: not yet.
    int32_t status;                  ///< The status of the newest response; 0: none.
    bool is_paused;                  ///< Waits for ccurl_resume: buffer full, or allowance used up.
    bool is_head_whole;
    bool is_multiplexed;             ///< Whether the connection agreed on HTTP/2, where that is known.
    ccurl_outcome outcome;           ///< Valid once ccurl_next_finished returned the transfer.
    int32_t result_code;             ///< The CURLcode, with the outcome.
    char error_text[256];            ///< libcurl's words, "" when it said nothing.
} ccurl_transfer;

typedef struct ccurl_multi ccurl_multi;

/// Nanoseconds of the monotonic clock.
int64_t ccurl_now(void);

/// Makes a multi handle; NULL when there is no memory. `options` is copied.
ccurl_multi *_Nullable ccurl_multi_new(const ccurl_options *_Nonnull options);

/// Frees a multi handle that has no transfer any more.
void ccurl_multi_free(ccurl_multi *_Nonnull multi);

/// Does what can be done without waiting. Returns the number of transfers that still run.
int ccurl_perform(ccurl_multi *_Nonnull multi);

/// Waits until something can be done, ccurl_wakeup is called, or so many milliseconds have passed.
void ccurl_poll(ccurl_multi *_Nonnull multi, int milliseconds);

/// Ends the wait of ccurl_poll, or the next one. The only function that any thread may call.
void ccurl_wakeup(ccurl_multi *_Nonnull multi);

/// Sets how many body bytes all transfers together may still receive before they pause;
/// INT64_MAX: no limit, and no counting.
void ccurl_set_allowance(ccurl_multi *_Nonnull multi, int64_t bytes);

/// What is left of the allowance; may be negative by up to one read.
int64_t ccurl_allowance(const ccurl_multi *_Nonnull multi);

/// Makes a transfer for later use; NULL when there is no memory.
ccurl_transfer *_Nullable ccurl_transfer_new(ccurl_multi *_Nonnull multi);

/// Frees a transfer that does not run.
void ccurl_transfer_free(ccurl_transfer *_Nonnull transfer);

/// Starts a transfer that does not run; its earlier results are gone. Returns false, and it does
/// not run, when there is no memory.
bool ccurl_start(ccurl_multi *_Nonnull multi, ccurl_transfer *_Nonnull transfer,
                 const ccurl_request *_Nonnull request);

/// A transfer that has ended and no longer runs; NULL when there is none.
ccurl_transfer *_Nullable ccurl_next_finished(ccurl_multi *_Nonnull multi);

/// Ends a running transfer at once; its connection is closed unless the answer was whole.
void ccurl_stop(ccurl_multi *_Nonnull multi, ccurl_transfer *_Nonnull transfer);

/// Lets a paused transfer go on. May call the callbacks at once.
void ccurl_resume(ccurl_transfer *_Nonnull transfer);

/// Adds bytes to a streamed request body. Returns false when there is no memory.
bool ccurl_body_give(ccurl_transfer *_Nonnull transfer, const uint8_t *_Nullable bytes, size_t count);

/// Ends a streamed request body.
void ccurl_body_end(ccurl_transfer *_Nonnull transfer);

/// Empties the buffer of interim heads after they were taken.
void ccurl_interim_taken(ccurl_transfer *_Nonnull transfer);

/// Empties the body's buffer after its bytes were taken; large memory is given back.
void ccurl_body_taken(ccurl_transfer *_Nonnull transfer);

#endif
