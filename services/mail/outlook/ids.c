/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids as Exchange makes them (MG-360 to 364, MG-625): the mailbox's GUID as text, the store's as
 * bytes, the folder's number and the message's. Base64 with '-' in the place of '/' and '_' in that
 * of '+'.
 */
#include "engine/base/codec.h"
#include "services/mail/outlook/outlook.h"
#include <endian.h>
#include <xxhash.h>

enum { GUID_TEXT = 36, GUID = 16, NUMBER = 6 };
enum { MESSAGE_LEN = 113, FOLDER_LEN = 89, ATTACHMENT_LEN = 134, IMMUTABLE_LEN = 51 };

/* Numbers of folders that every mailbox has; that of the archive and of the conversations are
 * nobody's rule. */
static const struct known {
    const char *name;
    int64_t place, number;
} known_folders[] = {
    {"msgfolderroot", FOLDER_ROOT, 0x108},
    {"inbox", FOLDER_INBOX, 0x10c},
    {"sentitems", FOLDER_SENT, 0x109},
    {"drafts", FOLDER_DRAFTS, 0x10f},
    {"deleteditems", FOLDER_TRASH, 0x10a},
    {"junkemail", FOLDER_JUNK, 0x116},
    {"outbox", FOLDER_OUTBOX, 0x10b},
    {"archive", FOLDER_ARCHIVE, 0x14d},
    {"conversationhistory", FOLDER_CONVERSATIONS, 0x150},
    {"searchfolders", FOLDER_SEARCHES, 0x105},
};
#define OWN_FOLDERS 0x1000 /* the first number of an owner's own */

const char *outlook_known_name(int64_t place)
{
    for (size_t i = 0; i < SOSIA_LEN(known_folders); i++)
        if (known_folders[i].place == place)
            return known_folders[i].name;
    return NULL;
}

int64_t outlook_known_place(const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(known_folders); i++)
        if (str_eq_nocase(known_folders[i].name, name))
            return known_folders[i].place;
    return -2;
}

static int64_t number_of_place(int64_t place)
{
    for (size_t i = 0; i < SOSIA_LEN(known_folders); i++)
        if (known_folders[i].place == place)
            return known_folders[i].number;
    return place - FOLDER_OWN + OWN_FOLDERS;
}

/* -2: it is not a folder's. */
static int64_t place_of_number(int64_t number)
{
    for (size_t i = 0; i < SOSIA_LEN(known_folders); i++)
        if (known_folders[i].number == number)
            return known_folders[i].place;
    const int64_t place = number - OWN_FOLDERS + FOLDER_OWN;
    return number > OWN_FOLDERS && place <= 0xffffff ? place : -2;
}

/* ---- bytes ---- */

static uint8_t *put_bytes(uint8_t *p, const void *data, size_t n)
{
    memcpy(p, data, n);
    return p + n;
}

/* 48 bits, the greatest first. */
static uint8_t *put_number(uint8_t *p, int64_t n)
{
    for (int i = NUMBER - 1; i >= 0; i--, n >>= 8)
        p[i] = (uint8_t)n;
    return p + NUMBER;
}

static int64_t get_number(const uint8_t *p)
{
    int64_t n = 0;
    for (int i = 0; i < NUMBER; i++)
        n = n << 8 | p[i];
    return n;
}

const char *outlook_id_text(struct arena *a, const uint8_t *data, size_t n, bool swapped)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    return base64_text(a, swapped ? alphabet : NULL, data, n);
}

int outlook_id_bytes(struct arena *a, const char *text, uint8_t **ret, size_t *ret_n)
{
    const size_t n = strlen(text);
    if (n > 512)
        return -1;
    char *copy = arena_memdup(a, text, n);
    for (char *p = copy; (p = memchr(p, '-', n - (size_t)(p - copy))); p++)
        *p = '/';
    for (char *p = copy; (p = memchr(p, '_', n - (size_t)(p - copy))); p++)
        *p = '+';
    return base64_decode(a, copy, n, ret, ret_n);
}

