/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/slack/web/emoji.h"
#include "engine/base/err.h"
#include "engine/base/utf8.h"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 8, MOST = 2048, TEXT = 0xfe0e, PICTURE = 0xfe0f, LIGHTEST = 0x1f3fb };

/* By code points, without selectors of a picture. */
static struct place {
    uint32_t points[POINTS + 1]; /* 0: the end */
    const struct sl_emoji *emoji;
} places[MOST];
static size_t n_places;

/* What two people do together is one code point, and another sequence in two tones of skin. */
static const struct {
    const char *name, *code;
} pairs[] = {
    {"couple_with_heart", "1f9d1-200d-2764-200d-1f9d1"},
    {"couplekiss", "1f9d1-200d-2764-200d-1f48b-200d-1f9d1"},
    {"handshake", "1faf1-200d-1faf2"},
    {"man_and_woman_holding_hands", "1f469-200d-1f91d-200d-1f468"},
    {"two_men_holding_hands", "1f468-200d-1f91d-200d-1f468"},
    {"two_women_holding_hands", "1f469-200d-1f91d-200d-1f469"},
};

const struct sl_emoji_first sl_emoji_first[] = {
    {"bowtie", "f3ec6f2bb0.png"},
    {"squirrel", "465f40c0e0.png"},
    {"glitch_crab", "db049f1f9c.png"},
    {"piggy", "b7762ee8cd.png"},
    {"cubimal_chick", "85961c43d7.png"},
    {"dusty_stick", "6177a62312.png"},
    {"slack", "7d462d2443.png"},
    {"pride", "56b1bd3388.png"},
    {"thumbsup_all", "50096a1020.gif"},
    {"slack_call", "b81fffd6dd.png"},
    {"shipit", "alias:squirrel"},
    {"white_square", "alias:white_large_square"},
    {"black_square", "alias:black_large_square"},
    {"simple_smile", "https://a.slack-edge.com/80588/img/emoji_2017_12_06/apple/simple_smile.png"},
    {NULL, NULL},
};

static void add_place(const struct sl_emoji *e, const char *code)
{
    struct place *p = &places[n_places++];
    size_t n = 0;
    char *end;
    for (p->emoji = e; *code && n < POINTS; code = end + (*end == '-')) {
        uint32_t point = (uint32_t)strtoul(code, &end, 16);
        if (point != PICTURE)
            p->points[n++] = point;
    }
}

static int by_points(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    for (size_t i = 0; i <= POINTS; i++)
        if (p->points[i] != q->points[i])
            return p->points[i] < q->points[i] ? -1 : 1;
    return 0;
}

static void fill_places(void)
{
    for (size_t i = 0; i < sl_emoji_count && n_places < MOST - SOSIA_LEN(pairs); i++)
        if (sl_emoji_all[i].code && !(sl_emoji_all[i].flags & SL_EMOJI_ALIAS))
            add_place(&sl_emoji_all[i], sl_emoji_all[i].code);
    for (size_t i = 0; i < SOSIA_LEN(pairs); i++)
        add_place(sl_emoji_named(pairs[i].name, strlen(pairs[i].name)), pairs[i].code);
    qsort(places, n_places, sizeof *places, by_points);
}

/* Of lo to hi the first place whose code point i is at least `point`. */
static size_t first_with(size_t lo, size_t hi, size_t i, uint32_t point)
{
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (places[mid].points[i] < point)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* 0: the text ends. */
static uint32_t take_point(const char *p, size_t *len)
{
    *len = *p ? utf8_sequence(p, strnlen(p, 4)) : 0;
    return *len ? utf8_code_point(p, (unsigned)*len) : 0;
}

/* All begin with these bytes: keycaps, two signs of Latin-1, symbols. */
static bool may_begin(const char *text)
{
    unsigned char c = (unsigned char)text[0], next = c ? (unsigned char)text[1] : 0;
    if (c < 0x80)
        return next >= 0xe2 && (c == '#' || c == '*' || (c >= '0' && c <= '9'));
    return c == 0xc2 ? next == 0xa9 || next == 0xae : c == 0xe2 || c == 0xe3 || c == 0xf0;
}

bool sl_emoji_at(const char *text, struct sl_emoji_found *ret)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *p = text;
    int tones[2] = {0}, n_tones = 0;
    size_t len;
    if (!may_begin(text))
        return false;
    pthread_once(&once, fill_places);
    ret->emoji = NULL;
    for (size_t i = 0, lo = 0, hi = n_places; i < POINTS; i++) {
        uint32_t point = take_point(p, &len);
        lo = first_with(lo, hi, i, point);
        hi = first_with(lo, hi, i, point + 1);
        if (!point || lo == hi)
            break;
        p += len;
        uint32_t next = take_point(p, &len);
        if (next == TEXT)
            break;
        if (next == PICTURE)
            next = take_point(p += len, &len);
        const struct sl_emoji *e = places[lo].points[i + 1] ? NULL : places[lo].emoji;
        bool toned = next >= LIGHTEST && next < LIGHTEST + 5;
        if (e && !n_tones)
            *ret = (struct sl_emoji_found){.emoji = e, .len = (size_t)(p - text)};
        if (toned) {
            p += len;
            if (n_tones < 2)
                tones[n_tones++] = (int)(next - LIGHTEST) + 2;
        }
        if (e && n_tones && e->flags & SL_EMOJI_TONES)
            *ret = (struct sl_emoji_found){e, (size_t)(p - text), tones[0],
                                           tones[1] == tones[0] ? 0 : tones[1]};
    }
    return ret->emoji != NULL;
}

/* The tone is behind the person or the hand, in the place of a selector, and behind both of two
 * persons. */
void sl_emoji_code(const struct sl_emoji *e, int tone, char ret[SL_EMOJI_CODE])
{
    const char *rest = strchr(e->code, '-'), *last = strrchr(e->code, '-');
    char skin[8] = "";
    if (!tone || !(e->flags & SL_EMOJI_TONES)) {
        snprintf(ret, SL_EMOJI_CODE, "%s", e->code);
        return;
    }
    snprintf(skin, sizeof skin, "-%x", (unsigned)(LIGHTEST + tone - 2));
    bool both = last && (strcmp(last, "-1f468") == 0 || strcmp(last, "-1f469") == 0 ||
                         strcmp(last, "-1f9d1") == 0);
    int first = (int)(rest ? (size_t)(rest - e->code) : strlen(e->code));
    if (rest && strncmp(rest, "-fe0f", 5) == 0)
        rest += 5;
    snprintf(ret, SL_EMOJI_CODE, "%.*s%s%s%s", first, e->code, skin, rest ? rest : "",
             both ? skin : "");
}

bool sl_emoji_is_name(const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789_+-'";
    size_t n = strspn(name, word);
    if (!n || n > 100)
        return false;
    if (strncmp(name + n, "::skin-tone-", 12) == 0)
        return name[n + 12] >= '2' && name[n + 12] <= '6' && !name[n + 13];
    return !name[n] || (unsigned char)name[n] >= 0x80;
}
