#include "ctls.h"
#include "transfer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_once_t global_once = PTHREAD_ONCE_INIT;
static void global_init(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

static char *copy_or_null(const char *text) { return text ? strdup(text) : NULL; }

// MARK: the multi handle

// Adds the contents of a file and a line end; false when it cannot be read.
static bool append_file(ccurl_bytes *bytes, const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) return false;
    char part[16384];
    size_t count;
    bool is_read = true;
    while (is_read && (count = fread(part, 1, sizeof part, file)) > 0)
        is_read = ccurl_append(bytes, part, count);
    is_read = is_read && !ferror(file) && ccurl_append(bytes, "\n", 1);
    fclose(file);
    return is_read;
}

// Certificates besides those of a file: libcurl takes all of them from memory then. A file that was
// named and cannot be read stays the one that libcurl complains about.
static bool add_certificates(ccurl_multi *multi, const ccurl_options *options, const char *system) {
    const char *file = options->ca_file ? options->ca_file : system;
    if (file && !append_file(&multi->certificates, file) && options->ca_file) return true;
    return ccurl_append(&multi->certificates, options->certificates, options->certificate_bytes);
}

ccurl_multi *ccurl_multi_new(const ccurl_options *options) {
    pthread_once(&global_once, global_init);
    ccurl_multi *multi = calloc(1, sizeof *multi);
    if (!multi) return NULL;
    multi->multi = curl_multi_init();
    if (!multi->multi) {
        free(multi);
        return NULL;
    }
    multi->proxy = strdup(options->proxy ? options->proxy : "");
    multi->ca_file = copy_or_null(options->ca_file);
    multi->ca_path = copy_or_null(options->ca_path);
    multi->user_agent = strdup(options->user_agent);
    multi->address_check = options->address_check;
    multi->head_check = options->head_check;
    multi->allowance = INT64_MAX;
    multi->max_idle_seconds = options->max_idle_seconds;
    for (size_t i = 0; i < options->connect_to_count; i++)
        multi->connect_to = curl_slist_append(multi->connect_to, options->connect_to[i]);
    const curl_version_info_data *version = curl_version_info(CURLVERSION_NOW);
    multi->shares_tls = version->ssl_version && ctls_is_library(version->ssl_version);
    multi->encodings = version->features & CURL_VERSION_BROTLI ? "gzip, br" : "gzip";
    if (options->certificates && !add_certificates(multi, options, version->cainfo)) {
        ccurl_multi_free(multi);
        return NULL;
    }
    curl_multi_setopt(multi->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    // By default the idle connections kept follow the transfers of the moment, and would be closed
    // between two of them.
    curl_multi_setopt(multi->multi, CURLMOPT_MAXCONNECTS, options->max_idle_connections);
    // The caller starts no more transfers than that, but for HTTP/2, whose origins may allow few streams.
    curl_multi_setopt(multi->multi, CURLMOPT_MAX_HOST_CONNECTIONS, options->max_host_connections);
    return multi;
}

void ccurl_multi_free(ccurl_multi *multi) {
    curl_multi_cleanup(multi->multi);
    curl_slist_free_all(multi->connect_to);
    free(multi->proxy);
    free(multi->ca_file);
    free(multi->ca_path);
    free(multi->certificates.start);
    free(multi->user_agent);
    free(multi);
}

int ccurl_perform(ccurl_multi *multi) {
    int running = 0;
    curl_multi_perform(multi->multi, &running);
    return running;
}

void ccurl_poll(ccurl_multi *multi, int milliseconds) {
    curl_multi_poll(multi->multi, NULL, 0, milliseconds, NULL);
}

void ccurl_wakeup(ccurl_multi *multi) { curl_multi_wakeup(multi->multi); }

void ccurl_set_allowance(ccurl_multi *multi, int64_t bytes) { multi->allowance = bytes; }

int64_t ccurl_allowance(const ccurl_multi *multi) { return multi->allowance; }

// MARK: transfers

// For origins and for proxies: an option that is not set is the system's.
static void set_trust(CURL *easy, const ccurl_multi *multi) {
    struct curl_blob blob = { multi->certificates.start, multi->certificates.count, CURL_BLOB_NOCOPY };
    if (multi->ca_file) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, multi->ca_file);
        curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, multi->ca_file);
    }
    if (multi->ca_path) {
        curl_easy_setopt(easy, CURLOPT_CAPATH, multi->ca_path);
        curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, multi->ca_path);
    }
    if (blob.len) {
        curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
        curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO_BLOB, &blob);
    }
}