static const uint8_t id_head[4] = {0, 3, 0x24, 0}, conversation_head[4] = {0, 4, 0x24, 0};
static const uint8_t immutable_head[] = {0,    9,    0,    0x2e, 0,    0,    0,    0,    0,
                                         0x1d, 0x84, 3,    0x11, 0xaa, 0x66, 0x11, 0xcd, 0x9b,
                                         0xc8, 0,    0xaa, 0,    0x2f, 0xc4, 0x5a, 0x0d, 0};

/* What ids of messages and folders begin with; kind: 0x46, 0x2e; type: 7, 1. */
static uint8_t *put_head(uint8_t *p, const struct outlook_box *b, uint8_t kind, uint8_t type)
{
    const uint8_t head[7] = {0, kind, 0, 0, 0, 0, 0};
    p = put_bytes(p, id_head, sizeof id_head);
    p = put_bytes(p, b->guid, GUID_TEXT);
    p = put_bytes(p, head, sizeof head);
    p = put_bytes(p, b->provider, GUID);
    *p++ = type;
    *p++ = 0;
    return put_bytes(p, b->store, GUID);
}

/* 1; 0 malformed, 2 another mailbox's. */
static int check_head(const struct outlook_box *b, const uint8_t *data, uint8_t kind, uint8_t type)
{
    uint8_t own[FOLDER_LEN];
    const size_t guid = sizeof id_head, behind = guid + GUID_TEXT;
    uint8_t *end = put_head(own, b, kind, type);
    if (memcmp(data, own, guid) != 0 || memcmp(data + behind, own + behind, 7) != 0 ||
        data[behind + 7 + GUID] != type)
        return 0;
    return memcmp(data, own, (size_t)(end - own)) == 0 ? 1 : 2;
}

/* ---- ids ---- */

static uint8_t *put_message(uint8_t *p, const struct outlook_box *b, int64_t key, int64_t place)
{
    p = put_head(p, b, 0x46, 7);
    p = put_number(p, number_of_place(place));
    *p++ = 0;
    *p++ = 0;
    p = put_bytes(p, b->store, GUID);
    p = put_number(p, key & 0xffffffffffff);
    *p++ = (uint8_t)((uint64_t)key >>
                     56); /* keys of other origin are longer than numbers of messages */
    *p++ = (uint8_t)((uint64_t)key >> 48);
    return p;
}

const char *outlook_message_id(struct arena *a, const struct outlook_box *b, int64_t key,
                               int64_t folder)
{
    uint8_t data[MESSAGE_LEN];
    put_message(data, b, key, mail_folder_place(folder));
    return outlook_id_text(a, data, sizeof data, true);
}

const char *outlook_immutable_id(struct arena *a, const struct outlook_box *b, int64_t key)
{
    uint8_t data[IMMUTABLE_LEN], *p = put_bytes(data, immutable_head, sizeof immutable_head);
    p = put_bytes(p, b->store, GUID);
    p = put_number(p, key & 0xffffffffffff);
    *p++ = (uint8_t)((uint64_t)key >> 56);
    *p = (uint8_t)((uint64_t)key >> 48);
    return outlook_id_text(a, data, sizeof data, true);
}

const char *outlook_folder_id(struct arena *a, const struct outlook_box *b, int64_t place)
{
    uint8_t data[FOLDER_LEN], *p = put_head(data, b, 0x2e, 1);
    p = put_number(p, number_of_place(place));
    p[0] = p[1] = 0;
    return outlook_id_text(a, data, sizeof data, true);
}

