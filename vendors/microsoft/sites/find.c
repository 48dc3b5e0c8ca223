/* SPDX-License-Identifier: Apache-2.0 */
/* Sites as /search/query finds them: by their names, descriptions and addresses. */
#include "engine/base/codec.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/sites/sites.h"

struct found_sites {
    struct call *c;
    struct graph_find *f;
    int64_t seen;
    const struct ms_site *site;
};

static bool is(void *arg, const struct graph_words *term)
{
    const struct found_sites *s = arg;
    const char *in = term->property;
    struct arena *a = s->c->tx.arena;
    if (in && strcmp(in, "title") == 0)
        return graph_words_in(s->site->name, term->text);
    if (in && (strcmp(in, "path") == 0 || strcmp(in, "site") == 0))
        return str_starts(ms_site_url(a, s->site), term->text);
    if (in)
        return strcmp(in, "contentclass") == 0 && graph_words_in(term->text, "STS_Site");
    return graph_words_in(s->site->name, term->text) ||
           graph_words_in(s->site->description, term->text) ||
           graph_words_in(ms_site_url(a, s->site), term->text);
}

static int write_found(struct call *c, void *arg)
{
    site_write(c, arg, true);
    return 0;
}

static int take(void *arg, const struct ms_site *site)
{
    struct found_sites *s = arg;
    struct graph_find *f = s->f;
    s->site = site;
    if (!graph_words_hold(f->words, is, s))
        return 0;
    f->total++;
    if (s->seen++ < f->from || s->seen > f->from + f->size)
        return 0;
    struct ms_site copy = *site;
    return graph_hit(s->c, f, site->full_id, "site", NULL, write_found, &copy);
}

static int find_sites(struct call *c, struct graph_find *f)
{
    struct found_sites s = {.c = c, .f = f};
    return sites_seen(c, take, &s);
}

const struct graph_finder sites_finder = {
    .entity = "site",
    .scopes = "Sites.Read.All Sites.ReadWrite.All Sites.Manage.All Sites.FullControl.All",
    .files = true,
    .find = find_sites};
