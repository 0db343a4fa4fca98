#include "ctls.h"
#include "transfer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum {
    max_field_bytes = 256 * 1024,    // interim heads, the head and trailers of one transfer together
};

// Ends the transfer; its connection is not used again. Of a head that was not accepted nothing is
// kept.
static size_t reject(private_transfer *transfer, const char *reason) {
    if (reason) strncpy(transfer->rejection, reason, sizeof transfer->rejection - 1);
    if (!transfer->shown.is_head_whole) transfer->shown.head.count = transfer->shown.status = 0;
    return 0;
}

static bool is_among(const char *const *names, const char *text, size_t length) {
    for (; *names; names++)
        if (strlen(*names) == length && strncasecmp(*names, text, length) == 0) return true;
    return false;
}

// Takes a field Content-Encoding. One that names what is not a coding (UTF-8, binary, aws-chunked, null)
// says nothing about the bytes, as for Chromium, but libcurl refuses it: then nothing is undone, which
// libcurl 7.88 decides when the body comes.
static void note_codings(private_transfer *transfer, const char *value, size_t count) {
    static const char *const codings[] = {                   // of the registry of IANA, and their aliases
        "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip",
        "x-compress", "x-gzip", "zstd", NULL,
    };
    static const char *const identities[] = { "", "identity", "none", NULL };
    for (const char *end = value + count; value < end;) {
        const char *comma = memchr(value, ',', (size_t)(end - value));
        const char *stop = comma ? comma : end, *next = stop + 1;
        while (value < stop && strchr(" \t\r\n", *value)) value++;
        while (value < stop && strchr(" \t\r\n", stop[-1])) stop--;
        size_t length = (size_t)(stop - value);
        if (is_among(codings, value, length)) transfer->is_coded = true;
        else if (!is_among(identities, value, length)) transfer->is_miscoded = true;
        value = next;
    }
    if (!transfer->is_miscoded) return;
    transfer->is_coded = false;
    curl_easy_setopt(transfer->easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
}

size_t ccurl_on_header(char *line, size_t one, size_t count, void *context) {
    private_transfer *transfer = context;
    ccurl_transfer *shown = &transfer->shown;
    (void)one;
    transfer->field_bytes += count;
    if (transfer->field_bytes > max_field_bytes)
        return reject(transfer, "the header and trailer fields exceed 256 KiB");
    if (shown->is_head_whole) return count;                  // trailers are not kept
    if (shown->head.count == 0) {                            // the status line: the first, or after 1xx
        long status = 0;
        curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
        shown->content_length = -1;
        shown->status = (int32_t)status;
    }
    if (transfer->undoes_coding && count > 17 && strncasecmp(line, "Content-Encoding:", 17) == 0)
        note_codings(transfer, line + 17, count - 17);
    if (!ccurl_append(&shown->head, line, count)) {
        transfer->has_no_memory = true;
        return 0;
    }
    if (line[0] != '\r' && line[0] != '\n') return count;    // the head goes on, as libcurl sees it
    if (shown->status == 101) return reject(transfer, "unexpected 101 Switching Protocols");
    if (!transfer->owner->head_check(shown->head.start, shown->head.count, transfer->rejection,
                                     sizeof transfer->rejection))
        return reject(transfer, NULL);
    if (shown->status < 200) {                               // an interim answer: another head follows
        if (shown->status > 101) ccurl_append(&shown->interim, shown->head.start, shown->head.count);
        shown->head.count = shown->status = 0;
        return count;
    }
    shown->is_head_whole = true;
    shown->head_at = ccurl_now();
    curl_off_t length = -1;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    shown->content_length = length;
    if (length > transfer->max_body && shown->status != 304) {
        // Of an error's answer the body is not wanted so much that its length matters; of others it
        // is.
        transfer->is_too_large = true;
        return 0;
    }
    return count;
}

size_t ccurl_on_body(char *bytes, size_t one, size_t count, void *context) {
    private_transfer *transfer = context;
    ccurl_transfer *shown = &transfer->shown;
    (void)one;
    if ((int64_t)count > transfer->max_body - shown->received) {
        transfer->is_too_large = true;
        return CURL_WRITEFUNC_ERROR;
    }
    // What is undone does not pause: libcurl would decode the rest of its buffer into memory of its
    // own, without the limit.
    bool is_full = shown->body.count > 0 && shown->body.count + count > transfer->buffer_limit;
    if (!transfer->is_coded && (is_full || transfer->owner->allowance <= 0)) {
        shown->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    if (shown->body.count == 0 && shown->content_length > shown->received) {
        size_t rest = (size_t)(shown->content_length - shown->received);
        size_t most = transfer->buffer_limit < 1 << 20 ? transfer->buffer_limit : 1 << 20;
        ccurl_reserve(&shown->body, rest < most ? rest : most);    // only a hint: append decides
    }
    if (!ccurl_append(&shown->body, bytes, count)) {
        transfer->has_no_memory = true;
        return CURL_WRITEFUNC_ERROR;
    }
    shown->received += (int64_t)count;
    if (transfer->owner->allowance != INT64_MAX) transfer->owner->allowance -= (int64_t)count;
    return count;
}

size_t ccurl_on_read(char *room, size_t one, size_t count, void *context) {
    private_transfer *transfer = context;
    ccurl_transfer *shown = &transfer->shown;
    if (!shown->unsent) return shown->is_body_given ? 0 : CURL_READFUNC_PAUSE;
    size_t taken = shown->unsent < one * count ? shown->unsent : one * count;
    memcpy(room, transfer->request_body.start + transfer->request_read, taken);
    transfer->request_read += taken;
    shown->unsent -= taken;
    shown->uploaded += (int64_t)taken;
    if (!shown->unsent) transfer->request_body.count = transfer->request_read = 0;
    return taken;
}

curl_socket_t ccurl_on_open_socket(void *context, curlsocktype purpose,
                                   struct curl_sockaddr *address) {
    private_transfer *transfer = context;
    (void)purpose;
    if (!transfer->shown.connecting_at) transfer->shown.connecting_at = ccurl_now();
    bool is_allowed = transfer->any_address;
    if (!is_allowed && address->family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)&address->addr;
        is_allowed = transfer->owner->address_check((const uint8_t *)&v4->sin_addr, 4);
    } else if (!is_allowed && address->family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const void *)&address->addr;
        is_allowed = transfer->owner->address_check((const uint8_t *)&v6->sin6_addr, 16);
    }
    if (!is_allowed) {
        transfer->was_refused = true;
        return CURL_SOCKET_BAD;
    }
    int type = address->socktype;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC;
#endif
    return socket(address->family, type, address->protocol);
}