/* The message's own, a mark, and sixteen bytes that say which part. */
const char *outlook_attachment_id(struct arena *a, const struct outlook_box *b, int64_t key,
                                  int64_t folder, int part)
{
    static const uint8_t mark[] = {0x01, 0x12, 0x00, 0x10, 0x00};
    uint8_t data[ATTACHMENT_LEN], *p = put_message(data, b, key, mail_folder_place(folder));
    uint64_t check = htobe64(XXH3_64bits_withSeed(&part, sizeof part, (uint64_t)key));
    p = put_bytes(p, mark, sizeof mark);
    p = put_bytes(p, &check, sizeof check);
    for (int i = 0; i < 8; i++)
        p[i] = p[i - 8] ^ (i < 4 ? 0 : (uint8_t)((unsigned)part >> 8 * (7 - i)));
    return outlook_id_text(a, data, sizeof data, true);
}

static int64_t key_of(const uint8_t *p)
{
    return (int64_t)((uint64_t)get_number(p) | (uint64_t)p[NUMBER] << 56 |
                     (uint64_t)p[NUMBER + 1] << 48);
}

static int parse_message(const struct outlook_box *b, const uint8_t *data, int64_t *ret_key,
                         int64_t *ret_place)
{
    const uint8_t *folder = data + FOLDER_LEN - NUMBER - 2,
                  *number = data + MESSAGE_LEN - NUMBER - 2;
    int r = check_head(b, data, 0x46, 7);
    if (r != 1)
        return r;
    if (memcmp(number - GUID, b->store, GUID) != 0 || folder[NUMBER] || folder[NUMBER + 1])
        return 0;
    *ret_key = key_of(number);
    *ret_place = place_of_number(get_number(folder));
    return *ret_key != 0;
}

int outlook_message_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                             int64_t *ret_key, int64_t *ret_place, bool *ret_immutable)
{
    uint8_t *data;
    size_t n;
    *ret_immutable = false;
    if (outlook_id_bytes(a, text, &data, &n) < 0)
        return 0;
    if (n == MESSAGE_LEN)
        return parse_message(b, data, ret_key, ret_place);
    if (n != IMMUTABLE_LEN || memcmp(data, immutable_head, sizeof immutable_head) != 0)
        return 0;
    if (memcmp(data + sizeof immutable_head, b->store, GUID) != 0)
        return 2;
    *ret_immutable = true;
    *ret_key = key_of(data + sizeof immutable_head + GUID);
    return *ret_key != 0;
}

int outlook_folder_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                            int64_t *ret_place)
{
    uint8_t *data;
    size_t n;
    if (outlook_id_bytes(a, text, &data, &n) < 0 || n != FOLDER_LEN)
        return 0;
    int r = check_head(b, data, 0x2e, 1);
    if (r != 1)
        return r;
    *ret_place = place_of_number(get_number(data + FOLDER_LEN - NUMBER - 2));
    return data[FOLDER_LEN - 1] || data[FOLDER_LEN - 2] || *ret_place == -2 ? 0 : 1;
}

int outlook_attachment_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                                int64_t *ret_key, int *ret_part)
{
    uint8_t *data;
    int64_t place;
    size_t n;
    if (outlook_id_bytes(a, text, &data, &n) < 0 || n != ATTACHMENT_LEN)
        return 0;
    int r = parse_message(b, data, ret_key, &place);
    if (r != 1)
        return r;
    const uint8_t *check = data + MESSAGE_LEN + 5, *p = check + 8;
    unsigned part = 0;
    for (int i = 4; i < 8; i++)
        part = part << 8 | (unsigned)(p[i] ^ check[i]);
    *ret_part = (int)part;
    return part < MIME_MAX_PARTS &&
           strcmp(text,
                  outlook_attachment_id(a, b, *ret_key, mail_folder_id(0, place), (int)part)) == 0;
}

/* ---- conversations ---- */

/* The GUID of a thread: a check, and its key behind a mask of it. */
static void thread_guid(const struct outlook_box *b, int64_t thread, uint8_t ret[GUID])
{
    uint64_t seed, check, mask, key;
    memcpy(&seed, b->store, sizeof seed);
    check = htobe64(XXH3_64bits_withSeed(&thread, sizeof thread, le64toh(seed)));
    mask = XXH3_64bits(&check, sizeof check);
    key = htobe64((uint64_t)thread ^ mask);
    memcpy(ret, &check, sizeof check);
    memcpy(ret + sizeof check, &key, sizeof key);
}

