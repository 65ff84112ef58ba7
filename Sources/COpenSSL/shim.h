// SPDX-License-Identifier: MIT
#pragma once
// What Swift cannot import from OpenSSL: macros, and a BIO between a record layer and memory that the caller lends.
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <string.h>

// Output for which the caller has lent no memory, or too little. An idle session has none.
typedef struct reactive_tls_spill {
    size_t count;
    size_t capacity;
    unsigned char bytes[];
} reactive_tls_spill;

// Where the record layer reads and writes during one call. The memory belongs to the caller. Output that does not fit
// goes to `spill`, which this struct owns.
typedef struct reactive_tls_io {
    const unsigned char *input;
    size_t input_count;
    unsigned char *output;
    size_t output_count;
    size_t output_capacity;
    reactive_tls_spill *spill;
    // The object that callbacks of OpenSSL need.
    void *owner;
    // Handshake messages that were received during this call. Beyond the limit no more input is read. 0 means no limit.
    uint32_t message_count;
    uint32_t message_limit;
} reactive_tls_io;

static inline int reactive_tls_is_limited(const reactive_tls_io *io) {
    return io->message_limit > 0 && io->message_count >= io->message_limit;
}

static int reactive_tls_read(BIO *bio, char *memory, size_t capacity, size_t *count) {
    reactive_tls_io *io = (reactive_tls_io *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    *count = 0;
    if (io == NULL) return 0;
    if (io->input_count == 0 || reactive_tls_is_limited(io)) {
        BIO_set_retry_read(bio);
        return 0;
    }
    size_t taken = io->input_count < capacity ? io->input_count : capacity;
    memcpy(memory, io->input, taken);
    io->input += taken;
    io->input_count -= taken;
    *count = taken;
    return 1;
}

static int reactive_tls_write(BIO *bio, const char *memory, size_t length, size_t *count) {
    reactive_tls_io *io = (reactive_tls_io *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    *count = 0;
    if (io == NULL) return 0;
    if (io->spill == NULL && length <= io->output_capacity - io->output_count) {
        memcpy(io->output + io->output_count, memory, length);
        io->output_count += length;
    } else {
        size_t spilled = io->spill == NULL ? 0 : io->spill->count, needed = spilled + length;
        if (io->spill == NULL || needed > io->spill->capacity) {
            size_t capacity = needed * 2;
            reactive_tls_spill *larger = (reactive_tls_spill *)realloc(io->spill, sizeof *larger + capacity);
            if (larger == NULL) return 0;
            larger->capacity = capacity;
            io->spill = larger;
        }
        memcpy(io->spill->bytes + spilled, memory, length);
        io->spill->count = needed;
    }
    *count = length;
    return 1;
}

static long reactive_tls_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio;
    (void)number;
    (void)pointer;
    switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    default: return 0;
    }
}

static inline BIO_METHOD *reactive_tls_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "swift-reactive");
    if (method == NULL) return NULL;
    BIO_meth_set_read_ex(method, reactive_tls_read);
    BIO_meth_set_write_ex(method, reactive_tls_write);
    BIO_meth_set_ctrl(method, reactive_tls_control);
    return method;
}

static inline BIO *reactive_tls_bio(const BIO_METHOD *method) {
    BIO *bio = BIO_new(method);
    if (bio != NULL) BIO_set_init(bio, 1);
    return bio;
}

// OpenSSL uses `io` until another call. Without it, reading and writing fail.
static inline void reactive_tls_lend(SSL *ssl, reactive_tls_io *io) { BIO_set_data(SSL_get_rbio(ssl), io); }

static inline void *reactive_tls_owner(const SSL *ssl) { return ((reactive_tls_io *)BIO_get_data(SSL_get_rbio(ssl)))->owner; }
// Counts handshake messages of the peer. After the handshake, each KeyUpdate derives keys, and may take 50 µs.
static void reactive_tls_message(int is_sent, int version, int type, const void *memory, size_t count, SSL *ssl, void *unused) {
    (void)version;
    (void)memory;
    (void)count;
    (void)unused;
    if (!is_sent && type == SSL3_RT_HANDSHAKE) ((reactive_tls_io *)BIO_get_data(SSL_get_rbio(ssl)))->message_count += 1;
}
static inline void reactive_tls_count_messages(SSL *ssl) { SSL_set_msg_callback(ssl, reactive_tls_message); }

