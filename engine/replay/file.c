/* SPDX-License-Identifier: Apache-2.0 */
/* A journal that was exported as JSON Lines, read to run again. */
#include "engine/base/codec.h"
#include "engine/replay/replay.h"
#include <stdlib.h>

static int bad_head(const char *name, const char *what, struct sosia_err *err)
{
    sosia_fail(err, SOSIA_E_INVALID, "journal", NULL, "%s:1: must have %s, has not", name, what);
    err->line = 1;
    return -1;
}

static int read_head(struct journal_file *f, const struct json *head, const char *name,
                     struct sosia_err *err)
{
    const char *world = json_get_str(head, "world"), *seed = json_get_str(head, "seed"),
               *keep = json_get_str(head, "keep"), *secret = json_get_str(head, "secret");
    int64_t number;
    f->world = world ? world_id_from_key(world, strlen(world)) : 0;
    if (!world_id_valid(f->world))
        return bad_head(name, "the key of a world", err);
    if (!seed || parse_i64(seed, strlen(seed), &number) < 0)
        return bad_head(name, "the world's \"seed\", a number as a string", err);
    f->seed = (uint64_t)number;
    f->has_secret = secret;
    if (secret && !world_secret_read(secret, &f->secret))
        return bad_head(name, "\"secret\": \"own\" or \"shared\" and 32 hexadecimal digits", err);
    int i = 0; /* of the world at the end; entries have their own */
    while (journal_keeps[i] && (!keep || strcmp(journal_keeps[i], keep) != 0))
        i++;
    if (!journal_keeps[i])
        return bad_head(name, "\"keep\": redacted, full or hashes", err);
    json_i64(json_get(head, "from"), &f->from); /* verified */
    json_i64(json_get(head, "to"), &f->to);
    return 0;
}

int journal_file_open(const char *text, size_t len, const char *name, struct journal_file *ret,
                      struct sosia_err *err)
{
    struct journal_file f = {.name = name ? name : "journal", .text = text, .len = len};
    const struct json *head;
    struct arena a;
    if (sosia_journal_verify(text, len, f.name, NULL, NULL, NULL, err) < 0)
        return -1;
    arena_init(&a, 0);
    const char *end = memchr(text, '\n', len); /* verified */
    int rc = json_parse(&a, text, (size_t)(end - text), NULL, &head, err);
    if (rc == 0)
        rc = read_head(&f, head, f.name, err);
    arena_done(&a);
    if (rc == 0)
        *ret = f;
    return rc;
}

int journal_file_each(const struct journal_file *f, int64_t after, int64_t last,
                      int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg)
{
    static const char begin[] = "\"entry\":";
    const char *line = f->text, *stop = f->text + f->len;
    int rc = 0;
    for (int64_t seq = f->from; rc == 0 && seq < last && seq < f->to; seq++) {
        line = (const char *)memchr(line, '\n', (size_t)(stop - line)) + 1;
        const char *end = memchr(line, '\n', (size_t)(stop - line));
        const char *entry = memmem(line, (size_t)(end - line), begin, sizeof begin - 1);
        entry += sizeof begin - 1;
        if (seq >= after)
            rc = fn(arg, seq + 1, entry, (size_t)(end - 1 - entry));
    }
    return rc;
}