const char *outlook_conversation_id(struct arena *a, const struct outlook_box *b, int64_t thread)
{
    uint8_t data[59], *p = put_bytes(data, conversation_head, sizeof conversation_head);
    p = put_bytes(p, b->guid, GUID_TEXT);
    *p++ = 0;
    *p++ = 0x10;
    *p++ = 0;
    thread_guid(b, thread, p);
    return outlook_id_text(a, data, sizeof data, true);
}

int outlook_conversation_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                                  int64_t *ret_thread)
{
    uint8_t *data;
    uint64_t check, key;
    size_t n;
    if (outlook_id_bytes(a, text, &data, &n) < 0 || n != 59)
        return 0;
    memcpy(&check, data + 43, sizeof check);
    memcpy(&key, data + 51, sizeof key);
    *ret_thread = (int64_t)(be64toh(key) ^ XXH3_64bits(&check, sizeof check));
    const char *own = outlook_conversation_id(a, b, *ret_thread);
    uint8_t *again;
    return outlook_id_bytes(a, own, &again, &n) == 0 && n == 59 && memcmp(again, data, n) == 0;
}

const char *outlook_conversation_index(struct arena *a, const struct outlook_box *b, int64_t thread,
                                       int64_t began_s, int replies)
{
    enum { MOST = 20 };
    uint8_t data[22 + 5 * MOST], *p = data;
    const uint64_t filetime = ((uint64_t)began_s + UINT64_C(11644473600)) * UINT64_C(10000000);
    replies = replies > MOST ? MOST : replies;
    *p++ = 1;
    for (int i = 7; i > 2; i--)
        *p++ = (uint8_t)(filetime >> 8 * i);
    thread_guid(b, thread, p);
    p += GUID;
    for (int i = 0; i < replies; i++) {
        uint64_t h = XXH3_64bits_withSeed(&thread, sizeof thread, (uint64_t)i + 1);
        p = put_bytes(p, &h, 5);
    }
    return outlook_id_text(a, data, (size_t)(p - data), false);
}

/* ---- others ---- */

/* It begins with the kind of the item: 9, of a request 11, of an answer 12, of a cancellation 13
 * (MG-363). */
const char *outlook_change_key(struct arena *a, const struct outlook_box *b, int64_t counter,
                               int meeting)
{
    static const uint8_t kinds[] = {9, 11, 13, 12, 12, 12};
    const uint8_t head[] = {kinds[meeting], 0, 0, 0, 0x16, 0, 0, 0};
    uint8_t data[sizeof head + GUID + NUMBER], *p = put_bytes(data, head, sizeof head);
    put_number(put_bytes(p, b->store, GUID), counter & 0xffffffffffff);
    return outlook_id_text(a, data, sizeof data, false);
}

const char *outlook_web_link(struct arena *a, const char *id)
{
    static const char head[] = "https://outlook.office365.com/owa/?ItemID=",
                      tail[] = "&exvsurl=1&viewmodel=ReadMessageItem";
    const size_t n = strlen(id);
    char *link = arena_alloc(a, sizeof head + 3 * n + sizeof tail);
    char *p = (char *)put_bytes((uint8_t *)link, head, sizeof head - 1);
    for (size_t i = 0; i < n; i++) {
        const char *code = id[i] == '-'   ? "%2F"
                           : id[i] == '_' ? "%2B"
                           : id[i] == '=' ? "%3D"
                                          : NULL;
        if (code)
            p = (char *)put_bytes((uint8_t *)p, code, 3);
        else
            *p++ = id[i];
    }
    memcpy(p, tail, sizeof tail);
    return link;
}
