/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a text that may have values: the same ones each time, none empty or too long; and an
 * address that is beside them is found as it is and in base64, whatever they are. */
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "fuzz/fuzz.h"
#include "guard/taint/values.h"
#include <stdlib.h>
#include <string.h>

#define ADDRESS "pay@bad.example"

struct seen {
    uint64_t sum;
    size_t n;
    bool address;
};

static int see(void *arg, const struct value *v)
{
    struct seen *s = arg;
    CHECK(v->n > 0 && v->n <= VALUE_MAX && v->form >= 0 && v->form < VALUE_FORMS);
    s->sum = s->sum * 31 + v->hash + (uint64_t)v->form;
    s->n++;
    s->address |= v->n == sizeof ADDRESS - 1 && memcmp(v->text, ADDRESS, v->n) == 0;
    return 0;
}

static struct seen look(const char *text, size_t len)
{
    struct seen s = {0};
    struct arena a;
    arena_init(&a, 0);
    CHECK(values_each(&a, text, len, see, &s) == 0);
    arena_done(&a);
    return s;
}

/* With an address in front of it, or what that is encoded as. */
static void check_beside(const char *text, size_t len, bool encoded)
{
    struct buf b;
    buf_init(&b, 0);
    if (encoded)
        base64_add(&b, ADDRESS, sizeof ADDRESS - 1);
    else
        buf_puts(&b, "PAY@Bad.Example");
    buf_byte(&b, ' ');
    buf_add(&b, text, len);
    CHECK(!buf_failed(&b));
    CHECK(look(b.data, b.len).address);
    buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16)
        return 0;
    char *text = malloc(size ? size : 1); /* no byte behind it: reads beyond are found */
    CHECK(text);
    if (size)
        memcpy(text, data, size);
    struct seen one = look(text, size), again = look(text, size);
    CHECK(one.n == again.n && one.sum == again.sum);
    check_beside(text, size, false);
    check_beside(text, size, true);
    free(text);
    return 0;
}
