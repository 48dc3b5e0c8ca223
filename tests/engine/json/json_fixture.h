/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the JSON writer: values to write, and a buffer that they are written into. */
#ifndef SOSIA_TESTS_JSON_FIXTURE_H
#define SOSIA_TESTS_JSON_FIXTURE_H

#include "engine/json/json.h"
#include "tests/support/unit.h"

static struct buf out;

static inline const struct json *parse(struct arena *a, const char *text)
{
    const struct json *v = NULL;
    assert_int_equal(json_parse(a, text, strlen(text), NULL, &v, NULL), 0);
    return v;
}

static inline void begin(struct json_writer *w, bool pretty, const struct json_mask *mask)
{
    buf_clear(&out);
    json_init(w, &out, pretty, mask);
}

static inline const char *written(void)
{
    assert_false(buf_failed(&out));
    return buf_str(&out);
}

#endif
