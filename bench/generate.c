/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a large world's document is made: messages, events, talk, and the documents of drives;
 * each beside what is bare in the same run, in turns: writing the same bytes once more as a JSON
 * string; of documents, their copy, its CRC and its base64.
 */
#include "bench/bench.h"
#include "engine/base/codec.h"
#include "engine/json/json.h"
#include "fixtures/generate/generate.h"
#include "fixtures/generate/stock.h"
#include <zlib.h>

enum { TURNS = 5 };

static struct sosia_err err;

static int add_piece(void *arg, const char *data, size_t len)
{
    struct buf *b = arg;
    buf_add(b, data, len);
    return buf_failed(b) ? -1 : 0;
}

/* Seconds to write the text as a JSON string. */
static double bare_text(const struct buf *text)
{
    struct buf out;
    struct json_writer w;
    buf_init(&out, 0);
    json_init(&w, &out, false, NULL);
    double t = bench_cpu();
    json_strn(&w, NULL, text->data, text->len);
    t = bench_cpu() - t;
    if (buf_failed(&out))
        bench_die("bare", "no memory");
    buf_done(&out);
    return t / 1e9;
}

/* Things a second, and what the bare writing of them reaches. */
static void measure(const char *name, const char *bare_name, const struct generate_options *o,
                    double things)
{
    double made[TURNS], bare[TURNS];
    for (int i = 0; i < TURNS; i++) {
        struct buf b;
        struct generate_sink sink = {.arg = &b, .write = add_piece};
        buf_init(&b, 0);
        double t = bench_cpu();
        if (generate(o, &sink, &err) < 0)
            bench_die(name, err.text);
        made[i] = things / ((bench_cpu() - t) / 1e9);
        bare[i] = things / bare_text(&b);
        buf_done(&b);
    }
    double value = bench_percentile(made, TURNS, 0.5);
    bench_report(name, value, "/s", 0, ">= 50000");
    bench_report(bare_name, value, "/s", bench_percentile(bare, TURNS, 0.5), NULL);
}

/* ---- documents ---- */

static double bare_documents(const struct buf *b)
{
    struct buf copy, coded;
    buf_init(&copy, 0);
    buf_init(&coded, 0);
    double t = bench_cpu();
    buf_add(&copy, b->data, b->len);
    volatile uLong sum = crc32(0, (const Bytef *)copy.data, (uInt)copy.len);
    (void)sum;
    base64_add(&coded, copy.data, copy.len);
    t = bench_cpu() - t;
    if (buf_failed(&copy) || buf_failed(&coded))
        bench_die("bare", "no memory");
    buf_done(&copy);
    buf_done(&coded);
    return t / 1e9;
}

static void make_documents(struct stock *s, uint32_t n, uint32_t median, struct buf *out)
{
    struct rng r;
    rng_init(&r, 1, median);
    for (uint32_t i = 0; i < n; i++) {
        struct stock_order o = {.paper = paper_pick(&r),
                                .language = (enum language)rng_below(&r, LANGUAGES),
                                .title = "Heron report",
                                .author = "Robin Ward",
                                .day = 20000};
        o.size = paper_size(&r, o.paper, median);
        rng_init(&o.r, 1, i);
        if (stock_write(s, &o, out) < 0 || buf_failed(out))
            bench_die("documents", err.text);
    }
}

static void measure_documents(uint32_t n, uint32_t median, const char *name, const char *bare_name)
{
    struct stock *s = stock_new(1, &err);
    double made[TURNS], bare[TURNS];
    for (int i = 0; s && i < TURNS + 1; i++) {
        struct buf b;
        buf_init(&b, 0);
        double t = bench_cpu();
        make_documents(s, n, median, &b);
        t = (bench_cpu() - t) / 1e9;
        if (i == 0)
            bench_report("the same, with templates that are made first", (double)b.len / 1e6 / t,
                         "MB/s", 0, NULL);
        else
            made[i - 1] = (double)b.len / 1e6 / t;
        if (i)
            bare[i - 1] = (double)b.len / 1e6 / bare_documents(&b);
        buf_done(&b);
    }
    stock_free(s);
    double value = bench_percentile(made, TURNS, 0.5);
    bench_report(name, value, "MB/s", 0, ">= 20");
    bench_report(bare_name, value, "MB/s", bench_percentile(bare, TURNS, 0.5), NULL);
}

int main(int argc, char **argv)
{
    struct generate_options o = {
        .people = 50, .messages = 100000, .seed = 1, .spam = 60, .hostile = 6, .bytes = 4000};
    bench_begin(argc, argv);
    measure("messages in mailboxes, with their attachments",
            "the same, beside writing the text once", &o, 100000);
    o.messages = 0;
    o.events = 100000;
    measure("events", "the same, beside writing the text once", &o, 100000);
    o.events = 0;
    o.chat = 200000;
    measure("messages of a workspace, with its files", "the same, beside writing the text once", &o,
            200000);
    measure_documents(4000, 4000, "documents, median 4,000 bytes",
                      "the same, beside copying, CRC and base64");
    measure_documents(400, 60000, "documents, median 60,000 bytes",
                      "the same, beside copying, CRC and base64");
    return 0;
}