// What stays the same through all uses of a handle.
static void set_lasting_options(private_transfer *transfer) {
    CURL *easy = transfer->easy;
    const ccurl_multi *multi = transfer->owner;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->shown.error_text);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, ccurl_on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ccurl_on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, ccurl_on_read);
    curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, ccurl_on_open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, ccurl_on_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 0x7fffffffL);   // the engine keeps the time
    curl_easy_setopt(easy, CURLOPT_PROXY, multi->proxy);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, multi->user_agent);
    set_trust(easy, multi);
    if (multi->connect_to) curl_easy_setopt(easy, CURLOPT_CONNECT_TO, multi->connect_to);
}

ccurl_transfer *ccurl_transfer_new(ccurl_multi *multi) {
    private_transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer) return NULL;
    transfer->easy = curl_easy_init();
    if (!transfer->easy) {
        free(transfer);
        return NULL;
    }
    transfer->owner = multi;
    return &transfer->shown;
}

void ccurl_transfer_free(ccurl_transfer *shown) {
    private_transfer *transfer = (private_transfer *)shown;
    curl_easy_cleanup(transfer->easy);
    curl_url_cleanup(transfer->url);
    curl_slist_free_all(transfer->headers);
    free(transfer->request_body.start);
    free(shown->head.start);
    free(shown->interim.start);
    free(shown->body.start);
    free(shown->cookies.start);
    free(transfer);
}

// Forgets the use before, keeping memory that is worth keeping.
static void clear(private_transfer *transfer) {
    ccurl_transfer *shown = &transfer->shown;
    ccurl_body_taken(shown);
    shown->head.count = shown->interim.count = shown->cookies.count = 0;
    shown->unsent = transfer->request_read = 0;
    shown->is_body_given = false;
    shown->received = shown->uploaded = 0;
    shown->content_length = -1;
    shown->connecting_at = shown->sent_at = shown->head_at = 0;
    shown->status = shown->result_code = 0;
    shown->is_paused = shown->is_head_whole = shown->is_multiplexed = false;
    shown->outcome = CCURL_OUTCOME_OTHER;
    shown->error_text[0] = 0;
    transfer->request_body.count = transfer->field_bytes = 0;
    memset(transfer->rejection, 0, sizeof transfer->rejection);
    transfer->was_refused = transfer->is_too_large = transfer->has_no_memory = false;
    transfer->is_coded = transfer->is_miscoded = false;
    curl_slist_free_all(transfer->headers);
    transfer->headers = NULL;
}

static void set_method(private_transfer *transfer, const ccurl_request *request) {
    CURL *easy = transfer->easy;
    bool is_get = strcmp(request->method, "GET") == 0, is_head = strcmp(request->method, "HEAD") == 0;
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, NULL);
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);             // also takes NOBODY and POST back
    if (is_head) curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    if (request->streams_body) {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->body_length);
    } else if (request->body) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_count);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, (const char *)transfer->request_body.start);
    }
    bool is_plain = (is_get || is_head) && !request->body && !request->streams_body;
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, is_plain ? NULL : request->method);
}

// Credentials go apart from the URL: there they would also be an Authorization of their own.
static bool set_signature(CURL *easy, const ccurl_request *request) {
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);  // what a signature replaces
    CURLcode code = curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, request->signature);
    if (request->signature && code != CURLE_OK) return false;
    return curl_easy_setopt(easy, CURLOPT_USERNAME, request->access_key) == CURLE_OK
        && curl_easy_setopt(easy, CURLOPT_PASSWORD, request->secret_key) == CURLE_OK;
}

// The key of an object may have dots as steps. libcurl 8.14 refuses CURLOPT_PATH_AS_IS beside a signature; a URL that
// was parsed so is not changed any more.
static bool set_url(private_transfer *transfer, const ccurl_request *request) {
    if (!request->signature) return curl_easy_setopt(transfer->easy, CURLOPT_URL, request->url) == CURLE_OK;
    transfer->url = curl_url();
    return transfer->url
        && curl_url_set(transfer->url, CURLUPART_URL, request->url, CURLU_PATH_AS_IS) == CURLUE_OK
        && curl_easy_setopt(transfer->easy, CURLOPT_CURLU, transfer->url) == CURLE_OK;
}