// libcurl itself tells the version of HTTP only with the response.
static bool agreed_on_http2(const private_transfer *transfer) {
    const struct curl_tlssessioninfo *session = NULL;
    return transfer->owner->shares_tls
        && curl_easy_getinfo(transfer->easy, CURLINFO_TLS_SSL_PTR, &session) == CURLE_OK && session
        && session->backend == CURLSSLBACKEND_OPENSSL && session->internals
        && ctls_has_agreed(session->internals, "h2");
}

// Also called for a kept connection, which a transfer to any address may have made.
int ccurl_on_request(void *context, char *primary_ip, char *local_ip, int primary_port,
                     int local_port) {
    private_transfer *transfer = context;
    (void)local_ip, (void)primary_port, (void)local_port;
    ccurl_address_check check = transfer->owner->address_check;
    uint8_t address[16];
    if (!transfer->any_address && !(inet_pton(AF_INET, primary_ip, address) == 1 && check(address, 4))
        && !(inet_pton(AF_INET6, primary_ip, address) == 1 && check(address, 16))) {
        transfer->was_refused = true;
        return CURL_PREREQFUNC_ABORT;
    }
    transfer->shown.sent_at = ccurl_now();
    transfer->shown.is_multiplexed = agreed_on_http2(transfer);
    return CURL_PREREQFUNC_OK;
}
