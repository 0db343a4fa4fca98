#ifndef CCURL_TRANSFER_H
#define CCURL_TRANSFER_H

#include "bytes.h"
#include "ccurl.h"

#include <curl/curl.h>

struct ccurl_multi {
    CURLM *multi;
    struct curl_slist *connect_to;
    char *proxy, *ca_file, *ca_path, *user_agent;
    ccurl_bytes certificates;        // all that are trusted, where there are more than the files have
    const char *encodings;           // what acceptance of compression means
    ccurl_address_check address_check;
    ccurl_head_check head_check;
    int64_t allowance;
    long max_idle_seconds;
    bool shares_tls;                 // whether libcurl's TLS is the library that this one is linked to
};

/// The transfer as the shim knows it; the public part comes first, so that one is the other.
typedef struct private_transfer {
    ccurl_transfer shown;
    CURL *easy;
    ccurl_multi *owner;
    CURLU *url;                      // of a signed request; libcurl reads it as it sends
    struct curl_slist *headers;
    ccurl_bytes request_body;
    size_t request_read;             // bytes of a streamed request body that libcurl has taken
    size_t field_bytes;              // of interim heads, the head and trailers so far
    char rejection[160];             // why the response was rejected; "" while it was not
    int64_t max_body;
    size_t buffer_limit;
    bool any_address, was_refused, is_too_large, has_no_memory;
    bool undoes_coding, is_coded, is_miscoded;    // see note_codings
} private_transfer;

// What libcurl calls for a transfer, with the transfer as its context.
size_t ccurl_on_header(char *line, size_t one, size_t count, void *context);
size_t ccurl_on_body(char *bytes, size_t one, size_t count, void *context);
size_t ccurl_on_read(char *room, size_t one, size_t count, void *context);
curl_socket_t ccurl_on_open_socket(void *context, curlsocktype purpose,
                                   struct curl_sockaddr *address);
int ccurl_on_request(void *context, char *primary_ip, char *local_ip, int primary_port,
                     int local_port);

#endif