// An engine of this transfer alone; verbatim requests have none. A cookie among the headers is given to
// it, so that one field has all.
static void set_cookies(CURL *easy, const ccurl_request *request) {
    curl_easy_setopt(easy, CURLOPT_COOKIEFILE, NULL);        // forgets those of the use before
    curl_easy_setopt(easy, CURLOPT_COOKIE, NULL);
    if (request->is_verbatim || request->signature) return;
    curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");
    for (size_t i = 0; i < request->cookie_count; i++)
        curl_easy_setopt(easy, CURLOPT_COOKIELIST, request->cookies[i]);
    for (size_t i = 0; request->cookie_count && i < request->header_count; i++) {
        const char *header = request->headers[i];
        if (strncasecmp(header, "Cookie:", 7) == 0)
            curl_easy_setopt(easy, CURLOPT_COOKIE, header + 7 + strspn(header + 7, " "));
    }
}

bool ccurl_start(ccurl_multi *multi, ccurl_transfer *shown, const ccurl_request *request) {
    private_transfer *transfer = (private_transfer *)shown;
    CURL *easy = transfer->easy;
    clear(transfer);
    // libcurl counts retries over closed connections for the life of a handle, up to 5, unless reset.
    curl_easy_reset(easy);
    curl_url_cleanup(transfer->url);
    transfer->url = NULL;
    set_lasting_options(transfer);
    for (size_t i = 0; i < request->header_count; i++) {
        if (request->cookie_count && strncasecmp(request->headers[i], "Cookie:", 7) == 0) continue;
        struct curl_slist *longer = curl_slist_append(transfer->headers, request->headers[i]);
        if (!longer) return false;
        transfer->headers = longer;
    }
    // One byte more, so that an empty body has an address as well.
    if (request->body && !(ccurl_reserve(&transfer->request_body, request->body_count + 1)
                           && ccurl_append(&transfer->request_body, request->body, request->body_count)))
        return false;
    transfer->max_body = request->max_body;
    transfer->buffer_limit = request->buffer_limit;
    transfer->any_address = request->any_address;
    set_method(transfer, request);
    if (!set_signature(easy, request)) return false;
    curl_easy_setopt(easy, CURLOPT_NETRC,
                     (long)(request->netrc_file ? CURL_NETRC_OPTIONAL : CURL_NETRC_IGNORED));
    curl_easy_setopt(easy, CURLOPT_NETRC_FILE, request->netrc_file);
    set_cookies(easy, request);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers);
    const char *encodings = request->accepts_compression ? multi->encodings : "identity";
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, request->is_verbatim ? NULL : encodings);
    transfer->undoes_coding = !request->is_verbatim && !request->keeps_coding;
    curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, transfer->undoes_coding ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, request->is_verbatim ? NULL : multi->user_agent);
    curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, request->target);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, request->needs_new_connection ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, multi->max_idle_seconds);
    bool is_tls = strncasecmp(request->url, "https:", 6) == 0;
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, is_tls ? 1L : 0L);
    if (!set_url(transfer, request)) return false;
    shown->added_at = ccurl_now();
    return curl_multi_add_handle(multi->multi, easy) == CURLM_OK;
}

static bool says(const private_transfer *transfer, const char *words) {
    return strstr(transfer->shown.error_text, words) != NULL;
}

