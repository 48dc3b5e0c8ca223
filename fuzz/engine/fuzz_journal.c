/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an exported journal: refused with a line, or run again on a world. Bytes that begin
 * with '{' are the file. Others are its entries, a line each, behind a byte that says what was kept
 * of them: a head, a chain and an end are made for them, which no mutation would come upon.
 */
#include "fuzz/fuzz.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "sosia.h"
#include <gnutls/crypto.h>
#include <string.h>

#define MAX_ENTRIES 8

static struct sosia_engine *engine;
static uint64_t world;

static void set_up(void)
{
    static const char doc[] = "sosia: 1\n"
                              "time: 2026-11-23T08:00:00Z\n"
                              "people: [{email: ada@acme.example}, {email: bob@acme.example}]\n";
    const struct sosia_world_options opt = {
        .seed_doc = doc, .seed_doc_len = sizeof doc - 1, .journal = SOSIA_JOURNAL_NONE};
    engine = fuzz_engine(NULL);
    MUST(sosia_world_create(engine, &opt, &world, &why));
}

static void add_entry(struct buf *file, int seq, uint8_t link[32], const char *text, size_t len)
{
    char hex[65];
    gnutls_hash_hd_t h;
    CHECK(gnutls_hash_init(&h, GNUTLS_DIG_SHA256) == 0);
    gnutls_hash(h, link, 32);
    gnutls_hash(h, text, len);
    gnutls_hash_deinit(h, link);
    hex_encode(hex, link, 32);
    buf_printf(file, "{\"seq\":%d,\"chain\":\"%s\",\"entry\":", seq, hex);
    buf_add(file, text, len);
    buf_puts(file, "}\n");
}

/* The lines as the entries of a file. */
static void write_file(struct buf *file, const char *p, size_t len)
{
    static const char *const keeps[] = {"redacted", "full", "hashes"};
    uint8_t link[32] = {0}, digest[32];
    char hex[65];
    struct buf lines;
    int n = 0;
    buf_init(&lines, 0);
    const char *end = p + len, *at = p + 1;
    for (; at < end && n < MAX_ENTRIES; n++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        add_entry(&lines, n + 1, link, at, (size_t)(stop - at));
        at = stop + 1;
    }
    hex_encode(hex, link, 32);
    buf_printf(file,
               "{\"sosia_journal\":1,\"world\":\"8000000000000001\",\"from\":0,\"to\":%d,"
               "\"seed\":\"1\",\"keep\":\"%s\"}",
               n, keeps[(uint8_t)*p % 3]);
    CHECK(gnutls_hash_fast(GNUTLS_DIG_SHA256, file->data, file->len, digest) == 0);
    buf_byte(file, '\n');
    buf_add(file, lines.data, lines.len);
    buf_printf(file, "{\"end\":%d,\"chain\":\"%s\",\"head\":\"", n, hex);
    hex_encode(hex, digest, sizeof digest);
    buf_printf(file, "%s\"}\n", hex);
    buf_done(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_replay_options opt = {.first = true};
    struct sosia_err err = {0};
    struct sosia_blob report;
    struct buf file;
    if (!engine)
        set_up();
    if (!size)
        return 0;
    buf_init(&file, 0);
    if (*data == '{')
        buf_add(&file, data, size);
    else
        write_file(&file, (const char *)data, size);
    /* Without room behind it, for the sanitizer. */
    char *exact = malloc(file.len);
    CHECK(exact);
    memcpy(exact, file.data, file.len);
    opt.journal = exact;
    opt.journal_len = file.len;
    int64_t entries = -1;
    bool good = sosia_journal_verify(exact, file.len, "fuzz", NULL, &entries, NULL, &err) == 0;
    CHECK(good ? entries >= 0 : err.code != SOSIA_E_OK && err.line > 0);
    CHECK(good || *data == '{');
    if (sosia_journal_replay(engine, world, &opt, NULL, &report, &err) < 0)
        CHECK(err.code != SOSIA_E_OK && err.text[0] && err.code != SOSIA_E_INTERNAL);
    else
        sosia_blob_free(&report);
    buf_done(&file);
    free(exact);
    return 0;
}
