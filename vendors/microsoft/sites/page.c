/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of sites in the world and in documents. */
#include "vendors/microsoft/sites/page.h"
#include "engine/state/own.h"

/* ---- documents ---- */

const char *const site_page_layouts[] = {"article", "home", NULL};
const char *const site_page_promotions[] = {"page", "newsPost", NULL};

static int find_site(struct tx *tx, const char *text, int64_t *ret)
{
    struct ms_site site;
    int r = ms_site_by_address(tx, text, &site);
    if (r == 1)
        *ret = site.id;
    return r;
}

static int name_site(struct tx *tx, int64_t id, const char **ret)
{
    struct ms_site site;
    int r = ms_site_get(tx, id, &site);
    if (r == 1)
        *ret = ARENA_JOIN(tx->arena, site.host, site.path);
    return r;
}

static const struct reference site_reference = {"the path of a site", "there is no site", find_site,
                                                name_site};

static int check_page(const struct form_in *in, void *row)
{
    struct site_page *p = row;
    p->title = p->title ? p->title : p->name;
    p->made_us = p->made_us ? p->made_us : in->tx->now_us;
    p->changed_us = p->changed_us ? p->changed_us : p->made_us;
    p->modifier = p->modifier ? p->modifier : p->creator;
    return 0;
}

static int add_page(const struct form_in *in, void *row);

static const struct member page_members[] = {
    STORED_ID(struct site_page),
    {"site", "The path of its site", REF_AT(struct site_page, site, &site_reference),
     .flags = MEMBER_REQUIRED},
    {"name", "The name in its address: plan.aspx", TEXT_AT(struct site_page, name),
     .flags = MEMBER_REQUIRED},
    {"id", "Its GUID; made up without it", TEXT_AT(struct site_page, key)},
    {"title", "What people see; the name without it", TEXT_AT(struct site_page, title)},
    {"description", "What it is about", TEXT_AT(struct site_page, description)},
    {"layout", "Which kind of page it is", WORD_AT(struct site_page, layout, site_page_layouts),
     .usual_text = "article"},
    {"promotion", "newsPost: it is news",
     WORD_AT(struct site_page, promotion, site_page_promotions), .usual_text = "page"},
    {"comments", "People may comment on it", BOOL_AT(struct site_page, comments)},
    {"recommends", "Others are recommended below it", BOOL_AT(struct site_page, recommends)},
    {"titleArea", "Its head, as Graph has it", KEPT_AT(struct site_page, head, JSON_OBJECT)},
    {"canvasLayout", "What is on it, as Graph has it",
     KEPT_AT(struct site_page, canvas, JSON_OBJECT)},
    {"creator", "Who made it", REF_AT(struct site_page, creator, &actor_reference)},
    {"modifier", "Who changed it; the creator without it",
     REF_AT(struct site_page, modifier, &actor_reference)},
    {"created", "When it was made; the world's time without it",
     TIME_AT(struct site_page, made_us)},
    {"modified", "When it was changed; as created without it",
     TIME_AT(struct site_page, changed_us)},
    {"version", "The number in its tag", INT_AT(struct site_page, version, 1, INT32_MAX),
     .usual = 1},
    {"published", "How often it was published", INT_AT(struct site_page, published, 0, INT32_MAX),
     .usual = 1},
    {"draft", "Changes since", INT_AT(struct site_page, draft, 0, INT32_MAX)},
};
STORED(pages_stored, "A page of a site", struct site_page, page_members, check_page,
       .table = "ms_page", .key = "site name", .add = add_page);

static int add_page(const struct form_in *in, void *row)
{
    struct site_page *p = row;
    if (!p->key)
        p->key = graph_guid(in->tx->arena, "page",
                            arena_printf(in->tx->arena, "%lld %s", (long long)p->site, p->name));
    return stored_add(in->tx, &pages_stored, p);
}

static const struct section sections[] = {
    {.name = "sitePages",
     .stored = &pages_stored,
     .ids = SECTION_IDS("select p.id from ms_page p join ms_site s on s.id = p.site order by "
                        "s.tenant, s.path, p.name")},
};
static const struct entity entities[] = {
    {.name = "site_page", .table = "ms_page", .stored = &pages_stored},
};
#define NO_OBJECT(column)                                                                          \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> 'object' else 1 end"
#define NO_TIME(column) column " not between -62135596800000000 and 253402300799999999"
static const struct core_rule rules[] = {
    {"ms_page", NO_OBJECT("head")},
    {"ms_page", NO_OBJECT("canvas")},
    {"ms_page", NO_TIME("made_us")},
    {"ms_page", NO_TIME("changed_us")},
    {"ms_page", "version < 1 or published < 0 or draft < 0 or length(key) <> 36"},
    {NULL, NULL},
};

const struct sosia_core microsoft_pages_core = {
    .name = "microsoft_pages",
    .schema = "",
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
};