static ccurl_outcome outcome_of(const private_transfer *transfer, CURLcode code) {
    if (code == CURLE_OK) return CCURL_OUTCOME_COMPLETE;
    if (transfer->has_no_memory) return CCURL_OUTCOME_MEMORY;
    if (transfer->is_too_large) return CCURL_OUTCOME_TOO_LARGE;
    if (transfer->rejection[0]) return CCURL_OUTCOME_PROTOCOL;
    switch (code) {
    case CURLE_URL_MALFORMAT:
        return CCURL_OUTCOME_URL;
    case CURLE_UNSUPPORTED_PROTOCOL:                         // also an answer that looks like HTTP/0.9
        return transfer->shown.sent_at ? CCURL_OUTCOME_PROTOCOL : CCURL_OUTCOME_URL;
    case CURLE_COULDNT_RESOLVE_HOST:
        return CCURL_OUTCOME_NAME;
    case CURLE_COULDNT_RESOLVE_PROXY:
        return CCURL_OUTCOME_PROXY_NAME;
    case CURLE_ABORTED_BY_CALLBACK:                          // on_request does so
        return CCURL_OUTCOME_REFUSED;
    case CURLE_COULDNT_CONNECT:
        return transfer->was_refused ? CCURL_OUTCOME_REFUSED : CCURL_OUTCOME_CONNECT;
    case CURLE_SSL_CONNECT_ERROR:
        return says(transfer, "reset") || says(transfer, "SYSCALL") ? CCURL_OUTCOME_CONNECT
                                                                    : CCURL_OUTCOME_TLS;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return CCURL_OUTCOME_TLS;
    case CURLE_OPERATION_TIMEDOUT:
        return CCURL_OUTCOME_TIMEOUT;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2_STREAM:
        return CCURL_OUTCOME_RESET;
    case CURLE_RECV_ERROR:                                   // a broken chunk has the same code
        return says(transfer, "Recv failure") || says(transfer, "SSL_read") ? CCURL_OUTCOME_RESET
                                                                            : CCURL_OUTCOME_PROTOCOL;
    case CURLE_PARTIAL_FILE:
        return CCURL_OUTCOME_SHORT;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
    case CURLE_WRITE_ERROR:
    case CURLE_BAD_FUNCTION_ARGUMENT:                        // a first field or trailer without a colon
        return CCURL_OUTCOME_PROTOCOL;
    case CURLE_OUT_OF_MEMORY:
        return CCURL_OUTCOME_MEMORY;
    default:
        return CCURL_OUTCOME_OTHER;
    }
}

static void take_cookies(private_transfer *transfer) {
    struct curl_slist *cookies = NULL;
    curl_easy_getinfo(transfer->easy, CURLINFO_COOKIELIST, &cookies);
    for (const struct curl_slist *cookie = cookies; cookie; cookie = cookie->next) {
        ccurl_append(&transfer->shown.cookies, cookie->data, strlen(cookie->data));
        ccurl_append(&transfer->shown.cookies, "\n", 1);
    }
    curl_slist_free_all(cookies);
}

// Whether a request was sent over kept connections alone, all of which closed without an answer: by
// then libcurl has given up. One that must not be sent twice is never sent over a kept connection.
static bool was_swallowed(const private_transfer *transfer) {
    long new_connections = 1;
    curl_easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &new_connections);
    return transfer->shown.outcome == CCURL_OUTCOME_RESET && transfer->shown.sent_at
        && !transfer->field_bytes && !new_connections;
}

ccurl_transfer *ccurl_next_finished(ccurl_multi *multi) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi->multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *easy = message->easy_handle;
        CURLcode code = message->data.result;                // gone after the removal
        private_transfer *transfer = NULL;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
        curl_multi_remove_handle(multi->multi, easy);
        transfer->shown.outcome = outcome_of(transfer, code);
        if (was_swallowed(transfer)) {
            transfer->shown.error_text[0] = 0;
            curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
            if (curl_multi_add_handle(multi->multi, easy) == CURLM_OK) continue;
        }
        take_cookies(transfer);
        transfer->shown.result_code = (int32_t)code;
        bool is_rejected = transfer->rejection[0];
        const char *words = is_rejected ? transfer->rejection : curl_easy_strerror(code);
        if (code != CURLE_OK && (is_rejected || !transfer->shown.error_text[0]))
            strncpy(transfer->shown.error_text, words, sizeof transfer->shown.error_text - 1);
        return &transfer->shown;
    }
    return NULL;
}

void ccurl_stop(ccurl_multi *multi, ccurl_transfer *shown) {
    curl_multi_remove_handle(multi->multi, ((private_transfer *)shown)->easy);
}

void ccurl_resume(ccurl_transfer *shown) {
    shown->is_paused = false;
    curl_easy_pause(((private_transfer *)shown)->easy, CURLPAUSE_CONT);
}

// Lets libcurl ask for the request body again; what is paused for the answer's sake stays so.
static void continue_sending(private_transfer *transfer) {
    int kept = transfer->shown.is_paused ? CURLPAUSE_RECV : CURLPAUSE_CONT;
    curl_easy_pause(transfer->easy, kept);
}

bool ccurl_body_give(ccurl_transfer *shown, const uint8_t *bytes, size_t count) {
    private_transfer *transfer = (private_transfer *)shown;
    if (count && !ccurl_append(&transfer->request_body, bytes, count)) return false;
    shown->unsent += count;
    continue_sending(transfer);
    return true;
}

void ccurl_body_end(ccurl_transfer *shown) {
    shown->is_body_given = true;
    continue_sending((private_transfer *)shown);
}
