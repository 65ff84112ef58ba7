// SPDX-License-Identifier: MIT
// Parses a stream with llhttp, and writes what it reports as records: a letter, four bytes of length, and the bytes.
// m method, u target, s status code, v version, n field name, w field value, h end of the head, b body, e end of the
// message, x reason of an error, p pause for another protocol.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "llhttp.h"

struct output {
    uint8_t *bytes;
    size_t count, capacity;
};

static void record(llhttp_t *parser, char kind, const char *at, size_t length) {
    struct output *output = parser->data;
    if (output->count + 5 + length > output->capacity) return;
    uint32_t size = (uint32_t)length;
    output->bytes[output->count] = (uint8_t)kind;
    memcpy(output->bytes + output->count + 1, &size, 4);
    if (length) memcpy(output->bytes + output->count + 5, at, length);
    output->count += 5 + length;
}

#define SPAN(name, kind) \
    static int name(llhttp_t *parser, const char *at, size_t length) { record(parser, kind, at, length); return 0; }
SPAN(on_method, 'm')
SPAN(on_url, 'u')
SPAN(on_version, 'v')
SPAN(on_name, 'n')
SPAN(on_value, 'w')
SPAN(on_body, 'b')

static int on_head(llhttp_t *parser) {
    char code[8];
    int length = snprintf(code, sizeof code, "%d", parser->status_code);
    if (parser->type == HTTP_RESPONSE) record(parser, 's', code, (size_t)length);
    record(parser, 'h', "", 0);
    if (parser->type != HTTP_RESPONSE) return 0;
    // llhttp leaves these to its user: 2 is another protocol, and 1 is no content (RFC 9112 section 6.3).
    if (parser->status_code == 101) return 2;
    return parser->status_code < 200 || parser->status_code == 204 || parser->status_code == 304;
}

static int on_end(llhttp_t *parser) {
    record(parser, 'e', "", 0);
    return 0;
}

// The number of bytes that were written to `bytes`.
size_t llhttp_digest(const uint8_t *input, size_t length, int is_response, uint8_t *bytes, size_t capacity) {
    struct output output = {bytes, 0, capacity};
    llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_method = on_method;
    settings.on_url = on_url;
    settings.on_version = on_version;
    settings.on_header_field = on_name;
    settings.on_header_value = on_value;
    settings.on_headers_complete = on_head;
    settings.on_body = on_body;
    settings.on_message_complete = on_end;
    llhttp_t parser;
    llhttp_init(&parser, is_response ? HTTP_RESPONSE : HTTP_REQUEST, &settings);
    parser.data = &output;
    llhttp_errno_t error = llhttp_execute(&parser, (const char *)input, length);
    if (error == HPE_PAUSED_UPGRADE) {
        record(&parser, 'p', "", 0);
    } else if (error != HPE_OK) {
        const char *reason = llhttp_get_error_reason(&parser);
        record(&parser, 'x', reason, strlen(reason));
    }
    return output.count;
}
