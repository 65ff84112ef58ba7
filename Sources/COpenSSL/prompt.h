// SPDX-License-Identifier: MIT
#pragma once
// A BIO in front of the BIO of a socket. If the socket is not ready, a call fails with EAGAIN, and does not ask its caller to wait.
//
// SSL_get_error returns SSL_ERROR_SYSCALL for a special reason to retry that it does not know, and OpenSSL keeps the part of a record
// that has moved. So a caller that waits after SSL_ERROR_WANT_READ and SSL_ERROR_WANT_WRITE, but not after EAGAIN, never waits.
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>

static int reactive_prompt_result(BIO *bio, int result) {
    BIO_clear_retry_flags(bio);
    if (result <= 0 && BIO_should_retry(BIO_next(bio))) {
        BIO_set_flags(bio, BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY);
        errno = EAGAIN;
    }
    return result;
}

static int reactive_prompt_read(BIO *bio, char *memory, int capacity) {
    return reactive_prompt_result(bio, BIO_read(BIO_next(bio), memory, capacity));
}

static int reactive_prompt_write(BIO *bio, const char *memory, int length) {
    return reactive_prompt_result(bio, BIO_write(BIO_next(bio), memory, length));
}

static long reactive_prompt_control(BIO *bio, int command, long number, void *pointer) {
    return BIO_ctrl(BIO_next(bio), command, number, pointer);
}

static inline BIO_METHOD *reactive_prompt_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_FILTER, "swift-reactive prompt");
    if (method == NULL) return NULL;
    BIO_meth_set_read(method, reactive_prompt_read);
    BIO_meth_set_write(method, reactive_prompt_write);
    BIO_meth_set_ctrl(method, reactive_prompt_control);
    return method;
}

// Places such a BIO before the socket of a session whose handshake has ended. Returns 0 without memory.
static inline int reactive_prompt_insert(SSL *ssl, const BIO_METHOD *method) {
    BIO *socket = SSL_get_rbio(ssl), *bio = method == NULL ? NULL : BIO_new(method);
    if (bio == NULL || !BIO_up_ref(socket)) {
        BIO_free(bio);
        return 0;
    }
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, BIO_push(bio, socket), bio);
    // A buffer that waits for the socket may grow, and move, before its next write.
    SSL_set_mode(ssl, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return 1;
}
