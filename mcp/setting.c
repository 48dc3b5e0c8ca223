/* SPDX-License-Identifier: Apache-2.0 */
/* The set of tools that a world shows where an endpoint's URL names none: "tools" of its seed
 * document. */
#include "mcp/setting.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/store/scan.h"
#include "mcp/tool.h"

const char *const tool_sets[] = {"common",    "native",   "hosted",   "reference", "community",
                                 "workspace", "softeria", "agent365", NULL};

int tool_set_named(const char *text)
{
    return str_place(tool_sets, text);
}

const char *tool_set_names(struct arena *a)
{
    const char *all = tool_sets[0];
    for (int i = 1; tool_sets[i]; i++)
        all = arena_printf(a, "%s%s%s", all, tool_sets[i + 1] ? ", " : " or ", tool_sets[i]);
    return all;
}

/* Each message of a client asks, so that it is read without a statement where that can be. */
int tool_set_of_world(struct tx *tx, int *ret)
{
    static struct sql_text q = SQL_TEXT("select value from meta where key = :key");
    static struct record_text table = INDEX_TEXT("meta", "value");
    static const char key[] = "tools";
    sqlite3_stmt *st;
    struct scan s;
    const char *value = NULL;
    int r = TX_SCAN(tx, &table, SCAN_FROM, 1, &s, key);
    if (r == 1 && (r = scan_next(&s)) == 1)
        value = record_text(&s.entry, 0);
    if (r < 0 || r == RECORD_STATEMENT) {
        r = TX_ROW(tx, &q, &st, key);
        if (r == 1) {
            value = tx_string(tx, st, 0);
            sql_done(st);
        }
    }
    int set = value ? tool_set_named(value) : SET_COMMON;
    *ret = set < 0 ? SET_COMMON : set;
    return r < 0 ? -1 : 0;
}

static int seed_tools(struct tx *tx, struct doc *doc, const struct json *value)
{
    static struct sql_text q = SQL_TEXT("insert into meta (key, value) values ('tools', :v) "
                                        "on conflict (key) do update set value = excluded.value");
    if (!value)
        return 0;
    if (value->type == JSON_STRING && tool_set_named(value->str) >= 0)
        return TX_RUN(tx, &q, value->str);
    return doc_fail(doc, value, NULL, "must be %s, not %s", tool_set_names(tx->arena),
                    json_to_text(tx->arena, value));
}

static int dump_tools(struct tx *tx, struct json_writer *w)
{
    int set;
    if (tool_set_of_world(tx, &set) < 0)
        return -1;
    if (set)
        json_str(w, MCP_SECTION, tool_sets[set]);
    return 0;
}

static void schema(struct json_writer *w)
{
    json_str(w, "description", "The set of tools that endpoints show whose URL names none");
    json_arr(w, "enum");
    for (const char *const *set = tool_sets; *set; set++)
        json_str(w, NULL, *set);
    json_end(w);
}

static const struct core_rule rules[] = {
    {"meta", "key = 'tools' and value not in ('common', 'native', 'hosted', 'reference', "
             "'community', 'workspace', 'softeria', 'agent365')"},
    {0},
};

static const struct section sections[] = {
    {.name = MCP_SECTION, .seed = seed_tools, .dump = dump_tools, .schema = schema},
};

const struct sosia_core mcp_core = {.name = "mcp",
                                    .schema = "",
                                    .sections = sections,
                                    .n_sections = SOSIA_LEN(sections),
                                    .rules = rules};
