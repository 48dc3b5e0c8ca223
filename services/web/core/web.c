/* SPDX-License-Identifier: Apache-2.0 */
#include "services/web/core/web.h"
#include "engine/base/codec.h"
#include "engine/world/event.h"
#include "identity/identity.h"

extern const char web_sql[];

/* ---- pages ---- */

static int check_page(const struct form_in *in, void *row)
{
    struct web_page *p = row;
    const char *why, *url = web_url(in->tx->arena, p->url, NULL, &why);
    if (!url)
        return doc_fail(in->d, in->value, "url", "%s, not \"%.80s\"", why, p->url);
    if (p->location && (p->status < 300 || p->status > 399))
        return doc_fail(in->d, in->value, "location",
                        "must be of a page whose status is 300 to 399, not %d", p->status);
    if (p->location && !web_url(in->tx->arena, p->location, url, &why))
        return doc_fail(in->d, in->value, "location", "%s, not \"%.80s\"", why, p->location);
    if (strlen(p->text) > WEB_TEXT_MAX)
        return doc_fail(in->d, in->value, "text", "must have at most %zu bytes, not %zu",
                        WEB_TEXT_MAX, strlen(p->text));
    if (p->author && !strchr(p->author, '@'))
        return doc_fail(in->d, in->value, "author", "must be an address, not \"%.80s\"", p->author);
    if (!p->author)
        p->author = arena_printf(in->tx->arena, "web@%.*s", (int)strcspn(url, ":/"), url);
    p->url = arena_printf(in->tx->arena, "https://%s", url);
    return 0;
}

static const struct member page_members[] = {
    STORED_ID(struct web_page),
    {"url", "Its address; http and https are the same", TEXT_AT(struct web_page, url),
     .flags = MEMBER_REQUIRED},
    {"status", "Of the answer", INT_AT(struct web_page, status, 200, 599), .usual = 200},
    {"type", "Media type", TEXT_AT(struct web_page, type), .usual_text = "text/html"},
    {"text", "The content", TEXT_AT(struct web_page, text), .usual_text = ""},
    {"location", "Where it leads, of a redirect", TEXT_AT(struct web_page, location)},
    {"takes", "Forms may be sent to it", BOOL_AT(struct web_page, takes)},
    {"author", "Who wrote it, an address; web@HOST without it", TEXT_AT(struct web_page, author)},
};
STORED_HERE(web_page_stored, "A page of the world's web", struct web_page, page_members, check_page,
            .table = "web_page", .key = "url");

int web_find(struct tx *tx, const char *url, struct web_page *ret, bool *ret_host)
{
    static struct sql_text q = SQL_TEXT("where url = ?1");
    static struct sql_text host = SQL_TEXT("where url >= ?1 and url < ?2 order by url limit 1");
    struct web_page any;
    *ret_host = true;
    const char *whole = arena_printf(tx->arena, "https://%s", url);
    int r = STORED_ONE(tx, &web_page_stored, &q, ret, whole);
    if (r)
        return r;
    int n = (int)strcspn(url, "/");
    r = STORED_ONE(tx, &web_page_stored, &host, &any,
                   arena_printf(tx->arena, "https://%.*s/", n, url),
                   arena_printf(tx->arena, "https://%.*s0", n, url));
    *ret_host = r == 1;
    return r < 0 ? -1 : 0;
}

int web_hosts(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q = SQL_TEXT("select url from web_page order by url");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    const char *last = "";
    int r = st ? 0 : -1;
    (void)arg;
    json_arr(w, NULL);
    while (st && (r = TX_STEP(tx, st)) == 1) {
        const char *url = (const char *)sqlite3_column_text(st, 0) + sizeof "https://" - 1;
        const size_t n = strcspn(url, ":/");
        if (strlen(last) == n && strncmp(last, url, n) == 0)
            continue;
        last = arena_memdup(tx->arena, url, n);
        json_str(w, NULL, last);
    }
    json_end(w);
    return r;
}

/* ---- forms ---- */

static const struct member form_members[] = {
    STORED_ID(struct web_form),
    {"id", "Made up without it", TEXT_AT(struct web_form, key)},
    {"actor", "Who has sent it", REF_AT(struct web_form, actor, &actor_reference),
     .flags = MEMBER_REQUIRED},
    {"at", "When", TIME_AT(struct web_form, at_us)},
    {"url", "Where it went", TEXT_AT(struct web_form, url), .flags = MEMBER_REQUIRED},
    {"type", "Media type", TEXT_AT(struct web_form, type), .usual_text = "text/plain"},
    {"text", "The content", TEXT_AT(struct web_form, text), .usual_text = ""},
};
static int form_seeded(const struct form_in *in, void *row)
{
    return web_form_add(in->tx, row);
}
STORED_HERE(web_form_stored, "What was sent to a page", struct web_form, form_members, NULL,
            .table = "web_form", .key = "id", .add = form_seeded);

int web_form_add(struct tx *tx, struct web_form *form)
{
    char made[17];
    uint8_t bytes[8];
    if (!form->key) {
        if (tx_id(tx, "web form", bytes, sizeof bytes) < 0)
            return -1;
        hex_encode(made, bytes, sizeof bytes);
        form->key = arena_strdup(tx->arena, made);
    }
    if (stored_add(tx, &web_form_stored, form) < 0)
        return -1;
    form->id = tx_last_id(tx);
    return 0;
}

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "webPages",
     .stored = &web_page_stored,
     .ids = SECTION_IDS("select id from web_page order by url")},
    {.name = "webForms",
     .stored = &web_form_stored,
     .ids = SECTION_IDS("select id from web_form order by key")},
};
static const struct entity entities[] = {
    {.name = "webPage", .table = "web_page", .stored = &web_page_stored},
    {.name = "webForm", .table = "web_form", .stored = &web_form_stored},
};
static const struct core_rule rules[] = {
    {"web_page", "url not glob 'https://?*/*' or author not glob '*@*'"},
    {"web_form", "key = ''"},
    {NULL, NULL},
};

const struct sosia_core web_core = {
    .name = "web",
    .schema = web_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
};
