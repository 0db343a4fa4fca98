#include "ctls.h"

#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ctls_is_library(const char *name) {
    return strncmp(name, "OpenSSL/", 8) == 0
        && strcmp(name + 8, OpenSSL_version(OPENSSL_VERSION_STRING)) == 0;
}

bool ctls_has_agreed(const void *session, const char *protocol) {
    const unsigned char *agreed = NULL;
    unsigned count = 0;
    SSL_get0_alpn_selected(session, &agreed, &count);
    return count == strlen(protocol) && memcmp(agreed, protocol, count) == 0;
}

struct ctls_context {
    SSL_CTX *context;
};

struct ctls {
    SSL *ssl;
    BIO *incoming;  // both are owned by `ssl`
    BIO *outgoing;
};

/// Writes why the last call failed, and forgets all errors of this thread.
static void describe(SSL *_Nullable ssl, char *_Nullable error) {
    long verified = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;
    unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    if (!error) return;
    if (verified != X509_V_OK) {
        snprintf(error, CTLS_ERROR_SIZE, "certificate not accepted: %s",
                 X509_verify_cert_error_string(verified));
    } else if (code != 0) {
        const char *reason = ERR_reason_error_string(code);
        snprintf(error, CTLS_ERROR_SIZE, "%s", reason ? reason : "unknown error of OpenSSL");
    } else {
        snprintf(error, CTLS_ERROR_SIZE, "connection ended");
    }
}

ctls_context *ctls_context_make(const char *ca_file, char *error) {
    ERR_clear_error();
    ctls_context *made = calloc(1, sizeof *made);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!made || !context) goto failed;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    if (ca_file ? SSL_CTX_load_verify_file(context, ca_file) != 1
                : SSL_CTX_set_default_verify_paths(context) != 1) {
        goto failed;
    }
    ERR_clear_error();  // folders of certificates that are not there
    made->context = context;
    return made;
failed:
    describe(NULL, error);
    SSL_CTX_free(context);
    free(made);
    return NULL;
}

void ctls_context_free(ctls_context *context) {
    if (!context) return;
    SSL_CTX_free(context->context);
    free(context);
}

ctls *ctls_make(ctls_context *context, const char *host) {
    ctls *tls = calloc(1, sizeof *tls);
    if (!tls) return NULL;
    tls->ssl = SSL_new(context->context);
    tls->incoming = BIO_new(BIO_s_mem());
    tls->outgoing = BIO_new(BIO_s_mem());
    if (!tls->ssl || !tls->incoming || !tls->outgoing) {
        BIO_free(tls->incoming);
        BIO_free(tls->outgoing);
        SSL_free(tls->ssl);
        free(tls);
        return NULL;
    }
    SSL_set_bio(tls->ssl, tls->incoming, tls->outgoing);
    SSL_set_connect_state(tls->ssl);
    // An address is not sent as a server name (RFC 6066 §3), and matches only one of a certificate.
    X509_VERIFY_PARAM *rules = SSL_get0_param(tls->ssl);
    if (X509_VERIFY_PARAM_set1_ip_asc(rules, host) != 1) {
        ERR_clear_error();
        if (SSL_set1_host(tls->ssl, host) != 1 || SSL_set_tlsext_host_name(tls->ssl, host) != 1) {
            ctls_free(tls);
            return NULL;
        }
    }
    return tls;
}

void ctls_free(ctls *tls) {
    if (!tls) return;
    SSL_free(tls->ssl);
    free(tls);
}

bool ctls_receive(ctls *tls, const void *bytes, size_t count) {
    size_t done = 0;
    return count == 0 || (BIO_write_ex(tls->incoming, bytes, count, &done) == 1 && done == count);
}

size_t ctls_outgoing_count(ctls *tls) { return BIO_ctrl_pending(tls->outgoing); }

size_t ctls_take_outgoing(ctls *tls, void *bytes, size_t count) {
    size_t done = 0;
    return BIO_read_ex(tls->outgoing, bytes, count, &done) == 1 ? done : 0;
}

static ctls_status outcome(ctls *tls, int result, char *error) {
    if (result == 1) return CTLS_STATUS_OK;
    switch (SSL_get_error(tls->ssl, result)) {
        case SSL_ERROR_WANT_READ: return CTLS_STATUS_WANTS_BYTES;
        case SSL_ERROR_ZERO_RETURN: return CTLS_STATUS_ENDED;
        default: describe(tls->ssl, error); return CTLS_STATUS_FAILED;
    }
}

ctls_status ctls_handshake(ctls *tls, char *error) {
    ERR_clear_error();
    return outcome(tls, SSL_do_handshake(tls->ssl), error);
}

ctls_status ctls_read(ctls *tls, void *bytes, size_t count, size_t *done, char *error) {
    ERR_clear_error();
    *done = 0;
    return outcome(tls, SSL_read_ex(tls->ssl, bytes, count, done), error);
}

ctls_status ctls_write(ctls *tls, const void *bytes, size_t count, char *error) {
    ERR_clear_error();
    size_t done = 0;
    return outcome(tls, SSL_write_ex(tls->ssl, bytes, count, &done), error);
}

void ctls_end(ctls *tls) {
    ERR_clear_error();
    SSL_shutdown(tls->ssl);
    ERR_clear_error();
}

void ctls_sha1(const void *bytes, size_t count, uint8_t *digest) { SHA1(bytes, count, digest); }