// Macros of OpenSSL.
static inline int reactive_tls_set_versions(SSL_CTX *context, int minimum, int maximum) {
    return SSL_CTX_set_min_proto_version(context, minimum) && SSL_CTX_set_max_proto_version(context, maximum);
}
static inline int reactive_tls_set_groups(SSL_CTX *context, const char *names) { return SSL_CTX_set1_groups_list(context, names); }
// The configured chain is sent as it is. Otherwise OpenSSL would look up and verify issuers in each handshake.
static inline void reactive_tls_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN | SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}
static inline int reactive_tls_set_host(SSL *ssl, const char *name) { return SSL_set_tlsext_host_name(ssl, name); }
// With resumption, clients pass new sessions to a callback, and servers send tickets, which need no cache.
static inline int reactive_tls_set_resumption(SSL_CTX *context, int resumes) {
    unsigned char identity[16];
    SSL_CTX_set_session_cache_mode(context, resumes ? SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL : SSL_SESS_CACHE_OFF);
    if (!resumes) {
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
        SSL_CTX_set_num_tickets(context, 0);
    }
    // A session is resumed only in the context in which it began: another one may require another certificate of the client.
    return RAND_bytes(identity, sizeof identity) == 1 && SSL_CTX_set_session_id_context(context, identity, sizeof identity);
}
// Accepts the host name of a client, which OpenSSL otherwise forgets in a session that is resumed with TLS 1.2.
static int reactive_tls_accept_name(SSL *ssl, int *alert, void *unused) {
    (void)alert;
    (void)unused;
    return SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}
static inline void reactive_tls_keep_names(SSL_CTX *context) { SSL_CTX_set_tlsext_servername_callback(context, reactive_tls_accept_name); }
// Lets a server's session use another context, during the callback for the client's hello.
static inline int reactive_tls_adopt(SSL *ssl, SSL_CTX *context, int minimum, int maximum, int resumes) {
    if (SSL_set_SSL_CTX(ssl, context) == NULL) return 0;
    if (!resumes) {
        SSL_set_options(ssl, SSL_OP_NO_TICKET);
        SSL_set_num_tickets(ssl, 0);
    }
    return SSL_set_min_proto_version(ssl, minimum) && SSL_set_max_proto_version(ssl, maximum);
}
// A key of session tickets, which are encrypted with AES-256-CBC and authenticated with HMAC-SHA-256 (RFC 5077 section 4).
typedef struct reactive_tls_ticket_key {
    unsigned char name[16];
    unsigned char cipher[32];
    unsigned char mac[32];
} reactive_tls_ticket_key;
static inline int reactive_tls_make_ticket_key(reactive_tls_ticket_key *key) {
    return RAND_bytes(key->name, sizeof key->name) == 1 && RAND_priv_bytes(key->cipher, sizeof key->cipher) == 1
        && RAND_priv_bytes(key->mac, sizeof key->mac) == 1;
}
static inline int reactive_tls_use_ticket_key(
    const reactive_tls_ticket_key *key, const EVP_CIPHER *algorithm, unsigned char *vector, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac,
    int encrypts) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key->mac, sizeof key->mac),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    if (encrypts && RAND_bytes(vector, 16) != 1) return 0;
    return EVP_CipherInit_ex(cipher, algorithm, NULL, key->cipher, vector, encrypts) == 1
        && EVP_MAC_CTX_set_params(mac, parameters) == 1;
}
static inline long reactive_tls_add_chain(SSL_CTX *context, X509 *certificate) { return SSL_CTX_add_extra_chain_cert(context, certificate); }
// Clears the thread's errors, which other code may have left. Looking first saves 380 instructions if there are none.
static inline void reactive_tls_clear_errors(void) {
    if (ERR_peek_error() != 0) ERR_clear_error();
}
static inline int reactive_tls_error_library(unsigned long code) { return ERR_GET_LIB(code); }
static inline int reactive_tls_error_reason(unsigned long code) { return ERR_GET_REASON(code); }
// No renegotiation (RFC 9325 section 3.5), no compression (RFC 9325 section 3.3), and the server chooses the cipher.
static inline void reactive_tls_set_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
}
